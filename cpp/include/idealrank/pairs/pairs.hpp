// Pairs of documents with different labels: how many a ranking puts in the wrong order, and how many it leaves tied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

namespace detail {

// The pairs of one query with different labels. The weight of a pair is the difference of its labels; all terms are >= 0.
struct PairCounts {
  double wrong = 0, tied = 0, all = 0;
  double wrong_weight = 0, tied_weight = 0, all_weight = 0;
};

// O(n log n) per query: while going down the ranking, a Fenwick tree over the label levels
// counts the lower labels seen so far.
class PairCounter {
 public:
  explicit PairCounter(const Stop& stop = {}) : stop_(stop), own_labels_(stop), own_scores_(stop), rank_(stop) {}

  PairCounts operator()(std::span<const double> given_labels, std::span<const double> given_scores, Ties ties,
                        std::int64_t query, std::int64_t first_row) {
    const auto labels = own_labels_(given_labels), scores = own_scores_(given_scores);
    check_finite(labels, query, first_row, "a label");
    stop_.before(4 * labels.size());
    levels_.assign(labels.begin(), labels.end());
    stoppable_sort(levels_.begin(), levels_.end(), std::less<>(), stop_);
    PairCounts counts;
    stop_.before(4 * labels.size());
    add_pairs(levels_, counts.all, counts.all_weight);
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    stop_.before(4 * labels.size());
    numbers_.assign(levels_.size() + 1, 0);
    sums_.assign(levels_.size() + 1, 0);

    const auto order = rank_(scores, scores.size(), query, first_row);
    for_each_tie_run(scores, order, [&](std::size_t first, std::size_t last) {
      if (ties == Ties::stable || ties == Ties::reverse) {
        for (std::size_t i = first; i < last; ++i) {
          const double label = labels[order[ties == Ties::stable ? i : first + last - 1 - i]];
          meet(label, counts);
          add(label);
        }
        return;
      }
      run_.clear();
      for (std::size_t r = first; r < last; ++r) {
        meet(labels[order[r]], counts);
        run_.push_back(labels[order[r]]);
      }
      for (const double label : run_) add(label);
      if (ties == Ties::best || run_.size() == 1) return;
      stoppable_sort(run_.begin(), run_.end(), std::less<>(), stop_);
      add_pairs(run_, ties == Ties::average ? counts.tied : counts.wrong,
                ties == Ties::average ? counts.tied_weight : counts.wrong_weight);
    });
    return counts;
  }

 private:
  // Counts the pairs with different labels among sorted labels, and sums their differences.
  static void add_pairs(std::span<const double> sorted, double& number, double& weight) {
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const double step = sorted[i] - sorted[i - 1];
      const auto below = static_cast<double>(i), above = static_cast<double>(sorted.size() - i);
      weight += below * above * step;  // every pair on both sides of the gap includes it
    }
    for (std::size_t first = 0; first < sorted.size();) {
      std::size_t last = first + 1;
      while (last < sorted.size() && sorted[last] == sorted[first]) ++last;
      number += static_cast<double>(first) * static_cast<double>(last - first);
      first = last;
    }
  }

  std::size_t level_of(double label) const {
    return static_cast<std::size_t>(std::lower_bound(levels_.begin(), levels_.end(), label) - levels_.begin());
  }

  // Counts the documents ranked above that have a lower label.
  void meet(double label, PairCounts& counts) {
    double number = 0, sum = 0;
    stop_.before(100);
    for (std::size_t i = level_of(label); i > 0; i -= i & (~i + 1)) {
      number += numbers_[i];
      sum += sums_[i];
    }
    counts.wrong += number;
    counts.wrong_weight += number * (label - levels_[0]) - sum;
  }

  void add(double label) {
    for (std::size_t i = level_of(label) + 1; i < numbers_.size(); i += i & (~i + 1)) {
      numbers_[i] += 1;
      sums_[i] += label - levels_[0];
    }
  }

  Stop stop_;
  OwnCopy own_labels_, own_scores_;
  TopRanker rank_;
  std::vector<double> levels_, numbers_, sums_, run_;
};

}  // namespace detail

using detail::PairCounts;

inline void pair_counts(std::span<const double> labels, std::span<const double> scores,
                        std::span<const std::int64_t> offsets, Ties ties, std::span<PairCounts> counts, Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& stop) {
    return [&, count = detail::PairCounter(stop)](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      counts[static_cast<std::size_t>(query)] =
          count(labels.subspan(first, n), scores.subspan(first, n), ties, query, begin);
    };
  });
}

}  // namespace idealrank
