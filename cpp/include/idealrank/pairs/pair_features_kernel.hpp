// What a document contributes to a pair, as a short vector: the weight of a pair is the dot
// product of its documents' vectors.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/pairs/pair_kernels.hpp"

#include "idealrank/isa/isa_begin.hpp"

// x or 0, without a branch: the side of a document is unpredictable.
IDEALRANK_INLINE double kept_if(bool condition, double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & (~std::uint64_t{condition} + 1));
}
IDEALRANK_INLINE double chosen(bool condition, double yes, double no) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(kept_if(condition, yes)) |
                               std::bit_cast<std::uint64_t>(kept_if(!condition, no)));
}

// The weight w_i of the better document: (w_i) (1). Multiplied by the gap of the labels, y_i - y_j = (y_i - c) + (c - y_j),
// where c lies between the sides so that nothing cancels: (w_i (y_i - c), w_i) (1, c - y_j). If one side has a single label,
// c is that label, and one of the two products is 0.
template <std::size_t kChannels, bool kGap>
class PairFeatures {
 public:
  PairFeatures(const PlacedDocuments& documents, const LabelSplit& split)
      : documents_(documents),
        boundary_(split.boundary),
        low_is_single_(split.boundary - split.lowest == 1),
        between_(documents.labels[kChannels == 2 || low_is_single_ ? split.boundary - 1 : split.boundary]) {}

  bool is_high(std::uint32_t place) const { return documents_.levels[place] >= boundary_; }

  std::array<double, kChannels> operator()(std::uint32_t place, bool high) const {
    const double weight = documents_.weights == nullptr ? 1.0 : chosen(high, documents_.weights[place], 1.0);
    if constexpr (!kGap) {
      return {weight};
    } else {
      const double label =
          documents_.own_labels != nullptr ? documents_.own_labels[place] : documents_.labels[documents_.levels[place]];
      if constexpr (kChannels == 1)
        return {low_is_single_ ? chosen(high, weight * (label - between_), 1.0) : chosen(high, weight, between_ - label)};
      else
        return {chosen(high, weight * (label - between_), 1.0), chosen(high, weight, between_ - label)};
    }
  }

 private:
  const PlacedDocuments& documents_;
  std::uint32_t boundary_;
  bool low_is_single_;
  double between_;
};

// A distance between scores may overflow to infinity. Its product with an empty sum must still be 0.
IDEALRANK_INLINE double times(double distance, double sum) { return sum == 0 ? 0 : distance * sum; }

template <std::size_t kChannels>
inline double product(const std::array<double, kChannels>& a, const std::array<double, kChannels>& b) {
  double sum = a[0] * b[0];
  if constexpr (kChannels == 2) sum += a[1] * b[1];
  return sum;
}

#include "idealrank/isa/isa_end.hpp"
