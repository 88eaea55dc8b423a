// The kernels of approx_ndcg.hpp for one instruction set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

#include "idealrank/sigmoid/approx_ndcg.hpp"
#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/sigmoid/sigmoid_sums_kernel.hpp"

#include "idealrank/isa/isa_begin.hpp"

inline constexpr double kLn2 = std::numbers::ln2;

// Numbers are summed in blocks, since adding many of similar size accumulates rounding errors.
inline constexpr std::size_t kSummedAtOnce = 1024;

template <bool has_cutoff>
double approx_ndcg_of_list(const ApproxNdcgList& list, std::span<double> gradient, ApproxNdcgScratch& scratch) {
  const std::size_t n = list.scores.size();
  scratch.positions.resize(n);
  scratch.slopes.resize(n);
  double* const positions = scratch.positions.data();  // sums of sigmoids; then the loss's derivatives by position
  double* const slopes = gradient.data();
  SigmoidList soft(list.scores, list.alpha, scratch.sums);
  soft.sums(nullptr, positions, slopes);

  const double per_ideal = 1 / list.ideal;
  double value = 0;
  Lanes part = broadcast(0);
  for (std::size_t i = 0; i < n; i += kLanes) {
    const std::size_t here = std::min(kLanes, n - i);
    const bool four = here == kLanes;
    const Lanes gain = (four ? load(list.gains.data() + i) : load_some(list.gains.data() + i, here, 0)) * per_ideal;
    const Lanes above = 2.0 + (four ? load(positions + i) : load_some(positions + i, here, 0));  // 1 + position
    const Lanes inverse_log = 1.0 / log(above);
    Lanes worth = kLn2 * inverse_log, fall = worth * inverse_log / above;  // D, -D'
    if constexpr (has_cutoff) {
      const Lanes beyond = list.beta * (above - (list.depth + 1.5));
      const Lanes q = exp(where(beyond > 0.0, -beyond, beyond)), tail = q / (1.0 + q);
      const Lanes kept = where(beyond > 0.0, tail, 1.0 - tail);  // T; -T' = beta sigma'
      fall = fall * kept + worth * (list.beta * tail / (1.0 + q));
      worth *= kept;
    }
    part += gain * worth;
    const Lanes derivative = gain * fall;
    const Lanes slope = four ? load(slopes + i) : load_some(slopes + i, here, 0);
    store_some(positions + i, derivative, here);
    store_some(slopes + i, derivative * slope, here);
    if ((i + kLanes) % kSummedAtOnce == 0) {
      scratch.sums.stop.before(10 * kSummedAtOnce);
      value += sum(part);
      part = broadcast(0);
    }
  }
  value += sum(part);

  // d loss / d s_x = alpha sum_y (c_y - c_x) sigma'(t_y - t_x), where c are the derivatives by position (eqs. (41)-(43)).
  soft.sums(positions, nullptr, scratch.slopes.data());
  for (std::size_t i = 0; i < n; ++i) gradient[i] = list.alpha * (scratch.slopes[i] - slopes[i]);
  return 1 - value;
}

inline double approx_ndcg_of_list(const ApproxNdcgList& list, std::span<double> gradient, ApproxNdcgScratch& scratch) {
  return list.depth == std::numeric_limits<double>::infinity() ? approx_ndcg_of_list<false>(list, gradient, scratch)
                                                               : approx_ndcg_of_list<true>(list, gradient, scratch);
}

inline void log_discounts(std::size_t first, std::span<double> weights) {
  for (std::size_t i = 0; i < weights.size(); i += kLanes) {
    const auto above = static_cast<double>(first + i + 1);
    const Lanes discounts = kLn2 / log(four(above, above + 1, above + 2, above + 3));
    store_some(weights.data() + i, discounts, std::min(kLanes, weights.size() - i));
  }
}

#include "idealrank/isa/isa_end.hpp"
