// The best documents of one query, best first: all of them, or only as many as a cutoff needs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "idealrank/errors.hpp"
#include "idealrank/sort/order.hpp"
#include "idealrank/sort/short_counts.hpp"
#include "idealrank/sort/small_sort.hpp"

namespace idealrank {

// Throws data_error at the first value that is not finite. A finite number times 0 is 0, and any other is NaN. Four sums,
// which compilers vectorize, check all values; only after a failure is its position searched for.
inline bool all_finite(std::span<const double> values) {
  double sums[4] = {0, 0, 0, 0};
  const std::size_t whole = values.size() / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += values[i + lane] * 0.0;
  }
  for (std::size_t i = whole; i < values.size(); ++i) sums[0] += values[i] * 0.0;
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) == 0;
}

inline void check_finite(std::span<const double> values, std::int64_t query, std::int64_t first_row,
                         const char* what = "a score") {
  if (all_finite(values)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const char* const got = std::isnan(values[i]) ? "nan" : values[i] > 0 ? "inf" : "-inf";
    raise(data_error(std::string(what) + " must be a finite number, got " + got, query,
                     first_row + static_cast<std::int64_t>(i)));
  }
}

// Ranks queries one by one, reusing its memory.
class TopRanker {
 public:
  explicit TopRanker(const Stop& stop = {}) : stop_(stop), radix_(stop) {}

  // Returns documents in stable descending order: at least the first `k`, and all others with the same score as rank k. The
  // result is valid until the next call.
  std::span<const std::uint32_t> operator()(std::span<const double> scores, std::size_t k, std::int64_t query,
                                            std::int64_t first_row) {
    const std::size_t n = scores.size();
    if (std::uint64_t{n} >> 32 != 0) raise(data_error("a query has more than 2^32 documents", query, first_row));
    stop_.before(n);
    check_finite(scores, query, first_row);
    if (k == 0) {
      order_.clear();
    } else if (std::is_sorted(scores.begin(), scores.end(), std::greater<>())) {  // as in most files
      list_all(n);
      end_after(scores, k);
    } else if (n <= kShortList) {
      rank_short(scores);
      end_after(scores, k);
    } else if (k >= n) {
      list_all(n);
      sort(scores);
    } else if (k <= kMostFew && n >= 2 * lanes_for(k)) {
      collect(scores, lower_bound(scores, k));
      end_after(scores, k);
    } else if (n <= 2 * kMostFew) {  // sorting all of them needs no branch that depends on a score
      list_all(n);
      sort(scores);
      end_after(scores, k);
    } else {
      stop_.before(2 * n);
      copy_.assign(scores.begin(), scores.end());
      stop_.before(10 * n);
      const auto last = copy_.begin() + static_cast<std::ptrdiff_t>(k) - 1;
      std::nth_element(copy_.begin(), last, copy_.end(), std::greater<>());
      collect(scores, *last);
    }
    return order_;
  }

  // Returns the last result, and releases all memory used for ranking.
  std::vector<std::uint32_t> release() { return std::move(std::exchange(*this, TopRanker(stop_)).order_); }

 private:
  static constexpr std::size_t kMostFew = 64;
  static constexpr std::uint64_t kPlace = 0xFFF;  // bits for an index below kRadixFrom
  static_assert(kRadixFrom <= kPlace);

  void list_all(std::size_t n) {
    stoppable_resize(order_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) order_[i] = static_cast<std::uint32_t>(i);
    });
  }

  // Ranks all documents: those with a higher score come before a document, and so do those with
  // the same score and a lower index.
  void rank_short(std::span<const double> scores) {
    std::array<std::uint32_t, kShortList> higher, n_placed{};
    count_less(scores, higher, std::greater<>());
    order_.resize(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::uint32_t first = higher[i];
      order_[first + n_placed[first]++] = static_cast<std::uint32_t>(i);
    }
  }

  // Drops all documents after those with the same score as rank k.
  void end_after(std::span<const double> scores, std::size_t k) {
    std::size_t last = std::min(k, order_.size());
    while (last < order_.size() && scores[order_[last]] == scores[order_[k - 1]]) ++last;
    order_.resize(last);
  }

  // A power of two that is well above k, and large enough to keep all vector lanes busy.
  static std::size_t lanes_for(std::size_t k) { return std::bit_ceil(std::max<std::size_t>(k + k / 2, 8)); }

  // Returns a score that at least k documents reach, and few others do: deals out the scores to lanes in turn, and returns
  // the k-th highest of the lanes' best scores. No branch depends on a score.
  double lower_bound(std::span<const double> scores, std::size_t k) {
    const std::size_t n_lanes = lanes_for(k);
    double best[2 * kMostFew];
    std::copy_n(scores.begin(), n_lanes, best);
    std::size_t i = n_lanes;
    for (; i + n_lanes <= scores.size(); i += n_lanes) {
      for (std::size_t lane = 0; lane < n_lanes; ++lane)
        best[lane] = scores[i + lane] > best[lane] ? scores[i + lane] : best[lane];
    }
    words_.resize(n_lanes);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) words_[lane] = descending_key(best[lane]);
    sort_words_(words_);
    return score_of(words_[k - 1]);
  }

  // Sorts all documents with at least this score.
  void collect(std::span<const double> scores, double least) {
    stoppable_resize(order_, scores.size(), stop_);
    std::size_t m = 0;
    for_each_part(scores.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        order_[m] = static_cast<std::uint32_t>(i);
        m += scores[i] >= least ? 1 : 0;
      }
    });
    order_.resize(m);
    sort(scores);
  }

  // Sorts `order_`, which lists documents by index, by score.
  void sort(std::span<const double> scores) {
    const std::size_t n = order_.size();
    if (n < kRadixFrom) {
      // Packs the high bits of the key and an index into `order_` into one word. Ties in the
      // high bits are resolved afterwards.
      words_.resize(n);
      for (std::size_t i = 0; i < n; ++i) words_[i] = (descending_key(scores[order_[i]]) & ~kPlace) | i;
      sort_words_(words_);
      sorted_.resize(n);
      for (std::size_t r = 0; r < n; ++r) sorted_[r] = order_[words_[r] & kPlace];
      for (std::size_t first = 0; first + 1 < n;) {
        std::size_t last = first + 1;
        while (last < n && (words_[last] & ~kPlace) == (words_[first] & ~kPlace)) ++last;
        const std::span<std::uint32_t> tied(sorted_.data() + first, last - first);
        const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
          return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
        };
        // Equal scores are in order already: labels, of which there are few, are.
        if (!std::is_sorted(tied.begin(), tied.end(), is_before)) std::sort(tied.begin(), tied.end(), is_before);
        first = last;
      }
    } else {
      stoppable_resize(copy_, n, stop_);
      for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) copy_[i] = scores[order_[i]];
      });
      stoppable_resize(sorted_, n, stop_);
      radix_(copy_, sorted_);
      for_each_part(n, stop_, [&](std::size_t r, std::size_t last) {
        for (; r < last; ++r) sorted_[r] = order_[sorted_[r]];
      });
    }
    order_.swap(sorted_);
  }

  Stop stop_;
  std::vector<std::uint32_t> order_, sorted_;
  std::vector<std::uint64_t> words_;
  std::vector<double> copy_;
  SmallSort sort_words_;
  RadixOrder radix_;
};

}  // namespace idealrank
