// Enumerates the pairs of documents with close labels, on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Processes queries one by one, reusing its memory.
class GroupRows {
 public:
  explicit GroupRows(const PairSpec& spec)
      : spec_(spec),
        rows_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).rows(spec.loss, spec.weight, spec.derivative)) {}

  // Sums over all pairs among `own`, the documents of the levels starting at `level`, sorted by level. `place_of` is the
  // place of each document of the query, needed for changes by swaps. Adds the derivatives to the columns.
  PairTotals operator()(const PairQuery& query, std::span<const std::uint32_t> own, const LabelLevels& levels,
                        std::size_t level, const SwapChange& change, std::span<const std::uint32_t> place_of, Stop& stop,
                        std::span<double> column, std::span<double> second) {
    const std::size_t padded = own.size() + kPairPadding;
    const bool logistic = spec_.loss == PairLoss::logistic;
    const bool swaps = spec_.weight == PairWeight::swap_change || spec_.weight == PairWeight::distance;
    stoppable_resize(columns_, (5 + (logistic ? 2 : 0) + (swaps ? 3 : 0)) * padded, stop);
    double* next = columns_.data();
    auto new_column = [&] {
      std::fill_n(next + own.size(), kPairPadding, 1.0);
      return std::exchange(next, next + padded);
    };
    auto for_each = [&](auto&& each) {
      for_each_part(own.size(), stop, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) each(i, own[i]);
      });
    };
    double *const labels = new_column(), *const scores = new_column(), *const weights = new_column();
    for (double* to = labels; to < labels + own.size(); ++level) {
      to = std::fill_n(to, levels.counts()[level], levels.labels()[level]);
    }
    for_each([&](std::size_t i, std::uint32_t document) {
      scores[i] = query.scores[document];
      weights[i] = query.weight(document);
    });
    std::fill_n(scores + own.size(), kPairPadding, scores[0]);  // keeps the padding within the range of the scores
    LabelledDocuments documents{&stop, own.size(), labels, scores, weights, spec_.scale};
    if (logistic) {
      const auto [least, most] = range_of({scores, own.size()});
      if (spec_.near_enough(least, most)) {
        documents.growths = new_column();
        documents.shrinks = new_column();
        documents.middle = least + (most - least) / 2;
      }
    }
    if (swaps) {
      double *const right = new_column(), *const wrong = new_column(), *const places = new_column();
      for_each([&](std::size_t i, std::uint32_t document) {
        const std::uint32_t place = place_of[document];
        right[i] = change.right()[place];
        wrong[i] = change.wrong()[place];
        places[i] = place;
      });
      documents.right = right;
      documents.wrong = wrong;
      documents.places = places;
      documents.distances = spec_.distances.data();
      documents.with_swap = spec_.with_swap;
      documents.truncation = static_cast<double>(spec_.truncation);
      documents.together = spec_.together;
      if (spec_.offset > 0) {
        const auto [least, most] = range_of(query.scores);
        documents.offset = least < most ? spec_.offset : 0.0;
      }
    }
    PairTotals totals;
    auto zeros = [&](std::span<double> to) {
      return to.empty() ? nullptr : (std::fill_n(next, padded, 0.0), std::exchange(next, next + padded));
    };
    const DerivativeColumns sums{zeros(column), zeros(second), &totals.slopes};
    totals.value = rows_(documents, sums);
    auto to_rows = [&](const double* from, std::span<double> to) {
      if (!to.empty()) for_each([&](std::size_t i, std::uint32_t document) { to[document] += from[i]; });
    };
    to_rows(sums.column, column);
    to_rows(sums.second, second);
    return totals;
  }

 private:
  const PairSpec& spec_;
  PairRows rows_;
  std::vector<double> columns_;
};

}  // namespace idealrank
