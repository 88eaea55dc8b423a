// Sums of sigmoids of a list of any length and any spread: sort, then sweep up and down.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/lanes_math.hpp"
#include "idealrank/sigmoid_sums.hpp"
#include "idealrank/sigmoid_sweep_kernel.hpp"

#include "idealrank/isa_begin.hpp"

class SigmoidSorted {
 public:
  explicit SigmoidSorted(SigmoidScratch& scratch) : s_(scratch) {}

  // `width` is alpha times the range of the scores; it may be infinite.
  void arrange(std::span<const double> scores, double alpha, double least, double width) {
    n_ = scores.size();
    padded_ = (n_ + kLanes - 1) / kLanes * kLanes;
    s_.order.resize(n_);
    if (width < kWidestKey) {
      sort_by_steps(scores, alpha, least, width);
    } else {
      const auto descending = s_.exact_sort(scores, n_, -1, 0);
      std::reverse_copy(descending.begin(), descending.end(), s_.order.begin());
    }
    for (auto* column : {&s_.steps, &s_.ratios, &s_.weights, &s_.sums, &s_.slopes}) column->resize(padded_ + kLanes);
    std::fill(s_.weights.begin() + static_cast<std::ptrdiff_t>(n_), s_.weights.end(), 0.0);
    set_ratios(scores, alpha);
  }

  // No weights: all are 1. No sums: only the slopes.
  void sums(const double* weights, double* sums_out, double* slopes_out) {
    for (std::size_t r = 0; r < n_; ++r) s_.weights[r] = weights == nullptr ? 1.0 : weights[s_.order[r]];
    if (sums_out != nullptr) {
      sweep<true>(s_.ratios.data(), s_.weights.data(), padded_, s_.sums.data(), s_.slopes.data());
      for (std::size_t r = 0; r < n_; ++r) sums_out[s_.order[r]] = s_.sums[r];
    } else {
      sweep<false>(s_.ratios.data(), s_.weights.data(), padded_, nullptr, s_.slopes.data());
    }
    for (std::size_t r = 0; r < n_; ++r) slopes_out[s_.order[r]] = s_.slopes[r];
  }

  // Of ln(1 + exp(t_i - t_j)).
  void log_sums(double* sums_out) {
    log_sweep(s_.steps.data(), s_.ratios.data(), n_, s_.sums.data());
    for (std::size_t r = 0; r < n_; ++r) sums_out[s_.order[r]] = s_.sums[r];
  }

 private:
  static constexpr double kSteps = 4096;     // keys a unit of t
  static constexpr double kWidestKey = 0x1p19;  // keys are below 2^31

  // Within one key the order is that of the input: where t falls by a step, the series hold as well as where it rises.
  void sort_by_steps(std::span<const double> scores, double alpha, double least, double width) {
    const double scale = alpha * kSteps;
    s_.words.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const auto key = static_cast<std::int32_t>((scores[i] - least) * scale);
      s_.words[i] = (static_cast<std::uint64_t>(key) << 32) | i;
    }
    s_.sort(s_.words, std::ilogb(std::max(width * kSteps, 1.0)) + 1);
    for (std::size_t r = 0; r < n_; ++r) s_.order[r] = static_cast<std::uint32_t>(s_.words[r]);
  }

  // steps[i] = t_i - t_{i-1} and their exponentials; 0 before the first, and from the end on.
  void set_ratios(std::span<const double> scores, double alpha) {
    double* const sorted = s_.sums.data();
    for (std::size_t r = 0; r < n_; ++r) sorted[r] = 0.5 * scores[s_.order[r]];  // halves: differences cannot overflow
    s_.steps[0] = 0;
    for (std::size_t r = 1; r < n_; ++r) s_.steps[r] = (sorted[r] - sorted[r - 1]) * (2 * alpha);
    for (std::size_t r = 0; r < padded_; r += kLanes) store(s_.ratios.data() + r, exp(-load(s_.steps.data() + r)));
    s_.ratios[0] = 0;
    std::fill(s_.ratios.begin() + static_cast<std::ptrdiff_t>(n_), s_.ratios.end(), 0.0);
  }

  SigmoidScratch& s_;
  std::size_t n_ = 0, padded_ = 0;
};

#include "idealrank/isa_end.hpp"
