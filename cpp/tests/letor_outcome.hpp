// The outcome of parsing a LETOR text, dense or sparse, in a common form that can be compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "idealrank/text/letor.hpp"

namespace blocks {

struct Entry {
  std::size_t row;
  std::int32_t column;
  std::uint32_t bits;
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Letor {
  static constexpr std::size_t kMostCells = std::size_t{1} << 22;

  std::optional<Error> error;
  std::int64_t n_lines = 0;
  std::vector<std::uint64_t> labels;
  std::vector<std::string> query_ids, docs;
  std::vector<std::int64_t> offsets, order;
  std::int64_t n_docs_named = 0, n_nan = 0, n_infinite = 0;
  std::int32_t width = 0;
  std::vector<std::uint32_t> cells;  // n_rows x width, for sparse rows too, unless there are too many
  std::vector<Entry> entries;  // of sparse rows
  std::string broken;  // a guarantee that the parser violated

  bool same_but_for_entries(const Letor& other) const {
    Letor copy = *this;
    copy.entries = other.entries;
    return copy == other;
  }
  friend bool operator==(const Letor&, const Letor&) = default;
};

// Checks what must hold for every text.
inline std::string broken_promise(const idealrank::LetorRows& rows, const Letor& read, std::size_t n_with_query,
                                  bool sparse) {
  const std::size_t n = read.labels.size();
  for (const double label : rows.labels.span()) {
    if (!std::isfinite(label)) return "a label is not finite";
  }
  if (read.docs.size() != n) return "one document id a row";
  std::int64_t n_named = 0;
  for (const std::string& doc : read.docs) n_named += doc.empty() ? 0 : 1;
  if (n_named != read.n_docs_named) return "named documents are counted";
  if (n_with_query != 0 && n_with_query != n) return "one query a row, or none at all";
  if (read.offsets.size() != read.query_ids.size() + 1 || read.offsets.front() != 0) return "offsets fit the queries";
  if (read.offsets.back() != static_cast<std::int64_t>(n_with_query)) return "offsets end at the rows";
  for (std::size_t q = 1; q < read.offsets.size(); ++q) {
    if (read.offsets[q] <= read.offsets[q - 1]) return "every query has rows";
  }
  if (!read.order.empty()) {
    std::vector<bool> seen(n, false);
    for (const std::int64_t row : read.order) {
      if (row < 0 || row >= static_cast<std::int64_t>(n) || seen[static_cast<std::size_t>(row)])
        return "order is a permutation";
      seen[static_cast<std::size_t>(row)] = true;
    }
    if (read.order.size() != n) return "order has every row";
  }
  if (!sparse) return rows.values.size() + rows.row_ends.size() == 0 ? "" : "dense rows keep no entries";

  if (rows.row_ends.size() != n || rows.columns.size() != rows.values.size()) return "sparse arrays fit the rows";
  std::size_t entry = 0;
  for (const std::int64_t end : rows.row_ends.span()) {
    if (end < static_cast<std::int64_t>(entry) || end > static_cast<std::int64_t>(rows.values.size()))
      return "row ends rise";
    std::int32_t last = -1;
    for (; entry < static_cast<std::size_t>(end); ++entry) {
      if (rows.columns[entry] <= last || rows.columns[entry] >= rows.width) return "columns rise within the width";
      last = rows.columns[entry];
    }
  }
  return entry == rows.values.size() ? "" : "row ends reach the last entry";
}

inline Letor read_letor(std::string_view text, bool sparse, const std::vector<std::size_t>& cuts = {}, int n_threads = 1,
                        std::int64_t n_features_max = 1000) {
  idealrank::LetorFile file(sparse, n_features_max);
  Letor read;
  read.error = error_of([&] {
    feed_in_blocks(text, cuts, [&](std::string_view block, bool last) { return file.feed(block, last, n_threads); });
  });
  if (read.error) return read;

  auto& rows = file.rows;
  read.n_lines = file.n_lines();
  read.labels = bits(rows.labels);
  read.docs = strings(rows.docs.view());
  read.n_docs_named = rows.n_docs_named;
  read.n_nan = rows.n_nan;
  read.n_infinite = rows.n_infinite;
  read.width = rows.width;
  const idealrank::Grouping grouping = rows.queries.grouping();
  read.offsets = values(grouping.offsets);
  read.order = values(grouping.order);
  const std::size_t n_with_query = rows.queries.size();
  read.query_ids = strings(rows.queries.take_ids().view());
  read.broken = broken_promise(rows, read, n_with_query, sparse);
  if (!read.broken.empty()) return read;

  const std::size_t n = read.labels.size(), width = static_cast<std::size_t>(read.width);
  if (sparse) {
    std::size_t entry = 0;
    for (std::size_t row = 0; row < n; ++row) {
      for (; entry < static_cast<std::size_t>(rows.row_ends[row]); ++entry) {
        read.entries.push_back({row, rows.columns[entry], std::bit_cast<std::uint32_t>(rows.values[entry])});
      }
    }
    if (n * width <= Letor::kMostCells) {
      read.cells.assign(n * width, 0);
      for (const Entry& each : read.entries)
        read.cells[each.row * width + static_cast<std::size_t>(each.column)] = each.bits;
    }
  } else {
    read.cells = bits(file.dense.take());
    if (read.cells.size() != n * width) read.broken = "the dense array has one row per document";
  }
  return read;
}

}  // namespace blocks
