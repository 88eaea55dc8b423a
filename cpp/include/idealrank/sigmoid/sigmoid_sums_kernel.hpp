// Sums of sigmoids of one list, by the fastest method for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/sigmoid/sigmoid_boxes_kernel.hpp"
#include "idealrank/sigmoid/sigmoid_pairs_kernel.hpp"
#include "idealrank/sigmoid/sigmoid_sorted_kernel.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"

#include "idealrank/isa/isa_begin.hpp"

struct ScoreRange {
  double least, greatest;
};
inline ScoreRange range_of(std::span<const double> scores) {
  Lanes least = broadcast(scores.empty() ? 0 : scores[0]), greatest = least;
  for (std::size_t i = 0; i < scores.size(); i += kLanes) {
    const std::size_t here = std::min(kLanes, scores.size() - i);
    const Lanes x = here == kLanes ? load(scores.data() + i) : load_some(scores.data() + i, here, scores[0]);
    least = where(x < least, x, least);
    greatest = where(x > greatest, x, greatest);
  }
  return {std::min(std::min(least[0], least[1]), std::min(least[2], least[3])),
          std::max(std::max(greatest[0], greatest[1]), std::max(greatest[2], greatest[3]))};
}

// alpha times the range, which may be infinite. The difference of halves cannot overflow.
inline double width_of(ScoreRange range, double alpha) { return (0.5 * range.greatest - 0.5 * range.least) * (2 * alpha); }

class SigmoidList {
 public:
  SigmoidList(std::span<const double> scores, double alpha, SigmoidScratch& scratch) : boxes_(scratch), sorted_(scratch) {
    const ScoreRange range = range_of(scores);
    const auto [least, greatest] = range;
    const double width = width_of(range, alpha);
    if (scores.size() <= SigmoidPairs::kMost && width <= SigmoidPairs::kWidest) {
      way_ = Way::pairs;
      pairs_.arrange(scores, alpha, 0.5 * least + 0.5 * greatest);
    } else if (scores.size() >= kBoxesFrom && boxes_.arrange(scores, alpha, least, greatest)) {
      way_ = Way::boxes;
    } else {
      way_ = Way::sorted;
      sorted_.arrange(scores, alpha, least, width);
    }
  }

  // sums[i] = sum_{j != i} w_j sigma(t_j - t_i), slopes[i] = sum_{j != i} w_j sigma'(t_j - t_i).
  // Without weights, all are 1. If `sums_out` is null, computes only the slopes.
  void sums(const double* weights, double* sums_out, double* slopes_out) {
    switch (way_) {
      case Way::pairs:
        return pairs_.sums(weights, sums_out, slopes_out);
      case Way::boxes:
        return boxes_.sums(weights, sums_out, slopes_out);
      case Way::sorted:
        return sorted_.sums(weights, sums_out, slopes_out);
    }
  }

 private:
  static constexpr std::size_t kBoxesFrom = 512;

  enum class Way { pairs, boxes, sorted };

  Way way_;
  SigmoidPairs pairs_;
  SigmoidBoxes boxes_;
  SigmoidSorted sorted_;
};

inline void sigmoid_sums_of_list(std::span<const double> scores, std::span<const double> weights, double alpha,
                                 std::span<double> sums, std::span<double> slopes, SigmoidScratch& scratch) {
  if (scores.empty()) return;
  SigmoidList(scores, alpha, scratch).sums(weights.empty() ? nullptr : weights.data(), sums.data(), slopes.data());
}

inline void log_sigmoid_sums_of_list(std::span<const double> scores, double alpha, std::span<double> sums,
                                     SigmoidScratch& scratch) {
  if (scores.empty()) return;
  const ScoreRange range = range_of(scores);
  SigmoidSorted sorted(scratch);
  sorted.arrange(scores, alpha, range.least, width_of(range, alpha), true);
  sorted.log_sums(sums.data());
}

#include "idealrank/isa/isa_end.hpp"
