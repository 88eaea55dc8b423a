// Which loss of pairs is asked for, and the documents of one query that it is asked of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "idealrank/isa/isa.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

struct PairSpec {
  PairLoss loss = PairLoss::logistic;
  PairWeight weight = PairWeight::one;
  double scale = 1;  // margin or sigma
  Derivative derivative = Derivative::first;
  bool mean = false;  // over the pairs of different labels of a query, instead of their sum
  // For PairWeight::swap_change, where labels are gains; a pair has a document among the first `truncation`.
  SwapMeasure swap;
  std::size_t truncation = std::numeric_limits<std::size_t>::max();
  // For PairWeight::distance, which is taken pair by pair: as many numbers as the longest query has documents.
  std::span<const double> distances;
  double swap_share = 1;
  Isa isa = Isa::base;
  double few_pairs = 0;  // a query with up to so many pairs a document has them taken one by one
};

struct PairQuery {
  std::span<const double> labels, scores, weights;  // weights may be empty: all 1
  std::int64_t query = 0, first_row = 0;

  std::size_t n() const { return labels.size(); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

}  // namespace idealrank
