// Sums of sigmoids along a sorted list: each follows from that of its neighbor.
#pragma once

#include <cstddef>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/sigmoid/sigmoid_series.hpp"
#include "idealrank/stop.hpp"

#include "idealrank/isa/isa_begin.hpp"

// 16 terms: an error of at most 2.7e-11 per sigmoid.
using Series = SigmoidSeries<16>;

// R_k = sum_j w_j q_ij^k over all j on one side of i, for k = 1 ... K. A step to the next i is R_k <- (R_k + w) q^k.
struct SeriesState {
  static constexpr std::size_t kVectors = Series::slope.size() / kLanes;
  Lanes terms[kVectors] = {};

  IDEALRANK_INLINE void step(double weight, double ratio) {
    const Lanes q = broadcast(ratio), q2 = q * q, q4 = q2 * q2;
    Lanes powers = shuffled<0, 5, 2, 7>(q, q2) * shuffled<0, 1, 6, 7>(broadcast(1), q2);  // q, q^2, q^3, q^4
    for (std::size_t v = 0; v < kVectors; ++v) {
      terms[v] = (terms[v] + weight) * powers;
      powers *= q4;
    }
  }

  // Four lanes whose sum is sum_k coefficients[k - 1] R_k.
  IDEALRANK_INLINE Lanes times(const double* coefficients) const {
    Lanes total = load(coefficients) * terms[0];
    for (std::size_t v = 1; v < kVectors; ++v) total += load(coefficients + v * kLanes) * terms[v];
    return total;
  }
};

// Items are in ascending order of t, and ratios[i] = exp(t_{i-1} - t_i). n is a multiple of 4, and ratios and weights have 4
// more entries; both are 0 after the end of a shorter list. Without `with_sums`, computes only the slopes.
template <bool with_sums>
void sweep(const double* ratios, const double* weights, std::size_t n, double* sums_out, double* slopes_out, Stop& stop) {
  const double* const tail = Series::tail.data();
  const double* const slope = Series::slope.data();
  Lanes part[kLanes], slope_part[kLanes];

  SeriesState below;
  double weight = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    stop.before(10 * kLanes);
    for (std::size_t l = 0; l < kLanes; ++l) {
      below.step(weight, ratios[i + l]);
      weight = weights[i + l];
      if constexpr (with_sums) part[l] = below.times(tail);
      slope_part[l] = below.times(slope);
    }
    if constexpr (with_sums) store(sums_out + i, sums(part[0], part[1], part[2], part[3]));
    store(slopes_out + i, sums(slope_part[0], slope_part[1], slope_part[2], slope_part[3]));
  }

  // For items above, sigma(d) = 1 - sigma(-d).
  SeriesState above;
  double total = 0;
  for (std::size_t i = n; i > 0;) {
    i -= kLanes;
    stop.before(10 * kLanes);
    double totals[kLanes];
    for (std::size_t l = kLanes; l-- > 0;) {
      above.step(weights[i + l + 1], ratios[i + l + 1]);
      if constexpr (with_sums) {
        total += weights[i + l + 1];
        totals[l] = total;
        part[l] = above.times(tail);
      }
      slope_part[l] = above.times(slope);
    }
    if constexpr (with_sums) {
      store(sums_out + i, load(sums_out + i) + (load(totals) - sums(part[0], part[1], part[2], part[3])));
    }
    store(slopes_out + i, load(slopes_out + i) + sums(slope_part[0], slope_part[1], slope_part[2], slope_part[3]));
  }
}

// Sums ln(1 + exp(t_i - t_j)) over all others j; steps[i] = t_i - t_{i-1}, and `ratios` are as above, for n items.
inline void log_sweep(const double* steps, const double* ratios, std::size_t n, double* sums_out, Stop& stop) {
  const double* const softplus = Series::softplus.data();
  SeriesState below, above;
  double distance = 0;  // the sum of t_i - t_j over the items j below
  for (std::size_t i = 0; i < n; ++i) {
    stop.before(20);
    below.step(i > 0 ? 1 : 0, ratios[i]);
    if (i > 0) distance += static_cast<double>(i) * steps[i];
    sums_out[i] = distance + sum(below.times(softplus));
  }
  for (std::size_t i = n - 1; i-- > 0;) {
    stop.before(20);
    above.step(1, ratios[i + 1]);
    sums_out[i] += sum(above.times(softplus));
  }
}

#include "idealrank/isa/isa_end.hpp"
