// Hinge losses of all pairs between two sides, in one pass per side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_features_kernel.hpp"

#include "idealrank/isa/isa_begin.hpp"

// Visit the high documents from the best score down. The set of low documents within their margin only grows, and a step of
// g down increases x = margin - (s_i - s_j) by g for all of these. So the sums of x and x^2 follow from those of the
// previous document. No term is negative, which gives full relative accuracy even if violations are few or tiny. Low
// documents are visited from the worst score up, in the same way.
template <std::size_t kChannels>
struct MarginSums {
  std::array<double, kChannels> count{}, sum{}, squares{};

  void deepen(double step) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      squares[c] += times(step, 2 * sum[c] + times(step, count[c]));
      sum[c] += times(step, count[c]);
    }
  }
  void add(const std::array<double, kChannels>& feature, double x) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      count[c] += feature[c];
      sum[c] += times(x, feature[c]);
      squares[c] += times(x * x, feature[c]);
    }
  }
};

// Calls receive(place, feature, sums) for each document of one side, with the sums over the documents of
// the other side within the margin.
template <bool kHigh, std::size_t kChannels, class Receive>
inline void sweep_margin(const PlacedDocuments& documents, const LabelSplit& split, Receive&& receive) {
  const PairFeatures<kChannels, kChannels == 2> features(documents, split);
  const std::span<const std::uint32_t> receivers = kHigh ? split.high : split.low;
  const std::span<const std::uint32_t> sources = kHigh ? split.low : split.high;
  auto from_far_end = [](std::span<const std::uint32_t> side, std::size_t i) {
    return side[kHigh ? i : side.size() - 1 - i];
  };

  MarginSums<kChannels> sums;
  double before = documents.scores[from_far_end(receivers, 0)];
  std::size_t met = 0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const std::uint32_t receiver = from_far_end(receivers, r);
    const double score = documents.scores[receiver];
    documents.stop->before(10);
    sums.deepen(kHigh ? before - score : score - before);
    before = score;
    for (; met < sources.size(); ++met) {
      const std::uint32_t source = from_far_end(sources, met);
      const double other = documents.scores[source];
      const double x = documents.scale - (kHigh ? score - other : other - score);
      if (!(x > 0)) break;
      sums.add(features(source, !kHigh), x);
    }
    receive(receiver, features(receiver, kHigh), sums);
  }
}

template <PairLoss kLoss, std::size_t kChannels, Derivative kDerivative>
double sweep_hinge(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns) {
  constexpr bool kFirst = kDerivative != Derivative::second, kSecond = kDerivative != Derivative::first;
  double* const first = columns.column;
  double* const second = kDerivative == Derivative::both ? columns.second : columns.column;
  using Feature = std::array<double, kChannels>;
  using Sums = MarginSums<kChannels>;
  constexpr bool kSquared = kLoss == PairLoss::squared_hinge;
  double value = 0;
  auto slope = [&](const Feature& feature, const Sums& sums) {
    return kSquared ? 2 * product(feature, sums.sum) : product(feature, sums.count);
  };
  // The second derivative of the hinge is 0 wherever it exists. Use that of x^2 / (2 margin),
  // which has the same slope at d = 0.
  auto bend = [&](const Feature& feature, const Sums& sums) {
    return (kSquared ? 2.0 : 1 / documents.scale) * product(feature, sums.count);
  };
  sweep_margin<true, kChannels>(documents, split, [&](std::uint32_t place, const Feature& feature, const Sums& sums) {
    value += product(feature, kSquared ? sums.squares : sums.sum);
    if constexpr (kFirst) first[place] -= slope(feature, sums);
    if constexpr (kSecond) second[place] += bend(feature, sums);
  });
  sweep_margin<false, kChannels>(documents, split, [&](std::uint32_t place, const Feature& feature, const Sums& sums) {
    if constexpr (kFirst) first[place] += slope(feature, sums);
    if constexpr (kSecond) second[place] += bend(feature, sums);
  });
  return value;
}

#include "idealrank/isa/isa_end.hpp"
