// The pairwise softmax loss (PSL, Yang et al. 2024): sum_i t_i log sum_j a(s_j - s_i)^power, in near-linear time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/pairs/difference_sums.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// a(d): 1 + tanh(d), max(0, 1 + arctan(d)), max(0, 1 + d). Each is 1 with slope 1 at d = 0, and log a is concave.
enum class Activation { tanh, arctan, relu };

// f = a^power, its derivative f', and f'^2 / f, which has no pole where power < 2.
struct ActivationKernel {
  static constexpr std::size_t kChannels = 3;

  Activation activation;
  double power;

  bool vanishes(double z) const { return z <= zero(); }

  std::array<double, kChannels> value(double z) const {
    if (vanishes(z)) return {};
    if (activation == Activation::tanh) {
      const double e = std::exp(-2 * std::abs(z)), large = 2 / (1 + e), small = e * large;
      const double a = z > 0 ? large : small, log_slope = power * (z > 0 ? small : large);
      const double f = std::pow(a, power);
      return {f, f * log_slope, f * log_slope * log_slope};
    }
    const bool straight = activation == Activation::relu;
    const double a = straight ? 1 + z : 1 + std::atan(z), slope = straight ? power : power / (1 + z * z);
    const double f = std::pow(a, power);
    return {f, f / a * slope, power < 2 ? slope * slope : f / a / a * slope * slope};
  }

  // At most a third of the distance to the nearest singularity, and small enough that f changes by no more than a factor of
  // about e^4 within a box. The slope of log f decreases, so it is largest at `low`.
  double reach(double low, double high) const {
    const double near = low > 0 ? low : high < 0 ? -high : 0.0;
    if (activation == Activation::tanh) {
      const double log_slope = 2 * power / (1 + std::exp(2 * low));
      return std::min(std::hypot(near, 1.5707963267948966) / 3, 2 / log_slope);
    }
    const double from_zero = low - zero();
    if (from_zero <= 0) return 0;
    if (activation == Activation::relu) return from_zero * std::min(1.0 / 3, 2 / power);
    const double log_slope = power / ((1 + low * low) * (1 + std::atan(low)));
    return std::min({from_zero / 3, std::hypot(near, 1.0) / 3, 2 / log_slope});
  }

 private:
  double zero() const {
    if (activation == Activation::relu) return -1;
    return activation == Activation::arctan ? -1.5574077246549023 : -std::numeric_limits<double>::infinity();
  }
};

// Processes queries one by one, reusing its memory.
class PairwiseSoftmax {
 public:
  PairwiseSoftmax(Activation activation, double power, const Stop& stop = {})
      : kernel_{activation, power}, stop_(stop), rank_(stop), all_(stop), relevant_(stop), sums_(stop) {}

  // Returns the loss of a query. Writes its derivatives, and a bound on its second derivatives, into the columns,
  // in the same way as PairwiseLoss.
  double operator()(std::span<const double> targets, std::span<const double> scores, std::int64_t query,
                    std::int64_t first_row, Derivative derivative, std::span<double> column, std::span<double> second) {
    place(targets, scores, rank_(scores, scores.size(), query, first_row));
    const std::size_t n = scores.size();
    std::fill(column.begin(), column.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    if (relevant_scores_.empty()) return 0;
    all_.build(scores_);
    relevant_.build(relevant_scores_);

    // For each relevant document i, sum the kernel at s_j - s_i over all documents j.
    weights_.assign(n, 1.0);
    const std::size_t n_relevant = relevant_scores_.size();
    stoppable_resize(received_, n_relevant, stop_);
    sums_(kernel_, all_, weights_, relevant_, false, received_);
    double value = 0;
    stoppable_resize(pulls_, n_relevant, stop_);
    for_each_part(n_relevant, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        value += relevant_targets_[i] * std::log(received_[i][0]);
        pulls_[i] = relevant_targets_[i] / received_[i][0];
      }
    });

    // For each document j, sum the kernel at s_j - s_i over the relevant documents i, weighted. A document's difference from
    // itself is constant, so these terms cancel or are subtracted.
    stoppable_resize(pulled_, n, stop_);
    sums_(kernel_, relevant_, pulls_, all_, true, pulled_);
    const bool firsts = derivative != Derivative::second, seconds = derivative != Derivative::first;
    std::span<double> curvature = derivative == Derivative::both ? second : column;
    for_each_part(n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) {
        if (firsts) column[rows_[p]] = pulled_[p][1];
        if (seconds) curvature[rows_[p]] = pulled_[p][2];
      }
    });
    const double power = kernel_.power;
    for_each_part(n_relevant, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        const std::uint32_t row = relevant_rows_[i];
        const double slope = received_[i][1] - power, bend = received_[i][2] - power * power;
        if (firsts) column[row] -= pulls_[i] * received_[i][1];
        if (seconds) {
          curvature[row] += pulls_[i] * (std::max(bend - slope * slope / received_[i][0], 0.0) - power * power);
          curvature[row] = std::max(curvature[row], 0.0);
        }
      }
    });
    return value;
  }

 private:
  // Sorts the documents by ascending score.
  void place(std::span<const double> targets, std::span<const double> scores, std::span<const std::uint32_t> order) {
    const std::size_t n = scores.size();
    stoppable_resize(scores_, n, stop_);
    stoppable_resize(rows_, n, stop_);
    relevant_scores_.clear();
    relevant_targets_.clear();
    relevant_rows_.clear();
    for_each_part(n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) {
        const std::uint32_t row = order[n - 1 - p];
        rows_[p] = row;
        scores_[p] = scores[row];
        if (!(targets[row] > 0)) continue;
        relevant_scores_.push_back(scores[row]);
        relevant_targets_.push_back(targets[row]);
        relevant_rows_.push_back(row);
      }
    });
  }

  ActivationKernel kernel_;
  Stop stop_;
  TopRanker rank_;
  ScoreTree all_, relevant_;
  DifferenceSums<ActivationKernel> sums_;
  std::vector<double> scores_, relevant_scores_, relevant_targets_, weights_, pulls_;
  std::vector<std::uint32_t> rows_, relevant_rows_;
  std::vector<std::array<double, ActivationKernel::kChannels>> received_, pulled_;
};

// Writes one value per query; first or second derivatives into `column`; and for Derivative::both, the second derivatives
// into `second`, which is empty otherwise.
inline void pairwise_softmax(std::span<const double> targets, std::span<const double> scores,
                             std::span<const std::int64_t> offsets, Activation activation, double power,
                             Derivative derivative, std::span<double> values, std::span<double> column,
                             std::span<double> second, Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& stop) {
    return [&, loss = PairwiseSoftmax(activation, power, stop), own_scores = OwnCopy(stop)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const double value = loss(targets.subspan(first, n), own_scores(scores.subspan(first, n)), query, begin, derivative,
                                column.subspan(first, n), second.empty() ? second : second.subspan(first, n));
      if (!std::isfinite(value)) raise(data_error("the loss overflows: scale the scores down", query, -1));
      values[static_cast<std::size_t>(query)] = value;
    };
  });
}

}  // namespace idealrank
