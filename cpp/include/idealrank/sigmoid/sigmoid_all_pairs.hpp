// Sums of sigmoids that have no short series, by enumerating all pairs: O(n^2) time and no memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "idealrank/stop.hpp"

namespace idealrank {

// 1/2 + arctan(d) / pi: its tails fall as 1 / d.
struct ArctanSigmoid {
  static double value(double d) { return 0.5 + std::atan(d) * std::numbers::inv_pi; }
  static double slope(double d) { return std::numbers::inv_pi / (1 + d * d); }
};

// (1 + erf(d)) / 2: its tails fall as exp(-d^2).
struct ErfSigmoid {
  static double value(double d) { return 0.5 * std::erfc(-d); }
  static double slope(double d) { return std::numbers::inv_sqrtpi * std::exp(-d * d); }
};

// sums[i] = sum_{j != i} w_j sigma(t_j - t_i), and slopes[i] is the same for sigma', where t =
// alpha s. Without weights, all are 1.
template <class Sigmoid>
void sigmoid_all_pairs(std::span<const double> scores, std::span<const double> weights, double alpha, std::span<double> sums,
                       std::span<double> slopes, Stop& stop) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double sum = 0, slope = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (j == i) continue;
      stop.before(20);
      const double d = (0.5 * scores[j] - 0.5 * scores[i]) * (2 * alpha);  // the difference of halves cannot overflow
      const double w = weights.empty() ? 1 : weights[j];
      sum += w * Sigmoid::value(d);
      slope += w * Sigmoid::slope(d);
    }
    sums[i] = sum;
    slopes[i] = slope;
  }
}

}  // namespace idealrank
