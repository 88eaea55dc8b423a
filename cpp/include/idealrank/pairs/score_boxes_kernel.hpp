// Edges near scores, from which distances are measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/pairs/pair_kernels.hpp"

#include "idealrank/isa/isa_begin.hpp"

// Edges are multiples of the largest power of two that is at most 1 / sigma. They are exact, and so is the distance of a
// score from its edge, the next one below. A score too large to resolve such a distance is its own edge.
class ScoreEdges {
 public:
  explicit ScoreEdges(double sigma) : width_(std::exp2(std::floor(-std::log2(sigma)))), per_width_(1 / width_) {}

  IDEALRANK_INLINE double operator()(double score) const {
    const double boxes = score * per_width_;
    return std::abs(boxes) < 0x1p52 ? std::floor(boxes) * width_ : score;
  }

 private:
  double width_, per_width_;
};

inline void find_decays(const double* scores, std::size_t n, double sigma, double* decays) {
  const ScoreEdges edge_of(sigma);
  for (std::size_t i = 0; i < n; i += kLanes) {
    const std::size_t n_here = std::min(kLanes, n - i);
    double above[kLanes] = {};
    for (std::size_t lane = 0; lane < n_here; ++lane) above[lane] = scores[i + lane] - edge_of(scores[i + lane]);
    store_some(decays + i, exp(-sigma * load(above)), n_here);
  }
}

#include "idealrank/isa/isa_end.hpp"
