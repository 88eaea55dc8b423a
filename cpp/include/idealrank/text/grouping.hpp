// Groups rows by query: from one query number per row to offsets, and the row order that makes queries contiguous.
#pragma once

#include <cstdint>
#include <span>

#include "idealrank/buffer.hpp"
#include "idealrank/stop.hpp"
#include "idealrank/text/ids.hpp"

namespace idealrank {

// offsets: n_queries + 1 entries. order: the rows query by query, stable within a query; empty if the rows are already in
// this order. Takes linear time (a counting sort).
struct Grouping {
  Buffer<std::int64_t> offsets;
  Buffer<std::int64_t> order;
};

// Takes one query number per row, in [0, n_queries), in order of first appearance.
inline Grouping group(std::span<const std::int64_t> queries, std::int64_t n_queries, Stop stop = {}) {
  Grouping grouping;
  auto& [offsets, order] = grouping;
  offsets.resize(static_cast<std::size_t>(n_queries) + 1);
  for (auto& offset : offsets.span()) offset = 0;
  bool contiguous = true;
  for_each_part(queries.size(), stop, [&](std::size_t row, std::size_t last) {
    for (; row < last; ++row) {
      ++offsets[static_cast<std::size_t>(queries[row]) + 1];
      contiguous = contiguous && (row == 0 || queries[row] >= queries[row - 1]);
    }
  });
  for (std::size_t q = 1; q < offsets.size(); ++q) offsets[q] += offsets[q - 1];
  if (contiguous) return grouping;

  Buffer<std::int64_t> next;
  next.append(offsets.span());
  order.resize(queries.size());
  for_each_part(queries.size(), stop, [&](std::size_t row, std::size_t last) {
    for (; row < last; ++row) {
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(queries[row])]++)] = static_cast<std::int64_t>(row);
    }
  });
  return grouping;
}

// The query column of a file while it is read. The id of a line is mostly that of the previous line.
class QueryColumn {
 public:
  void push_back(std::string_view id) {
    if (numbers_.size() == 0 || id != last_id()) number_ = ids_.insert(id);
    numbers_.push_back(number_);
  }
  // Like Ids::make_room and put. `renamed` maps the other column's numbers to the numbers here.
  struct Place {
    std::size_t first_row;
    Buffer<std::int64_t> renamed;
  };
  Place make_room(const QueryColumn& other) {
    Place place{numbers_.size(), {}};
    place.renamed.resize(other.ids_.ids().size());
    for (std::size_t k = 0; k < place.renamed.size(); ++k) place.renamed[k] = ids_.insert(other.ids_.ids().view()[k]);
    numbers_.resize(numbers_.size() + other.numbers_.size());
    if (other.size() > 0) number_ = place.renamed[static_cast<std::size_t>(other.number_)];
    return place;
  }
  void put(const Place& place, const QueryColumn& other) {
    for (std::size_t i = 0; i < other.numbers_.size(); ++i) {
      numbers_[place.first_row + i] = place.renamed[static_cast<std::size_t>(other.numbers_[i])];
    }
  }
  void append(const QueryColumn& other) { put(make_room(other), other); }
  void clear() {
    ids_.clear();
    numbers_.resize(0);
  }
  std::size_t size() const { return numbers_.size(); }
  Grouping grouping(const Stop& stop = {}) const {
    return group(numbers_.span(), static_cast<std::int64_t>(ids_.ids().size()), stop);
  }
  // Returns the distinct ids, and leaves the column empty.
  Ids take_ids() {
    numbers_.resize(0);
    return ids_.take();
  }

 private:
  std::string_view last_id() const { return ids_.ids().view()[static_cast<std::size_t>(number_)]; }

  IdSet ids_;
  Buffer<std::int64_t> numbers_;
  std::int64_t number_ = 0;
};

}  // namespace idealrank
