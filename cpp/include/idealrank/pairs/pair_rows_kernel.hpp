// Losses of all pairs of a short list, by enumeration: a row for each document, with all documents that have lower labels.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/sigmoid/sigmoid_series.hpp"

#include "idealrank/isa/isa_begin.hpp"

// log(1 + q) for 0 <= q <= 1, with full relative accuracy.
IDEALRANK_INLINE Lanes log_1_plus(Lanes q) {
  constexpr auto& terms = SigmoidSeries<20>::softplus;
  const Lanes q2 = q * q;
  Lanes odd = broadcast(terms[18]), even = broadcast(terms[19]);
  for (std::size_t k = 18; k > 0; k -= 2) {
    odd = odd * q2 + terms[k - 2];
    even = even * q2 + terms[k - 1];
  }
  return q * (odd + even * q);
}

// For four pairs: the loss, minus its derivative by the better score, and the second derivative. Only those
// that are requested are computed.
struct PairTerms {
  Lanes loss, slope, bend;
};

// exp, bounded to avoid infinity.
IDEALRANK_INLINE Lanes bounded_exp(Lanes x) {
  alignas(sizeof(Lanes)) double each[kLanes];
  store(each, x);
  for (double& one : each) one = std::exp(std::min(one, 700.0));
  return load(each);
}

// Fills `growths` and `shrinks`.
inline void fill_growths(const LabelledDocuments& documents) {
  for (std::size_t i = 0; i < documents.n; i += kLanes) {
    documents.stop->before(10 * kLanes);
    const Lanes growth = exp(documents.scale * (load(documents.scores + i) - documents.middle));
    store(documents.growths + i, growth);
    store(documents.shrinks + i, 1.0 / growth);
  }
}

// kFar: the scores are too far apart for `growths` and `shrinks`.
template <PairLoss kLoss, Derivative kDerivative, bool kFar>
IDEALRANK_INLINE PairTerms pair_terms(const LabelledDocuments& documents, std::size_t better, std::size_t others) {
  const Lanes zero = broadcast(0), ahead = documents.scores[better] - load(documents.scores + others);
  if constexpr (kLoss == PairLoss::logistic) {
    Lanes odds;
    if constexpr (kFar) {
      odds = bounded_exp(-documents.scale * ahead);
    } else {
      odds = documents.shrinks[better] * load(documents.growths + others);
    }
    const Lanes share = 1.0 / (1.0 + odds), slope = odds * share;
    if constexpr (kDerivative != Derivative::first) return {zero, slope, slope * share};
    Lanes inverse;
    if constexpr (kFar) {
      inverse = bounded_exp(documents.scale * ahead);
    } else {
      inverse = documents.growths[better] * load(documents.shrinks + others);
    }
    return {log_1_plus(where(odds < inverse, odds, inverse)) + where(ahead < 0.0, -documents.scale * ahead, zero), slope,
            zero};
  } else {
    const Lanes room = documents.scale - ahead;
    const Lanes inside = where(room > 0.0, room, zero);
    const Lanes active = where(room > 0.0, broadcast(1), zero);
    // The second derivative of the hinge is 0 wherever it exists. Use that of x^2 / (2 margin),
    // which has the same slope at d = 0.
    if constexpr (kLoss == PairLoss::hinge) return {inside, active, active / documents.scale};
    return {inside * inside, 2.0 * inside, 2.0 * active};
  }
}

template <PairWeight kWeight>
IDEALRANK_INLINE Lanes pair_weights(const LabelledDocuments& documents, std::size_t better, std::size_t others) {
  if constexpr (kWeight == PairWeight::one) return broadcast(1);
  const Lanes gap = documents.labels[better] - load(documents.labels + others);
  if constexpr (kWeight == PairWeight::label_gap) return gap;
  // Changes never rise with the rank, so of the two differences, the one that applies to the pair's order is
  // nonnegative and the other is at most 0.
  const Lanes right = documents.right[better] - load(documents.right + others);
  const Lanes wrong = load(documents.wrong + others) - documents.wrong[better];
  const Lanes best_place = load(documents.places + others);
  const bool on_top = documents.places[better] < documents.truncation;
  Lanes counted = broadcast(on_top ? 1 : 0);
  if (on_top == documents.together) counted = where(best_place < documents.truncation, broadcast(1), broadcast(0));
  if (documents.offset > 0) {
    const Lanes ahead = documents.scores[better] - load(documents.scores + others);
    counted = counted / (documents.offset + where(ahead < 0.0, -ahead, ahead));
  }
  const Lanes change = where(right > wrong, right, wrong);
  if constexpr (kWeight == PairWeight::swap_change) return counted * gap * change;
  auto apart = [&](std::size_t lane) {
    return documents
        .distances[static_cast<std::size_t>(std::abs(documents.places[better] - documents.places[others + lane]))];
  };
  return counted * gap * ((documents.with_swap ? change : broadcast(0)) + four(apart(0), apart(1), apart(2), apart(3)));
}

template <PairLoss kLoss, PairWeight kWeight, Derivative kDerivative, bool kFar>
double sum_rows(const LabelledDocuments& documents, const DerivativeColumns& columns) {
  constexpr bool kFirst = kDerivative != Derivative::second, kSecond = kDerivative != Derivative::first;
  double* const first = columns.column;
  double* const second = kDerivative == Derivative::both ? columns.second : columns.column;
  static constexpr std::array<double, 2 * kLanes> kOnes{1, 1, 1, 1, 0, 0, 0, 0};
  double value = 0;
  std::size_t begin = 0;  // the first document with the same label as `better`
  for (std::size_t better = 0; better < documents.n; ++better) {
    if (documents.labels[better] != documents.labels[begin]) begin = better;
    documents.stop->before(begin + 1);
    const double own_weight = documents.weights[better];
    Lanes losses = broadcast(0), slopes = broadcast(0), bends = broadcast(0);
    for (std::size_t others = 0; others < begin; others += kLanes) {
      const Lanes within = load(kOnes.data() + (kLanes - std::min(kLanes, begin - others)));
      const Lanes weights = own_weight * within * pair_weights<kWeight>(documents, better, others);
      const auto [loss, slope, bend] = pair_terms<kLoss, kDerivative, kFar>(documents, better, others);
      if constexpr (kDerivative == Derivative::first) losses += weights * loss;
      if constexpr (kFirst) {
        const Lanes weighted_slope = weights * slope;
        slopes += weighted_slope;
        store(first + others, load(first + others) + weighted_slope);
      }
      if constexpr (kSecond) {
        const Lanes weighted_bend = weights * bend;
        bends += weighted_bend;
        store(second + others, load(second + others) + weighted_bend);
      }
    }
    value += sum(losses);
    if constexpr (kFirst) {
      const double slope = sum(slopes);
      first[better] -= slope;
      *columns.slopes += slope;
    }
    if constexpr (kSecond) second[better] += sum(bends);
  }
  return value;
}

template <PairLoss kLoss, PairWeight kWeight, Derivative kDerivative>
double sum_pair_rows(const LabelledDocuments& documents, const DerivativeColumns& columns) {
  if constexpr (kLoss == PairLoss::logistic) {
    // These weights also support scores that are far apart.
    if constexpr (kWeight == PairWeight::swap_change || kWeight == PairWeight::distance) {
      if (documents.growths == nullptr) return sum_rows<kLoss, kWeight, kDerivative, true>(documents, columns);
    }
    fill_growths(documents);
  }
  return sum_rows<kLoss, kWeight, kDerivative, false>(documents, columns);
}

#include "idealrank/isa/isa_end.hpp"
