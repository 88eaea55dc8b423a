// The best items of each user, without excluded ones, from the scores of whole catalogs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// Item numbers and their scores, best first; equal scores are in the order of the items. Those of user u are at
// offsets[u] ... offsets[u + 1].
struct TopItems {
  Buffer<std::int64_t> items;
  Buffer<double> scores;
  Buffer<std::int64_t> offsets;
};

// The items of a user that may be among the best k, found in one pass over the scores. An item below the k-th best so far is
// skipped, and soon nearly all items are.
template <class Score>
class Candidates {
 public:
  explicit Candidates(std::size_t k = 1) : k_(k), most_(std::max(kFirst, 4 * k)) {}

  // Adds the scores of the items from `first_item` on, which must come after all earlier ones. Skips the items in
  // `excluded`, which must be sorted. NaN and inf cause a data_error at the user (query) and the item (row).
  void add(std::span<const Score> scores, std::int64_t first_item, std::span<const std::int64_t> excluded,
           std::int64_t user) {
    const std::size_t whole = scores.size() / kBlock * kBlock;
    for (std::size_t i = 0; i < whole; i += kBlock) {
      if (all_below(scores.data() + i, least_)) continue;
      collect(scores.subspan(i, kBlock), first_item + static_cast<std::int64_t>(i), excluded, user);
    }
    collect(scores.subspan(whole), first_item + static_cast<std::int64_t>(whole), excluded, user);
  }

  // Keeps k items, and all that share the score of the k-th; all if there are fewer.
  void finish() {
    if (items_.size() > k_) raise();
  }

  // The items in ascending order, and their scores.
  std::span<const std::uint32_t> items() const { return items_; }
  std::span<const Score> scores() const { return scores_; }

 private:
  static constexpr std::size_t kBlock = 32, kFirst = 64;

  // Whether all kBlock scores are numbers below `least`. NaN is not.
  static bool all_below(const Score* scores, Score least) {
#if defined(__GNUC__) || defined(__clang__)
    typedef Score Vector __attribute__((vector_size(16)));  // compilers do not vectorize the plain loop
    constexpr std::size_t kWidth = 16 / sizeof(Score);
    Vector some;
    std::memcpy(&some, scores, sizeof some);
    auto below = some < least;
    for (std::size_t i = kWidth; i < kBlock; i += kWidth) {
      std::memcpy(&some, scores + i, sizeof some);
      below &= some < least;
    }
    std::array<std::uint64_t, 2> bits;
    std::memcpy(&bits, &below, sizeof bits);
    return ~(bits[0] & bits[1]) == 0;
#else
    return std::all_of(scores, scores + kBlock, [least](Score score) { return score < least; });
#endif
  }

  void collect(std::span<const Score> scores, std::int64_t first_item, std::span<const std::int64_t> excluded,
               std::int64_t user) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::int64_t item = first_item + static_cast<std::int64_t>(i);
      const Score score = scores[i];
      if (score < least_ || std::binary_search(excluded.begin(), excluded.end(), item)) continue;
      if (!(score <= std::numeric_limits<Score>::max())) check_finite(std::array{static_cast<double>(score)}, user, item);
      items_.push_back(static_cast<std::uint32_t>(item));
      scores_.push_back(score);
      if (items_.size() >= most_) raise();
    }
  }

  // Raises the lowest score to the k-th best so far, and drops what is below.
  void raise() {
    std::vector<Score> sorted(scores_);
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
    least_ = *last;
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      items_[n_left] = items_[i];
      scores_[n_left] = scores_[i];
      n_left += scores_[i] >= least_ ? 1 : 0;
    }
    items_.resize(n_left);
    scores_.resize(n_left);
    most_ = std::max(most_, 2 * n_left);  // many items may share the k-th score
  }

  std::size_t k_, most_;  // `most_`: number of items at which the lowest score is raised
  Score least_ = -std::numeric_limits<Score>::infinity();
  std::vector<std::uint32_t> items_;
  std::vector<Score> scores_;
};

// Selects, for each user, the first k items, or all if there are fewer, and all others that share the score of the k-th.
// Takes blocks of scores of consecutive items.
template <class Score>
class TopSelection {
 public:
  // excluded: the items of user u are excluded[starts[u] ... starts[u + 1]). An item out of range causes a data_error.
  TopSelection(std::size_t n_items, std::size_t k, std::span<const std::int64_t> excluded,
               std::span<const std::int64_t> starts)
      : n_items_(n_items),
        excluded_(excluded.begin(), excluded.end()),
        starts_(starts.begin(), starts.end()),
        of_user_(starts.size() - 1, Candidates<Score>(std::min(k, n_items))) {
    for (std::size_t u = 0; u < of_user_.size(); ++u) {
      const auto first = excluded_.begin() + starts_[u], last = excluded_.begin() + starts_[u + 1];
      std::sort(first, last);
      if (first == last || (*first >= 0 && *(last - 1) < static_cast<std::int64_t>(n_items))) continue;
      const std::int64_t wrong = *first < 0 ? *first : *(last - 1);
      raise(data_error("an excluded item must be one of " + std::to_string(n_items) + ", got " + std::to_string(wrong),
                       static_cast<std::int64_t>(u), -1));
    }
  }

  std::size_t n_users() const { return of_user_.size(); }
  std::size_t n_left() const { return n_items_ - next_; }  // items whose scores are still to come

  // scores: one row per user, for the next `width` items. -inf ranks last; NaN and inf cause a data_error at the user
  // (query) and the item (row), unless the item is excluded.
  void add(std::span<const Score> scores, std::size_t width, Threads threads) {
    std::vector<std::int64_t> rows(n_users() + 1);
    for (std::size_t u = 0; u < rows.size(); ++u) rows[u] = static_cast<std::int64_t>(u * width);
    const auto first_item = static_cast<std::int64_t>(next_);
    for_each_query(rows, threads, [&] {
      return [&](std::int64_t user, std::int64_t begin, std::int64_t) {
        const auto u = static_cast<std::size_t>(user);
        const auto excluded = std::span(excluded_).subspan(static_cast<std::size_t>(starts_[u]),
                                                           static_cast<std::size_t>(starts_[u + 1] - starts_[u]));
        of_user_[u].add(scores.subspan(static_cast<std::size_t>(begin), width), first_item, excluded, user);
      };
    });
    next_ += width;
  }

  TopItems found() {
    TopItems top;
    top.offsets.resize(n_users() + 1);
    top.offsets[0] = 0;
    for (std::size_t u = 0; u < n_users(); ++u) {
      of_user_[u].finish();
      top.offsets[u + 1] = top.offsets[u] + static_cast<std::int64_t>(of_user_[u].items().size());
    }
    const auto total = static_cast<std::size_t>(top.offsets[n_users()]);
    top.items.resize(total);
    top.scores.resize(total);
    TopRanker rank;
    std::vector<double> few;
    for (std::size_t u = 0, place = 0; u < n_users(); ++u) {
      const auto scores = of_user_[u].scores();
      few.assign(scores.begin(), scores.end());
      for (double& score : few) score = std::max(score, std::numeric_limits<double>::lowest());  // -inf ranks last
      for (const std::uint32_t candidate : rank(few, few.size(), static_cast<std::int64_t>(u), 0)) {
        top.items[place] = of_user_[u].items()[candidate];
        top.scores[place] = static_cast<double>(scores[candidate]);
        ++place;
      }
    }
    return top;
  }

 private:
  std::size_t n_items_, next_ = 0;
  std::vector<std::int64_t> excluded_, starts_;
  std::vector<Candidates<Score>> of_user_;
};

// Selects from a single block that has all items.
template <class Score>
TopItems top_items(std::span<const Score> scores, std::size_t n_items, std::size_t k, std::span<const std::int64_t> excluded,
                   std::span<const std::int64_t> starts, Threads threads) {
  TopSelection<Score> selection(n_items, k, excluded, starts);
  selection.add(scores, n_items, threads);
  return selection.found();
}

}  // namespace idealrank
