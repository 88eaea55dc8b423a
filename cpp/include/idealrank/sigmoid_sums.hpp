// Sums of logistic sigmoids over all pairs of a list: soft ranks, their slopes, and whatever is made of them.
#pragma once

#include <cstdint>
#include <span>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa.hpp"
#include "idealrank/top.hpp"

namespace idealrank {

// With t = alpha s, for each document i of one list, over all others j:
//   sums[i]   = sum_j w_j sigma(t_j - t_i)
//   slopes[i] = sum_j w_j sigma'(t_j - t_i)
// No weights: all are 1, and 1 + sums[i] is the soft rank of i (Qin et al. 2008, eq. (20)).
struct SigmoidSums {
  void (*of_list)(std::span<const double> scores, std::span<const double> weights, double alpha, std::span<double> sums,
                  std::span<double> slopes);
};
extern const SigmoidSums sigmoid_sums_base, sigmoid_sums_v3;

// The same for every query.
inline void sigmoid_sums(std::span<const double> scores, std::span<const double> weights,
                         std::span<const std::int64_t> offsets, double alpha, std::span<double> sums,
                         std::span<double> slopes, Isa isa, int n_threads) {
  const SigmoidSums& kernel = choose(isa, sigmoid_sums_base, sigmoid_sums_v3);
  for_each_query(offsets, n_threads, [&] {
    return [&](std::int64_t query, std::int64_t begin, std::int64_t end) {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto own = scores.subspan(first, n);
      check_finite(own, query, begin);
      kernel.of_list(own, weights.empty() ? weights : weights.subspan(first, n), alpha, sums.subspan(first, n),
                     slopes.subspan(first, n));
    };
  });
}

}  // namespace idealrank
