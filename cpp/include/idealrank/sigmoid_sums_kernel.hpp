// The kernels of sigmoid_sums.hpp for one instruction set.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "idealrank/lanes_math.hpp"

#include "idealrank/isa_begin.hpp"

// Every pair, in O(n^2).
inline void sigmoid_sums_of_list(std::span<const double> scores, std::span<const double> weights, double alpha,
                                 std::span<double> sums, std::span<double> slopes) {
  const std::size_t n = scores.size();
  for (std::size_t i = 0; i < n; ++i) {
    Lanes total = broadcast(0), slope = broadcast(0);
    for (std::size_t j = 0; j < n; j += kLanes) {
      const std::size_t here = n - j < kLanes ? n - j : kLanes;
      const Lanes t = alpha * (load_some(scores.data() + j, here, scores[i]) - scores[i]);
      const Lanes w = weights.empty() ? broadcast(1) : load_some(weights.data() + j, here, 0);
      const Lanes q = exp(where(t > 0.0, -t, t)), tail = q / (1.0 + q);
      total += w * where(t > 0.0, 1.0 - tail, tail);
      slope += w * (tail / (1.0 + q));
    }
    const double own = weights.empty() ? 1 + static_cast<double>((kLanes - n % kLanes) % kLanes) : weights[i];
    sums[i] = sum(total) - own / 2;
    slopes[i] = sum(slope) - own / 4;
  }
}

#include "idealrank/isa_end.hpp"
