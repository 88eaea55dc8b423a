// The pairs of one query by sweeps over documents sorted by score: near-linear time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/pairs/label_pairs.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Goes through queries one after the other without allocating anew.
class PairsByScore {
 public:
  explicit PairsByScore(const PairSpec& spec, const Stop& stop = {})
      : spec_(spec),
        stop_(stop),
        sweep_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).sweep(spec.loss, spec.weight, spec.derivative)),
        split_(stop) {}

  // The sum of all pairs; into the columns, sums of derivatives by sigma s, or s for hinges. order: best score first.
  double operator()(const PairQuery& query, std::span<const std::uint32_t> order, const LabelLevels& levels,
                    const SwapChange& change, std::span<double> column, std::span<double> second) {
    place(query, order, levels.levels());
    PlacedDocuments documents;
    documents.stop = &stop_;
    documents.n = query.n();
    documents.scores = scores_.data();
    documents.levels = levels_.data();
    documents.weights = query.weights.empty() ? nullptr : weights_.data();
    documents.labels = levels.labels().data();
    documents.scale = spec_.scale;
    if (spec_.loss == PairLoss::logistic) {
      find_edges();
      documents.edges = edges_.data();
      documents.decays = decays_.data();
    }
    documents.right = change.right();
    documents.wrong = change.wrong();
    documents.truncation = spec_.truncation;
    documents.together = spec_.together;

    stop_.before(2 * query.n());
    std::fill(column.begin(), column.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    slopes_ = 0;
    const DerivativeColumns columns{column.data(), second.data(), &slopes_};
    double value = 0;
    split_(levels_, levels.counts(), [&](const LabelSplit& split) { value += sweep_(documents, split, columns); });
    to_rows(order, column);
    if (!second.empty()) to_rows(order, second);
    return value;
  }

  // Of the last query: the sum over pairs of the sizes of derivatives, of logistic losses.
  double slopes() const { return slopes_; }

 private:
  // From places to rows; the scores have been used.
  void to_rows(std::span<const std::uint32_t> order, std::span<double> column) {
    stop_.before(2 * order.size());
    std::copy(column.begin(), column.end(), scores_.begin());
    for_each_part(order.size(), stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) column[order[p]] = scores_[p];
    });
  }

  void place(const PairQuery& query, std::span<const std::uint32_t> order, std::span<const std::uint32_t> levels) {
    const std::size_t n = query.n();
    stoppable_resize(scores_, n, stop_);
    stoppable_resize(levels_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) {
        scores_[p] = query.scores[order[p]];
        levels_[p] = levels[order[p]];
      }
    });
    if (query.weights.empty()) return;
    stoppable_resize(weights_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) weights_[p] = query.weights[order[p]];
    });
  }

  // Multiples of the greatest power of two that is at most 1 / sigma: exact, and so is the distance of a score from its
  // own. A score with no bits for such a distance is its own edge.
  void find_edges() {
    const double width = std::exp2(std::floor(-std::log2(spec_.scale)));
    stoppable_resize(edges_, scores_.size(), stop_);
    stoppable_resize(decays_, scores_.size(), stop_);
    for (std::size_t p = 0; p < scores_.size(); ++p) {
      stop_.before(10);
      const double boxes = scores_[p] / width;
      edges_[p] = std::abs(boxes) < 0x1p52 ? std::floor(boxes) * width : scores_[p];
      decays_[p] = std::exp(-spec_.scale * (scores_[p] - edges_[p]));
    }
  }

  const PairSpec& spec_;
  Stop stop_;
  PairSweep sweep_;
  LabelSplits split_;
  double slopes_ = 0;
  std::vector<double> scores_, weights_, edges_, decays_;
  std::vector<std::uint32_t> levels_;
};

}  // namespace idealrank
