// Which loss of pairs is asked for, and the documents of one query that it is asked of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "idealrank/isa/isa.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/rank_decays.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// What the sum over the pairs of different labels of a query is multiplied by: 1; 1 / their number; or log2(1 + S) / S, where S
// is the sum of the sizes of all derivatives by d, counted for both documents of a pair.
enum class PairNormalize { none, pairs, lambdas };

struct PairSpec {
  PairLoss loss = PairLoss::logistic;
  PairWeight weight = PairWeight::one;
  double scale = 1;  // margin or sigma
  Derivative derivative = Derivative::first;
  PairNormalize normalize = PairNormalize::none;
  // For PairWeight::swap_change, where labels are gains; a pair has a document among the first `truncation`, or with `together`
  // both. If `offset` is not 0, a pair counts 1 / (offset + |d|) times, unless all scores are equal: pair by pair.
  SwapMeasure swap;
  std::size_t truncation = std::numeric_limits<std::size_t>::max();
  bool together = false;
  double offset = 0;
  // For PairWeight::distance: as many numbers as the longest query has documents; a sum of exponentials that is the same, without
  // which pairs are taken one by one; and whether the changes by swaps count too.
  std::span<const double> distances;
  std::optional<RankExponentials> exponentials;
  bool with_swap = true;
  Isa isa = Isa::base;
  double few_pairs = 0;  // a query with up to so many pairs a document has them taken one by one

  // Whether the exponentials of scores in this range, and their ratios, are normal numbers; for hinges, squared distances.
  bool near_enough(double least, double most) const {
    return loss == PairLoss::logistic ? scale * (most - least) < 600 : most - least < 1e150;
  }
};

struct PairQuery {
  std::span<const double> scores, weights;  // weights may be empty: all 1
  std::int64_t query = 0, first_row = 0;

  std::size_t n() const { return scores.size(); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

// The least and the greatest score, without a branch that depends on one.
inline std::pair<double, double> range_of(std::span<const double> scores) {
  double least = scores[0], most = scores[0];
  for (const double score : scores) {
    least = score < least ? score : least;
    most = score > most ? score : most;
  }
  return {least, most};
}

}  // namespace idealrank
