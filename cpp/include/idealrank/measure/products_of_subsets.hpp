// Means of the products of j of t numbers, for many j: what is left after j steps of a random order of tied documents.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// e_j, the mean over all choices of j of the factors f_1, ..., f_t, 0 <= f <= 1, of the product of the chosen ones:
// elementary symmetric means. They fall with j; one below 1e-20 and all after it count as 0.
class ProductsOfSubsets {
 public:
  explicit ProductsOfSubsets(Stop stop = {}) : stop_(stop) {}

  // e_0, ..., e_depth; depth <= factors.size(). Sorts the factors.
  std::span<const double> operator()(std::vector<double>& factors, std::size_t depth) {
    stoppable_sort(factors.begin(), factors.end(), std::greater<>(), stop_);
    list_levels(factors);
    means_.assign(depth + 1, 0.0);
    // As measured: a node of the integrals costs as much as 40 steps of the recurrence for each level, and so does what
    // it adds to 10 means.
    const auto steps = static_cast<double>(factors.size()) * static_cast<double>(depth);
    const double windows = 2 * std::sqrt(static_cast<double>(depth)) + 1, n_levels = static_cast<double>(levels_.size());
    const double nodes = kNodes * (40 * n_levels * windows + 4 * static_cast<double>(depth));
    if (depth <= 4 * kFirst || steps <= nodes) {
      recur(factors, depth);
    } else {
      recur(factors, kFirst);
      integrate(factors.size(), kFirst, depth);
    }
    return means_;
  }

 private:
  static constexpr double kNegligible = 1e-20;
  static constexpr std::size_t kFirst = 64;  // means that are always found by the recurrence
  static constexpr double kNodes = 32;       // of an integral, about

  struct Level {
    double factor, count;
  };

  void list_levels(const std::vector<double>& sorted) {
    levels_.clear();
    for (const double factor : sorted) {
      if (levels_.empty() || levels_.back().factor != factor) levels_.push_back({factor, 0});
      levels_.back().count += 1;
    }
  }

  // One factor after the other, by convex combinations. The largest come first, so that a mean only falls from then on.
  void recur(const std::vector<double>& factors, std::size_t depth) {
    // As long as the factors are 1, so are the means.
    const auto ones = static_cast<std::size_t>(
        std::find_if(factors.begin(), factors.end(), [](double factor) { return factor != 1; }) - factors.begin());
    std::size_t deepest = std::min(ones, depth);
    std::fill_n(means_.begin(), deepest + 1, 1.0);
    for (std::size_t i = ones; i < factors.size(); ++i) {
      const auto t = static_cast<double>(i + 1);
      if (deepest < depth && (deepest == i || means_[deepest] > kNegligible)) ++deepest;
      stop_.before(2 * deepest + 1);
      for (std::size_t j = deepest; j > 0; --j) {
        const auto taken = static_cast<double>(j);
        means_[j] = ((t - taken) * means_[j] + taken * factors[i] * means_[j - 1]) / t;
      }
      while (deepest > 0 && means_[deepest] < kNegligible) means_[deepest--] = 0;
    }
  }

  // C(t, j) e_j is the coefficient of x^j in P(x) = prod (1 + f x), and by Cauchy's formula
  //   r^-j / (2 pi) int P(r exp(i phi)) exp(-i j phi) d phi.
  // With the radius at which P(r) is mostly x^j for j near the middle of a window, the integrand is a bell of the width
  // 1 / sd, for which the trapezoidal rule is exact to rounding with some 30 points. A window begins at a mean that is known,
  // to which the others are compared: no factorial and no power of r is ever large.
  void integrate(std::size_t n, std::size_t first, std::size_t last) {
    const auto t = static_cast<double>(n);
    const double n_zero = levels_.back().factor == 0 ? levels_.back().count : 0;
    last = std::min(last, n - static_cast<std::size_t>(n_zero));  // any more have a factor 0 among them
    double radius = 1;
    std::size_t step = kFirst / 4;
    for (std::size_t begin = first; begin < last && means_[begin] >= kNegligible;) {
      for (bool fits = false; !fits;) {
        step = std::min(step, last - begin);
        radius = radius_of(static_cast<double>(begin) + static_cast<double>(step) / 2, radius);
        set_sd(radius);
        const auto most = static_cast<std::size_t>(std::max(2 * sd_, 1.0));
        fits = step <= 2 * most;
        if (!fits) step = most;
      }
      list_nodes(radius, static_cast<double>(begin));
      double ratio = means_[begin] / coefficient();  // e_begin r^(begin - j) C(t, begin) / C(t, j)
      for (std::size_t j = begin + 1; j <= begin + step; ++j) {
        const auto taken = static_cast<double>(j);
        ratio *= taken / ((t - taken + 1) * radius);
        for (Node& node : nodes_) node.value *= node.turn;
        // Neither above the one before nor negative, whatever is rounded.
        means_[j] = std::min(std::max(ratio * coefficient(), 0.0), means_[j - 1]);
      }
      begin += step;
      step = static_cast<std::size_t>(std::max(2 * sd_, 1.0));
    }
    const auto negligible = std::find_if(means_.begin(), means_.end(), [](double mean) { return mean < kNegligible; });
    std::fill(negligible, means_.end(), 0.0);
  }

  // Where sum f r / (1 + f r), the mean number of factors in P(r), is j: it rises with r. By bisection of log r.
  double radius_of(double j, double guess) const {
    auto number = [&](double r) {
      double sum = 0;
      for (const auto& [factor, count] : levels_) sum += count * (factor * r / (1 + factor * r));
      return sum;
    };
    double low = guess, high = guess;
    while (number(low) > j && low > 1e-150) low /= 4;
    while (number(high) < j && high < 1e150) high *= 4;
    for (int i = 0; i < 60 && high / low > 1 + 1e-9; ++i) {
      const double middle = std::sqrt(low * high);
      (number(middle) < j ? low : high) = middle;
    }
    return std::sqrt(low * high);
  }

  // The standard deviation of the number of factors in P(r).
  void set_sd(double radius) {
    double variance = 0;
    for (const auto& [factor, count] : levels_) {
      const double share = factor * radius / (1 + factor * radius);
      variance += count * share * (1 - share);
    }
    sd_ = std::sqrt(variance);
  }

  // A point phi > 0, P(r exp(i phi)) exp(-i j phi) / P(r) there, and what takes it to the next j.
  struct Node {
    std::complex<double> value, turn;
  };

  void list_nodes(double radius, double j) {
    n_points_ = std::ceil(24 * sd_ + 64);  // coefficients so far away are added to ours
    nodes_.clear();
    for (double k = 1; k <= n_points_ / 2; ++k) {
      stop_.before(60 * levels_.size());
      const double phi = 2 * std::numbers::pi * k / n_points_;
      // 1 - cos(phi), without loss for small phi
      const double versine = 2 * std::sin(phi / 2) * std::sin(phi / 2), sine = std::sin(phi);
      double log_size = 0, angle = 0;
      for (const auto& [factor, count] : levels_) {
        const double x = factor * radius, one = 1 + x;
        // |1 + x exp(i phi)|^2 = (1 + x)^2 - 2 x (1 - cos phi)
        log_size += count * 0.5 * std::log1p(std::max(-2 * (x / one) / one * versine, -1.0));
        angle += count * std::atan2(x / one * sine, 1 - x / one * versine);
      }
      if (log_size < -46) break;
      const bool opposite = 2 * k == n_points_;  // the only point that counts once
      nodes_.push_back({std::polar((opposite ? 1.0 : 2.0) * std::exp(log_size), angle - j * phi), std::polar(1.0, -phi)});
    }
  }

  // Of x^j in P(r x) / P(r).
  double coefficient() {
    stop_.before(2 * nodes_.size());
    double sum = 1;
    for (const Node& node : nodes_) sum += node.value.real();
    return sum / n_points_;
  }

  Stop stop_;
  std::vector<double> means_;
  std::vector<Level> levels_;
  std::vector<Node> nodes_;
  double n_points_ = 1, sd_ = 0;
};

}  // namespace idealrank
