// TREC judgments (query, iteration, document, label) and runs (query, Q0, document, rank, score, tag).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "idealrank/text/grouping.hpp"
#include "idealrank/text/number.hpp"
#include "idealrank/text/text.hpp"

namespace idealrank {

enum class TrecFile { qrels, run };

// Rows are in file order. The iteration, Q0 and rank fields are ignored, as in trec_eval, and so
// is anything after a run's tag.
template <TrecFile kind>
struct TrecRows {
  static constexpr bool kEveryLine = false;
  static constexpr bool kIsRun = kind == TrecFile::run;

  QueryColumn queries;
  Ids docs;
  Buffer<double> values;  // labels or scores
  std::string tag;  // that of the last line, as in trec_eval

  void clear() {
    queries.clear();
    docs.clear();
    values.resize(0);
    tag.clear();
  }

  void read(Line& line) {
    constexpr const char* kFields = kIsRun ? "a run's line has 6 fields, 'query Q0 document rank score tag'"
                                           : "a qrels line has 4 fields, 'query iteration document label'";
    auto next_field = [&] {
      if (line.at_end()) line.fail_at(line.position(), kFields);
      return line.field();
    };
    const std::string_view query = next_field();
    next_field();
    const std::string_view doc = next_field();
    if constexpr (kIsRun) next_field();

    if (line.at_end()) line.fail_at(line.position(), kFields);
    const char* const start = line.position();
    const std::string_view field = line.field();
    double value = 0;
    if (parse_double(field.data(), field.data() + field.size(), value) != field.data() + field.size() ||
        !std::isfinite(value)) {
      line.fail_at(start, kIsRun ? "a score must be a finite number" : "a label must be a finite number");
    }
    if constexpr (kIsRun) {
      tag = next_field();
    } else if (!line.at_end()) {
      line.fail_at(line.position(), kFields);
    }

    queries.push_back(query);
    docs.push_back(doc);
    values.push_back(value);
  }

  // Like Ids::make_room and put.
  struct Place {
    QueryColumn::Place queries;
    Ids::Place docs;
    std::size_t first_value;
  };
  Place make_room(const TrecRows& other) {
    if (other.values.size() > 0) tag = other.tag;
    Place place{queries.make_room(other.queries), docs.make_room(other.docs), values.size()};
    values.resize(values.size() + other.values.size());
    return place;
  }
  void put(const Place& place, const TrecRows& other) {
    queries.put(place.queries, other.queries);
    docs.put(place.docs, other.docs);
    std::ranges::copy(other.values.span(), values.data() + place.first_value);
  }

  // Makes the rows of each query contiguous, and keeps their file order within a query.
  Grouping regroup(Stop stop = {}) {
    Grouping grouping = queries.grouping(stop);
    if (grouping.order.size() > 0) {
      docs = take(docs.view(), grouping.order.span(), stop);
      Buffer<double> moved;
      moved.resize(values.size());
      for_each_part(moved.size(), stop, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) moved[i] = values[static_cast<std::size_t>(grouping.order[i])];
      });
      values = std::move(moved);
    }
    return grouping;
  }
};

}  // namespace idealrank
