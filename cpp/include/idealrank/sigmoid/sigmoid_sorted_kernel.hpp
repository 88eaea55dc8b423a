// Sums of sigmoids of a list of any length and any spread: sort, then sweep up and down.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sigmoid/sigmoid_sweep_kernel.hpp"

#include "idealrank/isa/isa_begin.hpp"

class SigmoidSorted {
 public:
  explicit SigmoidSorted(SigmoidScratch& scratch) : s_(scratch) {}

  // `width` is alpha times the range of the scores, and may be infinite. Only log_sums() needs `keep_steps`.
  void arrange(std::span<const double> scores, double alpha, double least, double width, bool keep_steps = false) {
    n_ = scores.size();
    padded_ = (n_ + kLanes - 1) / kLanes * kLanes;
    s_.order.resize(n_);
    const bool all_have_keys = width < kWidest;
    const double low = all_have_keys ? least : middle(scores) - 0.5 * kWidest / alpha;
    const double n_keys = all_have_keys ? std::max(width * kSteps, 1.0) : kLastKey;
    if (!sort_by_steps(scores, low, alpha * kSteps, std::ilogb(n_keys) + 1, all_have_keys)) {
      const auto descending = s_.exact_sort(scores, n_, -1, 0);
      std::reverse_copy(descending.begin(), descending.end(), s_.order.begin());
    }
    for (auto* column : {&s_.ratios, &s_.weights, &s_.sums, &s_.slopes})
      stoppable_resize(*column, padded_ + kLanes, s_.stop);
    std::fill(s_.weights.begin() + static_cast<std::ptrdiff_t>(n_), s_.weights.end(), 0.0);
    s_.stop.before(4 * n_);
    set_steps(scores, alpha);
    s_.stop.before(4 * n_);
    if (keep_steps) s_.steps.assign(s_.ratios.begin(), s_.ratios.end());
    steps_to_ratios();
  }

  // Without weights, all are 1. If `sums_out` is null, computes only the slopes.
  void sums(const double* weights, double* sums_out, double* slopes_out) {
    for_each_part(n_, s_.stop, [&](std::size_t r, std::size_t last) {
      for (; r < last; ++r) s_.weights[r] = weights == nullptr ? 1.0 : weights[s_.order[r]];
    });
    if (sums_out != nullptr) {
      sweep<true>(s_.ratios.data(), s_.weights.data(), padded_, s_.sums.data(), s_.slopes.data(), s_.stop);
      put(s_.sums, sums_out);
    } else {
      sweep<false>(s_.ratios.data(), s_.weights.data(), padded_, nullptr, s_.slopes.data(), s_.stop);
    }
    put(s_.slopes, slopes_out);
  }

  // Sums ln(1 + exp(t_i - t_j)).
  void log_sums(double* sums_out) {
    log_sweep(s_.steps.data(), s_.ratios.data(), n_, s_.sums.data(), s_.stop);
    put(s_.sums, sums_out);
  }

 private:
  static constexpr double kSteps = 4096;  // keys per unit of t
  static constexpr double kWidest = 0x1p19;  // range of t that keys cover
  static constexpr double kLastKey = 0x1p31 - 1;
  static constexpr std::size_t kFew = 64;

  // Moves a column from ascending order to the order of the documents.
  void put(const std::vector<double>& sorted, double* out) {
    for_each_part(n_, s_.stop, [&](std::size_t r, std::size_t last) {
      for (; r < last; ++r) out[s_.order[r]] = sorted[r];
    });
  }

  // A score near the median.
  static double middle(std::span<const double> scores) {
    std::array<double, 63> sample;
    for (std::size_t k = 0; k < sample.size(); ++k) sample[k] = scores[k * (scores.size() - 1) / (sample.size() - 1)];
    std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
    return sample[sample.size() / 2];
  }

  // Documents with the same key stay in input order: the series are as accurate where t falls by a small step as where it
  // rises. Scores beyond the first and the last key are sorted afterwards; returns false if they are many.
  bool sort_by_steps(std::span<const double> scores, double low, double scale, int n_bits, bool all_have_keys) {
    stoppable_resize(s_.words, n_, s_.stop);
    s_.stop.before(4 * n_);
    std::size_t n_first = 0, n_last = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double key = std::min(std::max((scores[i] - low) * scale, 0.0), kLastKey);
      n_first += key < 1;
      n_last += key >= kLastKey;
      s_.words[i] = (static_cast<std::uint64_t>(static_cast<std::int32_t>(key)) << 32) | i;
    }
    if (!all_have_keys && n_first + n_last > kFew + n_ / kFew) return false;
    s_.sort(s_.words, n_bits);
    s_.stop.before(n_);
    for (std::size_t r = 0; r < n_; ++r) s_.order[r] = static_cast<std::uint32_t>(s_.words[r]);
    if (!all_have_keys) {
      const auto rises = [&](std::uint32_t a, std::uint32_t b) { return scores[a] < scores[b]; };
      std::sort(s_.order.begin(), s_.order.begin() + static_cast<std::ptrdiff_t>(n_first), rises);
      std::sort(s_.order.end() - static_cast<std::ptrdiff_t>(n_last), s_.order.end(), rises);
    }
    return true;
  }

  // Sets ratios[i] to t_i - t_{i-1} for now; the first is 0.
  void set_steps(std::span<const double> scores, double alpha) {
    double before = 0.5 * scores[s_.order[0]];  // differences of halves cannot overflow
    for (std::size_t r = 0; r < n_; ++r) {
      const double here = 0.5 * scores[s_.order[r]];
      s_.ratios[r] = (here - before) * (2 * alpha);
      before = here;
    }
  }

  void steps_to_ratios() {
    for (std::size_t r = 0; r < padded_; r += kLanes) store(s_.ratios.data() + r, exp(-load(s_.ratios.data() + r)));
    s_.ratios[0] = 0;
    std::fill(s_.ratios.begin() + static_cast<std::ptrdiff_t>(n_), s_.ratios.end(), 0.0);
  }

  SigmoidScratch& s_;
  std::size_t n_ = 0, padded_ = 0;
};

#include "idealrank/isa/isa_end.hpp"
