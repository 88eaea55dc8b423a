// Pairs of documents with different labels: how many a ranking puts in the wrong order, how many it leaves equal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/measure.hpp"
#include "idealrank/top.hpp"

namespace idealrank {

namespace detail {

// O(n log n) a query: down the ranking, a Fenwick tree over label levels counts the lower labels met above.
class PairCounter {
 public:
  struct Counts {
    double wrong, tied, pairs;
  };

  Counts operator()(std::span<const double> labels, std::span<const double> scores, Ties ties, std::int64_t query,
                    std::int64_t first_row) {
    levels_.assign(labels.begin(), labels.end());
    std::sort(levels_.begin(), levels_.end());
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    tree_.assign(levels_.size() + 1, 0);
    totals_.assign(levels_.size(), 0);
    level_of_.resize(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      level_of_[i] = static_cast<std::size_t>(std::lower_bound(levels_.begin(), levels_.end(), labels[i]) - levels_.begin());
      totals_[level_of_[i]] += 1;
    }

    const auto order = rank_(scores, scores.size(), query, first_row);
    Counts counts{0, 0, unequal(totals_, static_cast<double>(labels.size()))};
    run_.assign(levels_.size(), 0);
    for_each_tie_run(scores, order, [&](std::size_t first, std::size_t last) {
      if (ties == Ties::stable || ties == Ties::reverse) {
        for (std::size_t i = first; i < last; ++i) {
          const std::size_t level = level_of_[order[ties == Ties::stable ? i : first + last - 1 - i]];
          counts.wrong += below(level);
          add(level);
        }
        return;
      }
      double equal = 0;  // ordered pairs of the run with one label, a document with itself among them
      for (std::size_t r = first; r < last; ++r) {
        const std::size_t level = level_of_[order[r]];
        counts.wrong += below(level);
        equal += 2 * run_[level] + 1;
        run_[level] += 1;
      }
      for (std::size_t r = first; r < last; ++r) {
        add(level_of_[order[r]]);
        run_[level_of_[order[r]]] = 0;
      }
      const auto n = static_cast<double>(last - first);
      if (ties == Ties::average) counts.tied += (n * n - equal) / 2;
      if (ties == Ties::worst) counts.wrong += (n * n - equal) / 2;
    });
    return counts;
  }

 private:
  static double unequal(const std::vector<double>& sizes, double n) {
    double equal = 0;
    for (const double size : sizes) equal += size * size;
    return (n * n - equal) / 2;
  }

  double below(std::size_t level) const {
    double sum = 0;
    for (std::size_t i = level; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }
  void add(std::size_t level) {
    for (std::size_t i = level + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += 1;
  }

  TopRanker rank_;
  std::vector<double> levels_, tree_, totals_, run_;
  std::vector<std::size_t> level_of_;
};

}  // namespace detail

inline void pair_counts(std::span<const double> labels, std::span<const double> scores, std::span<const std::int64_t> offsets,
                        Ties ties, std::span<double> wrong, std::span<double> tied, std::span<double> pairs, int n_threads) {
  for_each_query(offsets, n_threads, [&] {
    return [&, count = detail::PairCounter()](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto counts = count(labels.subspan(first, n), scores.subspan(first, n), ties, query, begin);
      const auto q = static_cast<std::size_t>(query);
      wrong[q] = counts.wrong;
      tied[q] = counts.tied;
      pairs[q] = counts.pairs;
    };
  });
}

}  // namespace idealrank
