// Logistic losses of all pairs of two sides, in one sweep up and one down.
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

// Numbers that belong to q, q^2, ..., q^kTerms.
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

// The terms times their coefficients, before the last sum.
IDEALRANK_INLINE Lanes weighted(const std::array<double, kTerms>& coefficients, const Terms& terms) {
  Lanes total = load(coefficients.data()) * terms.group[0];
  for (std::size_t g = 1; g < kGroups; ++g) total += load(coefficients.data() + g * kLanes) * terms.group[g];
  return total;
}

// Below this a term counts as 0: smaller numbers are slow, and no longer precise.
inline constexpr double kTiny = 1e-280;

// Sums over documents j that a sweep has passed, each with a coefficient c_j, seen from an edge at t, where t = sigma s:
//   series    c_j exp(-k |t - t_j|), k = 1 ... kTerms
//   count     c_j
//   distance  c_j |t - t_j|
// Many additions of one size would drift from their sum: `recent` is emptied into `settled` from time to time.
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
  // As seen from another edge; to be settled before.
  void move(double step, const Terms& decay) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      const Lanes moved = settled.group[g] * decay.group[g];
      settled.group[g] = where(moved > kTiny, moved, broadcast(0));
    }
    distance += times(step, count);
  }
  // Adds a multiple of other sums; both to be settled before.
  void add(double factor, const PassedSums& other) {
    for (std::size_t g = 0; g < kGroups; ++g) settled.group[g] += factor * other.settled.group[g];
    count += factor * other.count;
    distance += factor * other.distance;
  }
};

// The documents of one side that a sweep has passed. With kSwap a pair counts |change_x - change_j| times: changes rise
// along a sweep, and change_x - change_j = (change_x - change) + (change - change_j), where `change` was met at the edge.
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

  // The sums of all pairs with a document at the edge.
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

// A pair at the distance d >= 0 in t, q = exp(-d), has the loss log(1 + q) and the slope q / (1 + q) by its better
// document where this is above; else d + log(1 + q) and 1 - q / (1 + q). Sums of q^k over all documents passed give sums
// of each. Upwards, each document receives from those below it; downwards, from those above.
template <std::size_t kChannels, bool kGap, bool kSwap, Derivative kDerivative, bool kUp>
double sweep_logistic_one_way(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns) {
  constexpr bool kFirst = kDerivative != Derivative::second, kSecond = kDerivative != Derivative::first;
  double* const first = columns.column;
  double* const second = kDerivative == Derivative::both ? columns.second : columns.column;
  const PairFeatures<kChannels, kGap> features(documents, split);
  PassedSide<kChannels, kSwap> sides[2];  // low, high
  // Of pairs whose source is low, and high: a source is below the receiver in an upward sweep.
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
        if constexpr (kUp) slopes += std::abs(slope);  // that of a pair is received once upwards
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
