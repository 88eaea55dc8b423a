// The best items of each user of a block of scores, without those that are excluded: whole catalogues, row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "idealrank/buffer.hpp"
#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// Item numbers and their scores, best first, equal scores in the order of the items; those of user u are
// offsets[u] ... offsets[u + 1].
struct TopItems {
  Buffer<std::int64_t> items;
  Buffer<double> scores;
  Buffer<std::int64_t> offsets;
};

// At least the first k items of each user, if there are so many, and all others that share the score of the k-th.
//   scores    one row of n_items per user; -inf ranks last, NaN and inf are a data_error of the user (query) and item (row)
//   excluded  items of user u: excluded[starts[u] ... starts[u + 1]); an item out of range is a data_error
template <class Score>
TopItems top_items(std::span<const Score> scores, std::size_t n_items, std::size_t k, std::span<const std::int64_t> excluded,
                   std::span<const std::int64_t> starts, Threads threads) {
  static constexpr double kLowest = std::numeric_limits<double>::lowest();
  const std::size_t n_users = starts.size() - 1;
  std::vector<std::int64_t> rows(n_users + 1);
  for (std::size_t u = 0; u <= n_users; ++u) rows[u] = static_cast<std::int64_t>(u * n_items);
  struct Found {
    std::vector<std::uint32_t> items;
    std::vector<double> scores;
  };
  std::vector<Found> found(n_users);

  for_each_query(rows, threads, [&](const Stop& stop) {
    return [&, rank = TopRanker(stop), own = std::vector<double>(), kept = std::vector<char>()](
               std::int64_t user, std::int64_t begin, std::int64_t) mutable {
      const auto u = static_cast<std::size_t>(user);
      const auto row = scores.subspan(static_cast<std::size_t>(begin), n_items);
      own.resize(n_items);
      std::size_t n_lowest = 0;
      for (std::size_t i = 0; i < n_items; ++i) {
        const double score = static_cast<double>(row[i]);
        const bool lowest = score < kLowest;
        n_lowest += lowest ? 1 : 0;
        own[i] = lowest ? kLowest : score;
      }
      kept.assign(n_items, 1);
      for (auto place = static_cast<std::size_t>(starts[u]); place < static_cast<std::size_t>(starts[u + 1]); ++place) {
        const std::int64_t item = excluded[place];
        if (item < 0 || item >= static_cast<std::int64_t>(n_items)) {
          throw data_error("an excluded item must be one of " + std::to_string(n_items) + ", got " + std::to_string(item), user, -1);
        }
        kept[static_cast<std::size_t>(item)] = 0;
        own[static_cast<std::size_t>(item)] = kLowest;
      }
      Found& out = found[u];
      for (const std::uint32_t item : rank(own, std::min(k, n_items), user, 0)) {
        if (kept[item] == 0) continue;
        out.items.push_back(item);
        out.scores.push_back(own[item]);
      }
      if (n_lowest > 0) {
        for (double& score : out.scores) score = score == kLowest ? -std::numeric_limits<double>::infinity() : score;
      }
    };
  });

  TopItems top;
  top.offsets.resize(n_users + 1);
  top.offsets[0] = 0;
  for (std::size_t u = 0; u < n_users; ++u) top.offsets[u + 1] = top.offsets[u] + static_cast<std::int64_t>(found[u].items.size());
  const auto total = static_cast<std::size_t>(top.offsets[n_users]);
  top.items.resize(total);
  top.scores.resize(total);
  for (std::size_t u = 0, place = 0; u < n_users; ++u) {
    for (std::size_t i = 0; i < found[u].items.size(); ++i, ++place) {
      top.items[place] = found[u].items[i];
      top.scores[place] = found[u].scores[i];
    }
  }
  return top;
}

}  // namespace idealrank
