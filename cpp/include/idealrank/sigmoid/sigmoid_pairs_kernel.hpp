// Sums of sigmoids of a short list, by enumerating all pairs: one exponential per document and one division per pair.
#pragma once

#include <cstddef>
#include <span>

#include "idealrank/isa/lanes_math.hpp"

#include "idealrank/isa/isa_begin.hpp"

class SigmoidPairs {
 public:
  static constexpr std::size_t kMost = 32;
  static constexpr double kWidest = 200;  // range of alpha s; keeps exponentials and their products far from overflow

  // `middle` is halfway between the smallest and the largest score.
  void arrange(std::span<const double> scores, double alpha, double middle) {
    n_ = scores.size();
    for (std::size_t i = 0; i < n_; i += kLanes) {
      const std::size_t here = n_ - i < kLanes ? n_ - i : kLanes;
      store(exponentials_ + i, exp(alpha * (load_some(scores.data() + i, here, middle) - middle)));
    }
  }

  // Without weights, all are 1. If `sums_out` is null, computes only the slopes.
  void sums(const double* weights, double* sums_out, double* slopes_out) {
    for (std::size_t j = 0; j < padded(); ++j) weights_[j] = j < n_ ? (weights == nullptr ? 1 : weights[j]) : 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double own = exponentials_[i], own_weight = weights_[i];
      weights_[i] = 0;
      Lanes total = broadcast(0), slope = broadcast(0);
      for (std::size_t j = 0; j < padded(); j += kLanes) {
        const Lanes z = load(exponentials_ + j), w = load(weights_ + j);
        const Lanes inverse = 1.0 / (z + own), weighted = w * (z * inverse);
        total += weighted;
        slope += weighted * (own * inverse);
      }
      weights_[i] = own_weight;
      if (sums_out != nullptr) sums_out[i] = sum(total);
      slopes_out[i] = sum(slope);
    }
  }

 private:
  std::size_t padded() const { return (n_ + kLanes - 1) / kLanes * kLanes; }

  std::size_t n_ = 0;
  double exponentials_[kMost], weights_[kMost];
};

#include "idealrank/isa/isa_end.hpp"
