// The outcome of parsing a TREC text, in a form that can be compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "idealrank/text/trec.hpp"

namespace blocks {

struct Trec {
  std::optional<Error> error;
  std::int64_t n_lines = 0, n_comments = 0;
  std::vector<std::string> query_ids, docs;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> values;
  std::string tag;
  friend bool operator==(const Trec&, const Trec&) = default;
};

template <idealrank::TrecFile kind>
Trec read_trec(std::string_view text, const std::vector<std::size_t>& cuts = {}, int n_threads = 1,
               bool has_comments = true) {
  using Rows = idealrank::TrecRows<kind>;
  idealrank::BlockParser<Rows> parser([] { return Rows(); }, has_comments);
  Rows rows;
  Trec read;
  read.error = error_of([&] {
    feed_in_blocks(text, cuts, [&](std::string_view block, bool last) { return parser.feed(block, last, n_threads, rows); });
  });
  if (read.error) return read;
  read.n_lines = parser.n_lines();
  read.n_comments = parser.n_comments();
  read.offsets = values(rows.regroup().offsets);
  read.query_ids = strings(rows.queries.take_ids().view());
  read.docs = strings(rows.docs.view());
  read.values = bits(rows.values);
  read.tag = rows.tag;
  return read;
}

}  // namespace blocks
