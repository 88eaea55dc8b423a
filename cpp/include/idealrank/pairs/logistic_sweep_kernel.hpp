// Logistic losses of all pairs between two sides, in one upward and one downward sweep.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_features_kernel.hpp"
#include "idealrank/pairs/score_boxes_kernel.hpp"
#include "idealrank/sigmoid/sigmoid_series.hpp"

#include "idealrank/isa/isa_begin.hpp"

inline constexpr std::size_t kTerms = 20;
inline constexpr std::size_t kGroups = kTerms / kLanes;
using Series = SigmoidSeries<kTerms>;

// One number for each of q, q^2, ..., q^kTerms.
struct Terms {
  Lanes group[kGroups];
};

IDEALRANK_INLINE Terms powers(double q) {
  const double q2 = q * q, q4 = q2 * q2;
  Terms terms;
  terms.group[0] = four(q, q2, q2 * q, q4);
  for (std::size_t g = 1; g < kGroups; ++g) terms.group[g] = terms.group[g - 1] * q4;
  return terms;
}

// Multiplies the terms by their coefficients and adds them up, except for the final sum over lanes.
IDEALRANK_INLINE Lanes weighted(const std::array<double, kTerms>& coefficients, const Terms& terms) {
  Lanes total = load(coefficients.data()) * terms.group[0];
  for (std::size_t g = 1; g < kGroups; ++g) total += load(coefficients.data() + g * kLanes) * terms.group[g];
  return total;
}

// Smaller terms count as 0: denormal numbers would be slow and imprecise.
inline constexpr double kTiny = 1e-280;

// Sums over the documents j that a sweep has passed, with a coefficient c_j each, relative to
// an edge at t, where t = sigma s:
//   series    c_j exp(-k |t - t_j|), k = 1 ... kTerms
//   count     c_j
//   distance  c_j |t - t_j|
// Adding many terms of similar size accumulates rounding errors, so `recent` is regularly moved to `settled`.
struct PassedSums {
  Terms settled{}, recent{};
  double count = 0, distance = 0;

  IDEALRANK_INLINE void add(double coefficient, const Terms& series, double distance_from_edge) {
    for (std::size_t g = 0; g < kGroups; ++g) recent.group[g] += coefficient * series.group[g];
    count += coefficient;
    distance += coefficient * distance_from_edge;
  }
  IDEALRANK_INLINE void add_to(Terms& series, double coefficient) const {
    for (std::size_t g = 0; g < kGroups; ++g) series.group[g] += coefficient * (settled.group[g] + recent.group[g]);
  }
  void settle() {
    for (std::size_t g = 0; g < kGroups; ++g) settled.group[g] += recent.group[g];
    recent = Terms{};
  }
  // Makes the sums relative to another edge. Must be settled.
  void move(double step, const Terms& decay) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      const Lanes moved = settled.group[g] * decay.group[g];
      settled.group[g] = where(moved > kTiny, moved, broadcast(0));
    }
    distance += times(step, count);
  }
  // Adds a multiple of other sums. Both must be settled.
  void add(double factor, const PassedSums& other) {
    for (std::size_t g = 0; g < kGroups; ++g) settled.group[g] += factor * other.settled.group[g];
    count += factor * other.count;
    distance += factor * other.distance;
  }
};

// The documents of one side that a sweep has passed. With kSwap, a pair is weighted by |change_x - change_j|.
// Changes rise along a sweep, and change_x - change_j = (change_x - change) + (change - change_j), where
// `change` is the value at the edge.
template <std::size_t kChannels, bool kSwap>
class PassedSide {
 public:
  using Feature = std::array<double, kChannels>;

  IDEALRANK_INLINE void add(const Feature& feature, const Terms& series, double distance, double change) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      plain_[c].add(feature[c], series, distance);
      if constexpr (kSwap) changed_[c].add(feature[c] * (change_ - change), series, distance);
    }
  }

  // The sums over all pairs with one document at the edge.
  struct Received {
    Terms series{};
    double count = 0, distance = 0;
  };
  IDEALRANK_INLINE Received receive(const Feature& feature, double change) const {
    Received received;
    auto take = [&](const PassedSums& sums, double coefficient) {
      sums.add_to(received.series, coefficient);
      received.count += coefficient * sums.count;
      received.distance += coefficient * sums.distance;
    };
    for (std::size_t c = 0; c < kChannels; ++c) {
      take(plain_[c], kSwap ? feature[c] * (change - change_) : feature[c]);
      if constexpr (kSwap) take(changed_[c], feature[c]);
    }
    return received;
  }

  void settle() {
    for (std::size_t c = 0; c < kChannels; ++c) {
      plain_[c].settle();
      if constexpr (kSwap) changed_[c].settle();
    }
  }

  void move(double step, const Terms& decay, double change) {
    settle();
    for (std::size_t c = 0; c < kChannels; ++c) {
      if constexpr (kSwap) {
        changed_[c].add(change - change_, plain_[c]);
        changed_[c].move(step, decay);
      }
      plain_[c].move(step, decay);
    }
    change_ = change;
  }

 private:
  std::array<PassedSums, kChannels> plain_{};
  std::array<PassedSums, kSwap ? kChannels : 0> changed_{};
  double change_ = 0;
};

inline constexpr std::size_t kSettleAfter = 512;

// Consider a pair at the distance d >= 0 in t, and q = exp(-d). If its better document is above, its loss is log(1 + q)
// and the absolute slope is q / (1 + q); otherwise d + log(1 + q) and 1 - q / (1 + q). Sums of q^k over all passed
// documents give the sums of these. In the upward sweep, each document receives the sums over those below it; in the
// downward sweep, over those above.
template <std::size_t kChannels, bool kGap, bool kSwap, Derivative kDerivative, bool kUp>
double sweep_logistic_one_way(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns) {
  constexpr bool kFirst = kDerivative != Derivative::second, kSecond = kDerivative != Derivative::first;
  double* const first = columns.column;
  double* const second = kDerivative == Derivative::both ? columns.second : columns.column;
  const PairFeatures<kChannels, kGap> features(documents, split);
  PassedSide<kChannels, kSwap> sides[2];  // low, high
  // For pairs with a low source, and with a high source. In an upward sweep, the source is below the receiver.
  const double* const changes[2] = {kUp ? documents.right : documents.wrong, kUp ? documents.wrong : documents.right};
  auto change_of = [&](bool high, std::uint32_t place) {
    return !kSwap ? 0.0 : kUp ? changes[high][place] : -changes[high][place];
  };
  const ScoreEdges edge_of(documents.scale);
  double edge = edge_of(documents.scores[split.all[kUp ? split.all.size() - 1 : 0]]);
  double value = 0, slopes = 0;
  Lanes values = broadcast(0);
  for (std::size_t i = 0; i < split.all.size(); ++i) {
    if (i % kSettleAfter == 0) documents.stop->before(40 * kSettleAfter);
    const std::uint32_t place = split.all[kUp ? split.all.size() - 1 - i : i];
    const double own_edge = edge_of(documents.scores[place]);
    if (own_edge != edge) {
      const double step = documents.scale * std::abs(own_edge - edge);
      const Terms decay = powers(std::exp(-step));
      for (const bool high : {false, true}) sides[high].move(step, decay, change_of(high, place));
      edge = own_edge;
    } else if (i % kSettleAfter == 0) {
      for (auto& side : sides) side.settle();
    }

    const bool high = features.is_high(place);
    const auto feature = features(place, high);
    const double above = documents.scale * (documents.scores[place] - edge);
    const double decay = documents.decays[place], growth = 1 / decay;
    const bool on_top = !kSwap || place < documents.truncation;
    if ((!kUp && !documents.together) || on_top) {
      const auto received = sides[!high].receive(feature, change_of(!high, place));
      Terms series = powers(kUp ? decay : growth);
      for (std::size_t g = 0; g < kGroups; ++g) series.group[g] *= received.series.group[g];
      const bool misordered = kUp != high;
      if constexpr (kSecond) second[place] += sum(weighted(Series::slope, series));
      if constexpr (kFirst) {
        const double slope = kept_if(misordered, received.count) - sum(weighted(Series::tail, series));
        first[place] += kUp ? slope : -slope;
        if constexpr (kUp) slopes += std::abs(slope);  // each pair is counted once, in the upward sweep
      }
      if constexpr (kDerivative == Derivative::first && kUp) {
        values += weighted(Series::softplus, series);
        value += kept_if(misordered, received.distance + above * received.count);
      }
    }
    if ((kUp && !documents.together) || on_top)
      sides[high].add(feature, powers(kUp ? growth : decay), kUp ? -above : above, change_of(high, place));
  }
  if constexpr (kFirst) *columns.slopes += slopes;
  return value + sum(values);
}

template <std::size_t kChannels, bool kGap, bool kSwap, Derivative kDerivative>
double sweep_logistic_both_ways(const PlacedDocuments& documents, const LabelSplit& split,
                                const DerivativeColumns& columns) {
  const double value = sweep_logistic_one_way<kChannels, kGap, kSwap, kDerivative, true>(documents, split, columns);
  sweep_logistic_one_way<kChannels, kGap, kSwap, kDerivative, false>(documents, split, columns);
  return value;
}

template <bool kGap, bool kSwap, Derivative kDerivative>
double sweep_logistic(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns) {
  if constexpr (kGap) {
    if (!split.has_single_level()) return sweep_logistic_both_ways<2, true, kSwap, kDerivative>(documents, split, columns);
  }
  return sweep_logistic_both_ways<1, kGap, kSwap, kDerivative>(documents, split, columns);
}

#include "idealrank/isa/isa_end.hpp"
