// Logistic losses of all pairs between two sides, weighted by a sum of exponentials of the difference of their ranks.
//
// A power of q = exp(-|t_i - t_j|) times exp(-rate |r_i - r_j|) is an exponential of the distances in scores and
// in ranks, which both grow along a sweep. So for each power and each rate, the sums over all passed documents
// follow from those at the neighbor.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/pairs/logistic_sweep_kernel.hpp"
#include "idealrank/pairs/pair_features_kernel.hpp"
#include "idealrank/pairs/score_boxes_kernel.hpp"
#include "idealrank/pairs/pair_kernels.hpp"

#include "idealrank/isa/isa_begin.hpp"

static_assert(kRankTermsAtOnce == kLanes);
static_assert(kRankRoom == 3 + 4 * (kTerms + 2));

// The documents of one side that a sweep has passed, relative to the rank of the last of them and to an edge in scores.
// Holds for each rate and channel: the sums of q^k, and if requested, the count and the sum of distances.
template <std::size_t kChannels, bool kCount, bool kDistance>
class FarSide {
 public:
  using Feature = std::array<double, kChannels>;
  static constexpr std::size_t kNumbers = kChannels * (kTerms + 2);  // per rate

  FarSide(const RankDecays& decays, double* room)
      : n_(decays.n), series_(room), counts_(room + n_ * kChannels * kTerms), distances_(counts_ + n_ * kChannels) {
    std::fill_n(room, n_ * kNumbers, 0.0);
  }

  bool empty() const { return last_ == kNone; }
  std::uint32_t last() const { return last_; }

  // Sums over all passed documents. `seen` weights the rates according to the rank of the receiver.
  struct Received {
    Terms series{};
    double count = 0, distance = 0;
  };
  IDEALRANK_INLINE Received receive(const Feature& feature, const double* seen) const {
    // Two rates at a time, so that an addition need not wait for the previous one.
    Terms sums[2][kChannels] = {};
    const double* from = series_;
    for (std::size_t m = 0; m < n_; m += 2) {
      for (std::size_t odd = 0; odd < 2; ++odd) {
        const Lanes share = broadcast(seen[m + odd]);
        for (Terms& own : sums[odd]) {
          for (std::size_t g = 0; g < kGroups; ++g, from += kLanes) own.group[g] += share * load(from);
        }
      }
    }
    Received received;
    for (std::size_t c = 0; c < kChannels; ++c) {
      for (std::size_t g = 0; g < kGroups; ++g)
        received.series.group[g] += feature[c] * (sums[0][c].group[g] + sums[1][c].group[g]);
      if constexpr (kCount) received.count += feature[c] * seen_of(counts_ + c * n_, seen);
      if constexpr (kDistance) received.distance += feature[c] * seen_of(distances_ + c * n_, seen);
    }
    return received;
  }

  // `kept` and `lost` describe how the sums shrink from the last document to this one.
  IDEALRANK_INLINE void add(std::uint32_t rank, const Feature& feature, const Terms& series, double distance,
                            const double* kept, const double* lost) {
    Terms own[kChannels];
    for (std::size_t c = 0; c < kChannels; ++c) {
      for (std::size_t g = 0; g < kGroups; ++g) own[c].group[g] = feature[c] * series.group[g];
    }
    double* to = series_;
    for (std::size_t m = 0; m < n_; ++m) {
      const Lanes rest = broadcast(kept[m]), taken = broadcast(lost[m]);
      for (const Terms& added : own) {
        for (std::size_t g = 0; g < kGroups; ++g, to += kLanes) {
          const Lanes before = load(to);
          store(to, before * rest + (added.group[g] - before * taken));
        }
      }
    }
    for (std::size_t c = 0; c < kChannels; ++c) {
      if constexpr (kCount) shrink_and_add(counts_ + c * n_, kept, lost, feature[c]);
      if constexpr (kDistance) shrink_and_add(distances_ + c * n_, kept, lost, feature[c] * distance);
    }
    last_ = rank;
  }

  // Makes the sums relative to another edge.
  void move(double step, const Terms& decay) {
    if (empty()) return;
    double* at = series_;
    for (std::size_t i = 0; i < n_ * kChannels; ++i) {
      for (std::size_t g = 0; g < kGroups; ++g, at += kLanes) {
        const Lanes moved = load(at) * decay.group[g];
        store(at, where(moved > kTiny, moved, broadcast(0)));
      }
    }
    if constexpr (kDistance) {
      for (std::size_t i = 0; i < n_ * kChannels; ++i) distances_[i] += times(step, counts_[i]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  IDEALRANK_INLINE double seen_of(const double* sums, const double* seen) const {
    Lanes total = broadcast(0);
    for (std::size_t m = 0; m < n_; m += kLanes) total += load(seen + m) * load(sums + m);
    return sum(total);
  }
  IDEALRANK_INLINE void shrink_and_add(double* sums, const double* kept, const double* lost, double added) {
    for (std::size_t m = 0; m < n_; m += kLanes) {
      const Lanes before = load(sums + m);
      store(sums + m, before * load(kept + m) + (added - before * load(lost + m)));
    }
  }

  std::size_t n_;
  double *series_, *counts_, *distances_;
  std::uint32_t last_ = kNone;
};

// How much exponentials of ranks shrink across gaps. Gaps beyond the tables are rare, so their
// rounding errors do not add up.
class RankSteps {
 public:
  explicit RankSteps(const RankDecays& decays) : decays_(decays) { std::fill_n(decays.room, decays.n, 0.0); }

  const double* seen(std::uint32_t gap) const {
    if (gap <= decays_.n_gaps) return decays_.seen + (gap - 1) * decays_.n;
    double* const room = decays_.room + decays_.n;
    for (std::size_t m = 0; m < decays_.n; m += kLanes) store(room + m, load(decays_.amounts + m) * shrunk(m, gap - 1));
    return room;
  }

  struct Shrink {
    const double *kept, *lost;
  };
  Shrink since(std::uint32_t gap) const {
    if (gap <= decays_.n_gaps) return {decays_.kept + (gap - 1) * decays_.n, decays_.lost + (gap - 1) * decays_.n};
    double* const room = decays_.room + 2 * decays_.n;
    for (std::size_t m = 0; m < decays_.n; m += kLanes) store(room + m, shrunk(m, gap));
    return {room, decays_.room};
  }

 private:
  IDEALRANK_INLINE Lanes shrunk(std::size_t m, std::uint32_t gap) const {
    return exp(load(decays_.rates + m) * -static_cast<double>(gap));
  }

  const RankDecays& decays_;
};

// Like sweep_logistic_one_way.
template <std::size_t kChannels, Derivative kDerivative, bool kUp>
double sweep_distance_one_way(const PlacedDocuments& documents, const LabelSplit& split, const RankDecays& decays,
                              const DerivativeColumns& columns) {
  constexpr bool kFirst = kDerivative != Derivative::second, kSecond = kDerivative != Derivative::first;
  constexpr bool kValue = kDerivative == Derivative::first && kUp;
  double* const first = columns.column;
  double* const second = kDerivative == Derivative::both ? columns.second : columns.column;
  const PairFeatures<kChannels, true> features(documents, split);
  const RankSteps steps(decays);
  // A pair is misordered if its source is high in an upward sweep, or low in a downward one.
  using Misordered = FarSide<kChannels, kFirst, kValue>;
  using Ordered = FarSide<kChannels, false, false>;
  double* const room = decays.room + 3 * decays.n;
  Misordered misordered(decays, room);
  Ordered ordered(decays, room + decays.n * Misordered::kNumbers);

  const ScoreEdges edge_of(documents.scale);
  double edge = edge_of(documents.scores[split.all[kUp ? split.all.size() - 1 : 0]]);
  double value = 0, slopes = 0;
  Lanes values = broadcast(0);
  for (std::size_t i = 0; i < split.all.size(); ++i) {
    documents.stop->before(20 * decays.n);
    const std::uint32_t place = split.all[kUp ? split.all.size() - 1 - i : i];
    const std::uint32_t rank = documents.ranks == nullptr ? place : documents.ranks[place];
    const double own_edge = edge_of(documents.scores[place]);
    if (own_edge != edge) {
      const double step = documents.scale * std::abs(own_edge - edge);
      const Terms decay = powers(std::exp(-step));
      misordered.move(step, decay);
      ordered.move(step, decay);
      edge = own_edge;
    }

    const bool high = features.is_high(place);
    const auto feature = features(place, high);
    const double above = documents.scale * (documents.scores[place] - edge);
    const double decay = documents.decays[place], growth = 1 / decay;
    const bool on_top = place < documents.truncation;
    auto gap_to = [&](const auto& side) { return kUp ? side.last() - rank : rank - side.last(); };
    auto receive_from = [&](const auto& side, bool is_misordered) {
      if (side.empty()) return;
      const auto received = side.receive(feature, steps.seen(gap_to(side)));
      Terms series = powers(kUp ? decay : growth);
      for (std::size_t g = 0; g < kGroups; ++g) series.group[g] *= received.series.group[g];
      if constexpr (kSecond) second[place] += sum(weighted(Series::slope, series));
      if constexpr (kFirst) {
        const double slope = kept_if(is_misordered, received.count) - sum(weighted(Series::tail, series));
        first[place] += kUp ? slope : -slope;
        if constexpr (kUp) slopes += std::abs(slope);
      }
      if constexpr (kValue) {
        values += weighted(Series::softplus, series);
        value += kept_if(is_misordered, received.distance + above * received.count);
      }
    };
    auto add_to = [&](auto& side) {
      // For the first document of a side, there is nothing to shrink.
      const auto [kept, lost] = steps.since(side.empty() ? 1 : gap_to(side));
      side.add(rank, feature, powers(kUp ? growth : decay), kUp ? -above : above, kept, lost);
    };
    if ((!kUp && !documents.together) || on_top) {
      if (high == kUp) {
        receive_from(ordered, false);
      } else {
        receive_from(misordered, true);
      }
    }
    if ((kUp && !documents.together) || on_top) {
      if (high == kUp) {
        add_to(misordered);
      } else {
        add_to(ordered);
      }
    }
  }
  if constexpr (kFirst) *columns.slopes += slopes;
  return value + sum(values);
}

template <std::size_t kChannels, Derivative kDerivative>
double sweep_distance_both_ways(const PlacedDocuments& documents, const LabelSplit& split, const RankDecays& decays,
                                const DerivativeColumns& columns) {
  const double value = sweep_distance_one_way<kChannels, kDerivative, true>(documents, split, decays, columns);
  sweep_distance_one_way<kChannels, kDerivative, false>(documents, split, decays, columns);
  return value;
}

template <Derivative kDerivative>
double sweep_distance(const PlacedDocuments& documents, const LabelSplit& split, const RankDecays& decays,
                      const DerivativeColumns& columns) {
  return split.has_single_level() ? sweep_distance_both_ways<1, kDerivative>(documents, split, decays, columns)
                                  : sweep_distance_both_ways<2, kDerivative>(documents, split, decays, columns);
}

#include "idealrank/isa/isa_end.hpp"
