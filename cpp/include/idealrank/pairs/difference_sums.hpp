// Sums of a smooth function of score differences, sum_j w_j f(x_j - y_i), in near-linear time.
//
// Sources x and targets y are in two binary trees of intervals (boxes). If f is smooth at the scale of two boxes, the
// sources act through a few weights at Chebyshev points of their box, and the targets receive a few values at the points of
// theirs (the fast multipole method in one dimension, with the interpolation of Fong and Darve 2009). A box with few
// documents is represented by its own scores.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// Chebyshev points per box: enough to reach rounding errors for any radius that a kernel allows.
inline constexpr std::size_t kBoxPoints = 18;

// The Chebyshev points of [-1, 1], ascending, and the factors of the barycentric formula.
struct BoxPoints {
  std::array<double, kBoxPoints> at{}, factor{};

  BoxPoints() {
    constexpr double kPi = 3.14159265358979323846;
    for (std::size_t k = 0; k < kBoxPoints; ++k) {
      const double angle = kPi * (2 * static_cast<double>(k) + 1) / (2 * static_cast<double>(kBoxPoints));
      at[k] = -std::cos(angle);
      factor[k] = (k % 2 == 0 ? 1.0 : -1.0) * std::sin(angle);
    }
  }

  // The values at u of the polynomials that are 1 at one of the points and 0 at the others.
  std::array<double, kBoxPoints> shares(double u) const {
    std::array<double, kBoxPoints> found{};
    double total = 0;
    for (std::size_t k = 0; k < kBoxPoints; ++k) {
      const double away = u - at[k];
      if (away == 0) {
        found.fill(0);
        found[k] = 1;
        return found;
      }
      total += found[k] = factor[k] / away;
    }
    for (double& share : found) share /= total;
    return found;
  }
};

// Scores in ascending order, divided into boxes. A box is represented by its proxies: its scores if they are few, its only
// score if all are equal, and Chebyshev points otherwise.
class ScoreTree {
 public:
  explicit ScoreTree(const Stop& stop = {}) : stop_(stop) {}

  struct Box {
    std::size_t begin, end;  // range of indices into the scores
    double low, high;
    std::size_t proxies, n_proxies;
    std::size_t children = 0;  // the index of the first of two; 0 for a leaf
    double radius() const { return children == 0 ? 0.0 : (high - low) / 2; }
  };

  // The scores must stay valid as long as the tree is used.
  void build(std::span<const double> scores) {
    scores_ = scores;
    boxes_.clear();
    places_.clear();
    if (scores.empty()) return;
    add(0, scores.size());
    for (std::size_t box = 0; box < boxes_.size(); ++box) divide(box);  // parents come before their children
  }

  std::span<const Box> boxes() const { return boxes_; }
  std::span<const double> places() const { return places_; }  // of the proxies

  // Computes weights of the proxies that act like the given weights of the scores.
  void gather(std::span<const double> weights, std::vector<double>& of_proxies) {
    of_proxies.assign(places_.size(), 0.0);
    for (std::size_t b = boxes_.size(); b-- > 0;) {
      const Box& box = boxes_[b];
      stop_.before(100 * kBoxPoints);
      if (box.children == 0) {
        for (std::size_t i = box.begin; i < box.end; ++i) of_proxies[box.proxies + within(box, i)] += weights[i];
        continue;
      }
      for (const std::size_t c : {box.children, box.children + 1}) {
        const Box& child = boxes_[c];
        for (std::size_t p = child.proxies; p < child.proxies + child.n_proxies; ++p) {
          const auto shares = points_.shares(coordinate(box, places_[p]));
          for (std::size_t k = 0; k < kBoxPoints; ++k) of_proxies[box.proxies + k] += shares[k] * of_proxies[p];
        }
      }
    }
  }

  // Computes values at scores from values at proxies, which are overwritten. Each value is kChannels numbers.
  template <std::size_t kChannels>
  void scatter(std::vector<std::array<double, kChannels>>& at_proxies, std::span<std::array<double, kChannels>> values) {
    for (const Box& box : boxes_) {
      stop_.before(100 * kBoxPoints);
      if (box.children == 0) {
        for (std::size_t i = box.begin; i < box.end; ++i) values[i] = at_proxies[box.proxies + within(box, i)];
        continue;
      }
      for (const std::size_t c : {box.children, box.children + 1}) {
        const Box& child = boxes_[c];
        for (std::size_t p = child.proxies; p < child.proxies + child.n_proxies; ++p) {
          const auto shares = points_.shares(coordinate(box, places_[p]));
          for (std::size_t k = 0; k < kBoxPoints; ++k) {
            for (std::size_t c2 = 0; c2 < kChannels; ++c2) at_proxies[p][c2] += shares[k] * at_proxies[box.proxies + k][c2];
          }
        }
      }
    }
  }

 private:
  static double coordinate(const Box& box, double place) {
    const double half = box.high / 2 - box.low / 2;  // the plain difference may overflow
    return (place / 2 - box.low / 2 - half / 2) / (half / 2);
  }
  // The proxy of a score in a leaf.
  static std::size_t within(const Box& box, std::size_t i) { return box.n_proxies == 1 ? 0 : i - box.begin; }

  void add(std::size_t begin, std::size_t end) {
    Box box{begin, end, scores_[begin], scores_[end - 1], places_.size(), std::min(end - begin, kBoxPoints)};
    if (box.low == box.high) box.n_proxies = 1;
    const bool few = end - begin <= kBoxPoints || box.n_proxies == 1;
    for (std::size_t k = 0; k < box.n_proxies; ++k) {
      const double half = box.high / 2 - box.low / 2, u = points_.at[k];
      places_.push_back(few ? scores_[begin + k] : box.low / 2 + box.high / 2 + u * half);
    }
    boxes_.push_back(box);
  }

  void divide(std::size_t b) {
    const Box box = boxes_[b];
    if (box.end - box.begin <= kBoxPoints || box.low == box.high) return;
    stop_.before(200);
    const double middle = box.low / 2 + box.high / 2;
    const auto first = scores_.begin() + static_cast<std::ptrdiff_t>(box.begin);
    const auto last = scores_.begin() + static_cast<std::ptrdiff_t>(box.end);
    auto cut = static_cast<std::size_t>(std::upper_bound(first, last, middle) - scores_.begin());
    // Between neighboring floating-point numbers there may be no middle.
    if (cut == box.end) cut = static_cast<std::size_t>(std::lower_bound(first, last, box.high) - scores_.begin());
    boxes_[b].children = boxes_.size();
    add(box.begin, cut);
    add(cut, box.end);
  }

  Stop stop_;
  BoxPoints points_;
  std::span<const double> scores_;
  std::vector<Box> boxes_;
  std::vector<double> places_;
};

// A kernel has three functions: value(z), which returns kChannels numbers; vanishes(z), whether they are 0 at z and below;
// and reach(low, high), the largest radius of boxes that can be interpolated if their differences lie in [low, high].
template <class Kernel>
class DifferenceSums {
 public:
  static constexpr std::size_t kChannels = Kernel::kChannels;
  using Values = std::array<double, kChannels>;

  explicit DifferenceSums(const Stop& stop = {}) : stop_(stop) {}

  // values[i] = sum_j weights[j] kernel.value(x_j - y_i); with `reflected`, kernel.value(y_i - x_j).
  void operator()(const Kernel& kernel, ScoreTree& sources, std::span<const double> weights, ScoreTree& targets,
                  bool reflected, std::span<Values> values) {
    if (sources.boxes().empty() || targets.boxes().empty()) {
      std::fill(values.begin(), values.end(), Values{});
      return;
    }
    sources.gather(weights, weights_);
    received_.assign(targets.places().size(), Values{});
    pending_.assign(1, {0, 0});
    while (!pending_.empty()) {
      const auto [s, t] = pending_.back();
      pending_.pop_back();
      meet(kernel, sources, s, targets, t, reflected);
    }
    targets.scatter<kChannels>(received_, values);
  }

 private:
  struct Pair {
    std::size_t source, target;
  };

  void meet(const Kernel& kernel, const ScoreTree& sources, std::size_t s, const ScoreTree& targets, std::size_t t,
            bool reflected) {
    const ScoreTree::Box& x = sources.boxes()[s];
    const ScoreTree::Box& y = targets.boxes()[t];
    const double low = reflected ? y.low - x.high : x.low - y.high, high = reflected ? y.high - x.low : x.high - y.low;
    if (kernel.vanishes(high)) return;
    const double radius = std::max(x.radius(), y.radius());
    if (radius == 0 || radius <= kernel.reach(low, high)) {
      stop_.before(50 * x.n_proxies * y.n_proxies);
      for (std::size_t q = y.proxies; q < y.proxies + y.n_proxies; ++q) {
        for (std::size_t p = x.proxies; p < x.proxies + x.n_proxies; ++p) {
          const double apart = sources.places()[p] - targets.places()[q];
          const Values value = kernel.value(reflected ? -apart : apart);
          for (std::size_t c = 0; c < kChannels; ++c) received_[q][c] += weights_[p] * value[c];
        }
      }
    } else if (x.radius() >= y.radius()) {
      pending_.push_back({x.children, t});
      pending_.push_back({x.children + 1, t});
    } else {
      pending_.push_back({s, y.children});
      pending_.push_back({s, y.children + 1});
    }
  }

  Stop stop_;
  std::vector<double> weights_;
  std::vector<Values> received_;
  std::vector<Pair> pending_;
};

}  // namespace idealrank
