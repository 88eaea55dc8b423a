// Documents by score, and equal scores by document id: the order of trec_eval and related tools.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "idealrank/for_each_query.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/text/ids.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// rows[offsets[q] ... offsets[q + 1]) are the rows of query q, best first. Ids are compared bytewise, like strcmp.
inline void order_by_id(std::span<const double> scores, std::span<const std::int64_t> offsets, const IdsView& ids,
                        bool descending, std::span<std::int64_t> rows, Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, rank = TopRanker(given), copy = OwnCopy(given)](std::int64_t query, std::int64_t begin,
                                                                             std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto own = copy(scores.subspan(first, n));
      const auto order = rank(own, n, query, begin);
      for (std::size_t r = 0; r < n; ++r) rows[first + r] = begin + order[r];
      for_each_tie_run(own, order, [&](std::size_t from, std::size_t to) {
        if (to - from == 1) return;
        const auto start = rows.begin() + static_cast<std::ptrdiff_t>(first + from);
        const auto before = [&](std::int64_t a, std::int64_t b) {
          const int compared = ids[static_cast<std::size_t>(a)].compare(ids[static_cast<std::size_t>(b)]);
          if (compared != 0) return descending ? compared > 0 : compared < 0;
          return a < b;
        };
        stoppable_sort(start, start + static_cast<std::ptrdiff_t>(to - from), before, stop);
      });
    };
  });
}

}  // namespace idealrank
