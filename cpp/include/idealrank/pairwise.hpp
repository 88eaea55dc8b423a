// Pairwise losses of queries: value, derivatives, and curvatures, in near-linear time and linear memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/isa.hpp"
#include "idealrank/label_levels.hpp"
#include "idealrank/label_pairs.hpp"
#include "idealrank/pair_sweep.hpp"
#include "idealrank/swap_change.hpp"
#include "idealrank/top.hpp"

namespace idealrank {

struct PairwiseLists {
  std::span<const double> labels, scores;
  std::span<const std::int64_t> offsets;
  std::span<const double> weights;  // one a document, or none where all are 1
};

struct PairwiseSpec {
  PairLoss loss = PairLoss::logistic;
  PairWeight weight = PairWeight::one;
  double scale = 1;      // margin or sigma
  bool mean = false;     // over the pairs of different labels of a query, instead of their sum
  bool curvature = false;
  SwapMeasure swap;      // for PairWeight::swap_change, where labels are gains; and one document of a pair is among the
  std::size_t truncation = static_cast<std::size_t>(-1);  // first so many
  Isa isa = Isa::base;
};

// Goes through queries one after the other without allocating anew.
class PairwiseQuery {
 public:
  explicit PairwiseQuery(const PairwiseSpec& spec)
      : spec_(spec), sweep_(choose(spec.isa, pair_sweeps_base, pair_sweeps_v3).choose(spec.loss, spec.weight, spec.curvature)) {}

  double operator()(std::span<const double> labels, std::span<const double> scores, std::span<const double> weights,
                    std::span<double> column, std::int64_t query, std::int64_t first_row) {
    const auto order = rank_(scores, scores.size(), query, first_row);
    number_(labels, query, first_row);
    if (number_.counts().size() < 2) {
      std::fill(column.begin(), column.end(), 0.0);
      return 0;
    }
    place(scores, weights, order);
    PlacedDocuments documents{scores.size(), scores_.data(), levels_.data(), weights.empty() ? nullptr : weights_.data(),
                              number_.labels().data(), spec_.scale};
    if (spec_.loss == PairLoss::logistic) {
      find_edges();
      documents.edges = edges_.data();
      documents.decays = decays_.data();
    }
    if (spec_.weight == PairWeight::swap_change) {
      change_(spec_.swap, static_cast<std::size_t>(spec_.swap.depths[static_cast<std::size_t>(query)]), number_.labels(), levels_);
      documents.right = change_.right();
      documents.wrong = change_.wrong();
      documents.truncation = spec_.truncation;
    }
    sums_.assign(scores.size(), 0.0);
    double value = 0;
    split_(levels_, number_.counts(), [&](const LabelSplit& split) { value += sweep_(documents, split, sums_.data()); });

    const double per_pair = spec_.mean ? 1 / n_pairs() : 1.0;
    const double slope = spec_.loss != PairLoss::logistic ? per_pair
                         : spec_.curvature                ? per_pair * spec_.scale * spec_.scale
                                                          : per_pair * spec_.scale;
    for (std::size_t p = 0; p < order.size(); ++p) {
      // Where changes by swaps are 0 rounding may leave a little less.
      column[order[p]] = slope * (spec_.curvature ? std::max(sums_[p], 0.0) : sums_[p]);
    }
    return per_pair * value;
  }

 private:
  // Documents by place.
  void place(std::span<const double> scores, std::span<const double> weights, std::span<const std::uint32_t> order) {
    const std::size_t n = scores.size();
    scores_.resize(n);
    levels_.resize(n);
    for (std::size_t p = 0; p < n; ++p) {
      scores_[p] = scores[order[p]];
      levels_[p] = number_.levels()[order[p]];
    }
    if (weights.empty()) return;
    weights_.resize(n);
    for (std::size_t p = 0; p < n; ++p) weights_[p] = weights[order[p]];
  }

  // Multiples of the greatest power of two that is at most 1 / sigma: exact, and so is the distance of a score from its
  // own. A score with no bits for such a distance is its own edge.
  void find_edges() {
    const double width = std::exp2(std::floor(-std::log2(spec_.scale)));
    edges_.resize(scores_.size());
    decays_.resize(scores_.size());
    for (std::size_t p = 0; p < scores_.size(); ++p) {
      const double boxes = scores_[p] / width;
      edges_[p] = std::abs(boxes) < 0x1p52 ? std::floor(boxes) * width : scores_[p];
      decays_[p] = std::exp(-spec_.scale * (scores_[p] - edges_[p]));
    }
  }

  double n_pairs() const {
    double pairs = 0, below = 0;
    for (const std::uint32_t count : number_.counts()) {
      pairs += below * count;
      below += count;
    }
    return pairs;
  }

  const PairwiseSpec& spec_;
  PairSweep sweep_;
  TopRanker rank_;
  LabelLevels number_;
  LabelSplits split_;
  SwapChange change_;
  std::vector<double> scores_, weights_, edges_, decays_, sums_;
  std::vector<std::uint32_t> levels_;
};

// One value a query; in column, one derivative or second derivative a document.
inline void pairwise(const PairwiseLists& lists, const PairwiseSpec& spec, std::span<double> values, std::span<double> column,
                     int n_threads) {
  for_each_query(lists.offsets, n_threads, [&] {
    return [&, lose = PairwiseQuery(spec)](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const double value = lose(lists.labels.subspan(first, n), lists.scores.subspan(first, n),
                                lists.weights.empty() ? lists.weights : lists.weights.subspan(first, n),
                                column.subspan(first, n), query, begin);
      if (!std::isfinite(value)) throw data_error("the loss is beyond all numbers: scale the scores down", query, -1);
      values[static_cast<std::size_t>(query)] = value;
    };
  });
}

}  // namespace idealrank
