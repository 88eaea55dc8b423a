// Sums over each document of a query and all below it, in one upward pass, for numbers of any magnitude.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "idealrank/for_each_query.hpp"

namespace idealrank {

// log sum_{j >= i} weights[j] exp(values[j]) = greatest[i] + rest[i], where greatest[i] is the largest value with a nonzero
// weight. A single number would lose the digits of the rest if values are large. Without weights, all are 1. If all weights
// are 0, the results are -infinity and 0.
inline void suffix_log_sums(std::span<const double> values, std::span<const double> weights,
                            std::span<const std::int64_t> offsets, std::span<double> greatest, std::span<double> rest,
                            Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given](std::int64_t, std::int64_t begin, std::int64_t end) mutable {
      double most = -std::numeric_limits<double>::infinity(), sum = 0;  // the sum of weight exp(value - most)
      for (std::int64_t row = end; row-- > begin;) {
        stop.before(20);
        const auto i = static_cast<std::size_t>(row);
        const double weight = weights.empty() ? 1 : weights[i];
        if (weight > 0 && values[i] > most) {
          sum = weight + (sum > 0 ? sum * std::exp(most - values[i]) : 0);
          most = values[i];
        } else if (weight > 0) {
          sum += weight * std::exp(values[i] - most);
        }
        greatest[i] = most;
        rest[i] = sum > 0 ? std::log(sum) : 0;
      }
    };
  });
}

// sums[i] = terms[i] + decays[i] sums[i + 1], within each query.
inline void decayed_sums(std::span<const double> terms, std::span<const double> decays,
                         std::span<const std::int64_t> offsets, std::span<double> sums, Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given](std::int64_t, std::int64_t begin, std::int64_t end) mutable {
      double sum = 0;
      for (std::int64_t row = end; row-- > begin;) {
        stop.before(5);
        const auto i = static_cast<std::size_t>(row);
        sums[i] = sum = terms[i] + (sum == 0 ? 0 : decays[i] * sum);
      }
    };
  });
}

}  // namespace idealrank
