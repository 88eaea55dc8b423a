// The best items of each user of a block of scores, without those that are excluded: whole catalogues, row by row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// The items of a row that may be among its best k: all that reach a score which at least k of them reach.
template <class Score>
class Candidates {
 public:
  // Into places(), ascending. NaN and inf are a data_error of the user (query) and the item (row).
  void operator()(std::span<const Score> row, std::size_t k, std::int64_t user) {
    places_.clear();
    // The scores are dealt out to lanes in turn: of the best of each lane, k are at least the k-th.
    if (2 * k > kLanes || row.size() < 4 * kLanes) {
      for (std::size_t i = 0; i < row.size(); ++i) places_.push_back(static_cast<std::uint32_t>(i));
      return;
    }
    std::array<Score, kLanes> best, zeros{};
    std::copy_n(row.begin(), kLanes, best.begin());
    const std::size_t whole = row.size() / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
      const Score* const some = row.data() + i;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        best[lane] = some[lane] > best[lane] ? some[lane] : best[lane];
        zeros[lane] += some[lane] * Score{0};  // NaN if a score is not finite
      }
    }
    for (std::size_t i = whole; i < row.size(); ++i) zeros[0] += row[i] * Score{0};
    for (const Score zero : zeros) {
      if (!(zero == 0)) refuse(row, user);
    }
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(k) - 1, best.end(), std::greater<>());
    const Score least = best[k - 1];
    for (std::size_t i = 0; i < whole; i += kBlock) {
      unsigned any = 0;
      for (std::size_t j = 0; j < kBlock; ++j) any |= row[i + j] >= least ? 1U : 0U;
      if (any != 0) collect(row, i, i + kBlock, least);
    }
    collect(row, whole, row.size(), least);
  }

  std::span<const std::uint32_t> places() const { return places_; }

 private:
  static constexpr std::size_t kLanes = 128, kBlock = 32;

  void collect(std::span<const Score> row, std::size_t first, std::size_t last, Score least) {
    for (std::size_t i = first; i < last; ++i) {
      if (row[i] >= least) places_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  static void refuse(std::span<const Score> row, std::int64_t user) {
    const std::vector<double> copy(row.begin(), row.end());
    check_finite(copy, user, 0);
  }

  std::vector<std::uint32_t> places_;
};

// At least the first k items of each user, if there are so many, and all others that share the score of the k-th.
//   scores    one row of n_items per user; -inf ranks last, NaN and inf are a data_error of the user (query) and item (row)
//   excluded  items of user u: excluded[starts[u] ... starts[u + 1]); an item out of range is a data_error
template <class Score>
TopItems top_items(std::span<const Score> scores, std::size_t n_items, std::size_t k, std::span<const std::int64_t> excluded,
                   std::span<const std::int64_t> starts, Threads threads) {
  static constexpr Score kLowest = std::numeric_limits<Score>::lowest();
  const std::size_t n_users = starts.size() - 1;
  std::vector<std::int64_t> rows(n_users + 1);
  for (std::size_t u = 0; u <= n_users; ++u) rows[u] = static_cast<std::int64_t>(u * n_items);
  struct Found {
    std::vector<std::uint32_t> items;
    std::vector<double> scores;
  };
  std::vector<Found> found(n_users);

  for_each_query(rows, threads, [&](const Stop& stop) {
    return [&, rank = TopRanker(stop), choose = Candidates<Score>(), own = std::vector<Score>(), kept = std::vector<char>(),
            few = std::vector<double>()](std::int64_t user, std::int64_t begin, std::int64_t) mutable {
      const auto u = static_cast<std::size_t>(user);
      const auto row = scores.subspan(static_cast<std::size_t>(begin), n_items);
      own.resize(n_items);
      for (std::size_t i = 0; i < n_items; ++i) own[i] = row[i] < kLowest ? kLowest : row[i];
      kept.assign(n_items, 1);
      for (auto place = static_cast<std::size_t>(starts[u]); place < static_cast<std::size_t>(starts[u + 1]); ++place) {
        const std::int64_t item = excluded[place];
        if (item < 0 || item >= static_cast<std::int64_t>(n_items)) {
          raise(data_error("an excluded item must be one of " + std::to_string(n_items) + ", got " + std::to_string(item), user, -1));
        }
        kept[static_cast<std::size_t>(item)] = 0;
        own[static_cast<std::size_t>(item)] = kLowest;
      }
      const std::size_t n_first = std::min(k, n_items);
      choose(own, n_first, user);
      const auto places = choose.places();
      few.resize(places.size());
      for (std::size_t i = 0; i < places.size(); ++i) few[i] = static_cast<double>(own[places[i]]);
      Found& out = found[u];
      for (const std::uint32_t candidate : rank(few, n_first, user, 0)) {
        const std::uint32_t item = places[candidate];
        if (kept[item] == 0) continue;
        const bool lowest = own[item] == kLowest;
        out.items.push_back(item);
        out.scores.push_back(lowest ? -std::numeric_limits<double>::infinity() : few[candidate]);
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
