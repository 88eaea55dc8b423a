// Options of a pairwise loss, and the documents of one query that it is computed for.
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

// The factor of a query's sum over the pairs with different labels: 1; 1 / the number of pairs; or log2(1 + S) / S, where S
// is the sum of the absolute derivatives by d, counted for both documents of each pair.
enum class PairNormalize { none, pairs, lambdas };

struct PairSpec {
  PairLoss loss = PairLoss::logistic;
  PairWeight weight = PairWeight::one;
  double scale = 1;  // margin or sigma
  Derivative derivative = Derivative::first;
  PairNormalize normalize = PairNormalize::none;
  // For PairWeight::swap_change, where labels are gains. One document of a pair (with `together`, both) must be
  // among the first `truncation`. If `offset` is not 0, pairs are enumerated, and each is multiplied by 1 /
  // (offset + |d|) unless all scores are equal.
  SwapMeasure swap;
  std::size_t truncation = std::numeric_limits<std::size_t>::max();
  bool together = false;
  double offset = 0;
  // If above 0, changes are means over this many rankings by scores with logistic noise of scale 1 / sigma, and each rank
  // after the first `truncation` counts like the one that follows them (smoothed_pairs.hpp).
  std::size_t n_rankings = 0;
  std::uint64_t seed = 0;
  // For PairWeight::distance: one number per difference of ranks, enough for the longest query; an equal sum of
  // exponentials, without which pairs are enumerated; and whether changes by swaps count too.
  std::span<const double> distances;
  std::optional<RankExponentials> exponentials;
  bool with_swap = true;
  Isa isa = Isa::base;
  double few_pairs = 0;  // pairs are enumerated if a query has at most this many per document

  // Whether the exponentials of scores in this range, and their ratios, are normal numbers; for hinges, whether
  // squared distances do not overflow.
  bool near_enough(double least, double most) const {
    return loss == PairLoss::logistic ? scale * (most - least) < 600 : most - least < 1e150;
  }
};

struct PairQuery {
  std::span<const double> scores, weights;  // `weights` may be empty: all 1
  std::int64_t query = 0, first_row = 0;

  std::size_t n() const { return scores.size(); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

// The smallest and the largest score, without a branch that depends on a score.
inline std::pair<double, double> range_of(std::span<const double> scores) {
  double least = scores[0], most = scores[0];
  for (const double score : scores) {
    least = score < least ? score : least;
    most = score > most ? score : most;
  }
  return {least, most};
}

}  // namespace idealrank
