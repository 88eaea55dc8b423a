// Logistic losses of pairs, weighted by the mean change of a measure over several rankings.
#pragma once

#include <cstddef>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_rows_kernel.hpp"

#include "idealrank/isa/isa_begin.hpp"

// The mean over the rankings of |worth of one document - worth of four others|.
IDEALRANK_INLINE Lanes mean_changes(const SmoothedDocuments& documents, std::size_t one, std::size_t others) {
  if (others >= documents.n_near) return broadcast(documents.means[one]);
  Lanes total = broadcast(0);
  for (std::size_t r = 0; r < documents.n_rankings; ++r) {
    const double* const worths = documents.worths + r * documents.stride;
    const Lanes gap = worths[one] - load(worths + others);
    total += where(gap < 0.0, -gap, gap);
  }
  return total * documents.share;
}

// Visits the pairs with at least one of the first `n_near` documents; all others have no weight.
template <Derivative kDerivative, bool kFar>
double sum_smoothed(const SmoothedDocuments& documents, const DerivativeColumns& columns) {
  constexpr bool kFirst = kDerivative != Derivative::second, kSecond = kDerivative != Derivative::first;
  double* const first = columns.column;
  double* const second = kDerivative == Derivative::both ? columns.second : columns.column;
  const Lanes zero = broadcast(0);
  double value = 0;
  for (std::size_t one = 0; one < documents.n_near; ++one) {
    documents.stop->before(documents.n - one);
    Lanes losses = zero, slopes = zero, signed_slopes = zero, bends = zero;
    for (std::size_t others = one + 1; others < documents.n; others += kLanes) {
      // The padding has the label of `one`, so that its gaps are 0.
      const std::size_t n_here = documents.n - others;
      const Lanes labels = n_here < kLanes ? load_some(documents.labels + others, n_here, documents.labels[one])
                                           : load(documents.labels + others);
      const Lanes gap = documents.labels[one] - labels;
      const auto is_better = gap > 0.0;
      const Lanes own_weights = where(is_better, broadcast(documents.weights[one]), load(documents.weights + others));
      const Lanes weights = where(is_better, gap, -gap) * own_weights * mean_changes(documents, one, others);
      const Lanes ahead = documents.scores[one] - load(documents.scores + others);
      const Lanes margin = documents.scale * where(is_better, ahead, -ahead);
      Lanes odds;
      if constexpr (kFar) {
        odds = bounded_exp(-margin);
      } else {
        odds = where(is_better, documents.shrinks[one] * load(documents.growths + others),
                     documents.growths[one] * load(documents.shrinks + others));
      }
      const Lanes share = 1.0 / (1.0 + odds), slope = weights * odds * share;
      if constexpr (kDerivative == Derivative::first) {
        const Lanes inverse = kFar ? bounded_exp(margin) : 1.0 / odds;
        losses += weights * (log_1_plus(where(odds < inverse, odds, inverse)) + where(margin < 0.0, -margin, zero));
      }
      if constexpr (kFirst) {
        const Lanes signed_slope = where(is_better, slope, -slope);
        slopes += slope;
        signed_slopes += signed_slope;
        store(first + others, load(first + others) + signed_slope);
      }
      if constexpr (kSecond) {
        const Lanes bend = slope * share;
        bends += bend;
        store(second + others, load(second + others) + bend);
      }
    }
    value += sum(losses);
    if constexpr (kFirst) {
      first[one] -= sum(signed_slopes);
      *columns.slopes += sum(slopes);
    }
    if constexpr (kSecond) second[one] += sum(bends);
  }
  return value;
}

inline double sum_smoothed_pairs(const SmoothedDocuments& documents, Derivative derivative, const DerivativeColumns& columns) {
  const bool far = documents.growths == nullptr;
  if (derivative == Derivative::first)
    return far ? sum_smoothed<Derivative::first, true>(documents, columns)
               : sum_smoothed<Derivative::first, false>(documents, columns);
  if (derivative == Derivative::second)
    return far ? sum_smoothed<Derivative::second, true>(documents, columns)
               : sum_smoothed<Derivative::second, false>(documents, columns);
  return far ? sum_smoothed<Derivative::both, true>(documents, columns)
             : sum_smoothed<Derivative::both, false>(documents, columns);
}

#include "idealrank/isa/isa_end.hpp"
