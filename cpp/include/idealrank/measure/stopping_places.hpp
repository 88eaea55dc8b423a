// Where a reader of documents in random order stops: the cascade model on a run of equal scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// A reader stops at a document with its probability g or else reads on, and all orders of the t documents are equally
// likely. Let f = 1 - g, and e_j the mean, over all choices of j documents, of the product of their f. The reader is still
// reading after j places with probability e_j, and stops at place j with probability d_j = e_{j-1} - e_j. Both are
// computed as sums of nonnegative terms.
class StoppingPlaces {
 public:
  explicit StoppingPlaces(Stop stop = {}) : stop_(stop) {}

  // Returns d_1, ..., d_depth, where depth <= gains.size(). Once e_j is below 1e-20, all later values are 0. Sorts `gains`.
  std::span<const double> operator()(std::vector<double>& gains, std::size_t depth) {
    stoppable_sort(gains.begin(), gains.end(), std::less<>(), stop_);
    list_levels(gains);
    reading_.assign(depth + 1, 0.0);
    stops_.assign(depth + 1, 0.0);
    // Measured costs: per level, a node of the integrals costs as much as 40 steps of the recurrence; its contribution
    // to one place costs as much as 2.
    const auto steps = static_cast<double>(gains.size()) * static_cast<double>(depth);
    const double windows = std::sqrt(static_cast<double>(depth)) + 1, n_levels = static_cast<double>(levels_.size());
    const double integrals = kNodes * (40 * n_levels * windows + 2 * static_cast<double>(depth));
    if (depth <= 4 * kFirst || steps <= integrals) {
      recur(gains, depth);
    } else {
      recur(gains, kFirst);
      integrate(gains.size(), kFirst, depth);
    }
    return std::span(stops_).subspan(1);
  }

 private:
  static constexpr double kNegligible = 1e-20;
  static constexpr std::size_t kFirst = 64;  // places that always use the recurrence
  static constexpr double kNodes = 32;  // approximate number of nodes per integral

  struct Level {
    double gain, factor, count;
  };

  void list_levels(const std::vector<double>& sorted) {
    levels_.clear();
    for (const double gain : sorted) {
      if (levels_.empty() || levels_.back().gain != gain) levels_.push_back({gain, 1 - gain, 0});
      levels_.back().count += 1;
    }
  }

  // Adds documents one by one. Among the first i documents in random order, the i-th is not in the first j places, is before
  // place j and read on at, or is at place j, with probabilities (i - j) / i, (j - 1) / i and 1 / i. The smallest gains come
  // first, so that e_j only decreases from then on.
  void recur(const std::vector<double>& gains, std::size_t depth) {
    // As long as the gains are 0, everything is read.
    const auto zeros = static_cast<std::size_t>(
        std::find_if(gains.begin(), gains.end(), [](double gain) { return gain != 0; }) - gains.begin());
    std::size_t deepest = std::min(zeros, depth);
    std::fill_n(reading_.begin(), deepest + 1, 1.0);
    for (std::size_t i = zeros; i < gains.size(); ++i) {
      const auto t = static_cast<double>(i + 1);
      const double gain = gains[i], factor = 1 - gain;
      if (deepest < depth && (deepest == i || reading_[deepest] > kNegligible)) ++deepest;
      stop_.before(3 * deepest + 1);
      for (std::size_t j = deepest; j > 0; --j) {
        const auto taken = static_cast<double>(j);
        stops_[j] = ((t - taken) * stops_[j] + (taken - 1) * factor * stops_[j - 1] + gain * reading_[j - 1]) / t;
        reading_[j] = ((t - taken) * reading_[j] + taken * factor * reading_[j - 1]) / t;
      }
      for (; deepest > 0 && reading_[deepest] < kNegligible; --deepest) reading_[deepest] = 0;
    }
  }

  // C(t, j) e_j is the coefficient of x^j in P(x) = prod (1 + f x), and j C(t, j) d_j that of x^(j-1) in P(x) sum g /
  // (1 + f x). By Cauchy's formula, a coefficient is r^-j / (2 pi) int P(r exp(i phi)) exp(-i j phi) d phi. If r is such
  // that the terms x^j of P(r) with j near the middle of a window dominate, the integrand is a bell of width 1 / sd, for
  // which the trapezoidal rule with about 30 points is exact to rounding. A window begins at a known mean, and all others
  // are computed relative to it, so that no factorial and no power of r is ever large.
  void integrate(std::size_t n, std::size_t first, std::size_t last) {
    const auto t = static_cast<double>(n);
    // Documents with gain 1 always stop the reader, so at most this many can be read on at.
    const auto readable = static_cast<std::size_t>(t - (levels_.back().factor == 0 ? levels_.back().count : 0));
    const std::size_t end = std::min(last, readable);
    double radius = 1;
    std::size_t step = kFirst / 4;
    for (std::size_t begin = first; begin < end && reading_[begin] >= kNegligible; begin += step, step = widest()) {
      for (bool fits = false; !fits;) {
        step = std::min(step, end - begin);
        radius = radius_of(static_cast<double>(begin) + static_cast<double>(step) / 2, radius);
        set_sd(radius);
        fits = step <= 2 * widest();
        if (!fits) step = widest();
      }
      list_nodes(radius, static_cast<double>(begin));
      double ratio = reading_[begin] / mean_at(&Node::reading, 1);  // e_begin r^(begin - j) C(t, begin) / C(t, j)
      for (std::size_t j = begin + 1; j <= begin + step; ++j) {
        const auto taken = static_cast<double>(j);
        ratio *= taken / ((t - taken + 1) * radius);
        stops_[j] = std::max(ratio * radius / taken * mean_at(&Node::stops, stops_at_0_), 0.0);
        stop_.before(6 * nodes_.size());
        for (Node& node : nodes_) {
          node.reading *= node.turn;
          node.stops *= node.turn;
        }
      }
      reading_[begin + step] = std::max(ratio * mean_at(&Node::reading, 1), 0.0);
    }
    if (first <= end && end < last) stops_[end + 1] = reading_[end];
  }

  std::size_t widest() const { return static_cast<std::size_t>(std::max(2 * sd_, 1.0)); }

  // Finds r such that sum f r / (1 + f r), the mean number of factors in P(r), is j. It increases with r; bisects log r.
  double radius_of(double j, double guess) const {
    auto number = [&](double r) {
      double sum = 0;
      for (const auto& [gain, factor, count] : levels_) sum += count * (factor * r / (1 + factor * r));
      return sum;
    };
    double low = guess, high = guess;
    while (number(low) > j && low > 1e-100) low /= 4;
    while (number(high) < j && high < 1e100) high *= 4;
    while (high / low > 1 + 1e-6) {
      const double middle = std::sqrt(low * high);
      (number(middle) < j ? low : high) = middle;
    }
    return std::sqrt(low * high);
  }

  // Computes the standard deviation of the number of factors in P(r).
  void set_sd(double radius) {
    double variance = 0;
    for (const auto& [gain, factor, count] : levels_) {
      const double share = factor * radius / (1 + factor * radius);
      variance += count * share * (1 - share);
    }
    sd_ = std::sqrt(variance);
  }

  // A point phi > 0: the integrands there, relative to P(r), and the factor that takes them to the next j.
  struct Node {
    std::complex<double> reading, stops, turn;
  };

  void list_nodes(double radius, double j) {
    n_points_ = std::ceil(24 * sd_ + 64);  // only coefficients this far away are aliased
    nodes_.clear();
    stops_at_0_ = 0;
    for (const auto& [gain, factor, count] : levels_) stops_at_0_ += count * gain / (1 + factor * radius);
    for (double k = 1; k <= n_points_ / 2; ++k) {
      stop_.before(60 * levels_.size());
      const double phi = 2 * std::numbers::pi * k / n_points_;
      const double versine = 2 * std::sin(phi / 2) * std::sin(phi / 2), sine = std::sin(phi);  // 1 - cos(phi), accurately
      double log_size = 0, angle = 0;
      std::complex<double> stops = 0;
      for (const auto& [gain, factor, count] : levels_) {
        // (1 + x exp(i phi)) / (1 + x), with x / (1 + x) = share
        const double one = 1 + factor * radius, share = factor * radius / one;
        const std::complex<double> relative(1 - share * versine, share * sine);
        log_size += count * 0.5 * std::log1p(std::max(-2 * share * versine / one, -1.0));
        angle += count * std::arg(relative);
        stops += count * gain / one / relative;
      }
      if (log_size < -46) break;
      const bool opposite = 2 * k == n_points_;  // the only point that is its own mirror image
      const auto value = std::polar((opposite ? 1.0 : 2.0) * std::exp(log_size), angle - j * phi);
      nodes_.push_back({value, value * stops, std::polar(1.0, -phi)});
    }
  }

  // The integral of one of the integrands, given its value at phi = 0.
  double mean_at(std::complex<double> Node::* integrand, double at_0) const {
    double sum = at_0;
    for (const Node& node : nodes_) sum += (node.*integrand).real();
    return sum / n_points_;
  }

  Stop stop_;
  std::vector<double> reading_, stops_;  // e_j and d_j
  std::vector<Level> levels_;
  std::vector<Node> nodes_;
  double n_points_ = 1, sd_ = 0, stops_at_0_ = 0;
};

}  // namespace idealrank
