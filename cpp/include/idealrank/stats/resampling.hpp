// Resampling of per-query values: random signs, shuffled rows of a matrix, and queries drawn with replacement.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/stats/random.hpp"

namespace idealrank {

namespace detail {

inline constexpr std::int64_t kResamplesPerTask = 64;

// Calls make_body()(resample) for every resample on all threads. Each takes about `work` nanoseconds.
template <class MakeBody>
void for_each_resample(std::size_t n_resamples, std::size_t work, Threads threads, MakeBody&& make_body) {
  const auto n = static_cast<std::int64_t>(n_resamples);
  for_each_task((n + kResamplesPerTask - 1) / kResamplesPerTask, threads, [&](const Stop& given) {
    return [&, stop = given, body = make_body()](std::int64_t task) mutable {
      const std::int64_t last = std::min(n, (task + 1) * kResamplesPerTask);
      for (std::int64_t resample = task * kResamplesPerTask; resample < last; ++resample) {
        stop.before(work);
        body(static_cast<std::size_t>(resample));
      }
    };
  });
}

inline double with_sign(double value, std::uint64_t bit) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (bit << 63));
}

}  // namespace detail

// sums[b]: the sum of the differences with random signs.
inline void flipped_sums(std::span<const double> differences, std::uint64_t seed, std::span<double> sums, Threads threads) {
  detail::for_each_resample(sums.size(), differences.size(), threads, [&] {
    return [&](std::size_t b) {
      Random random(seed, b);
      double total[4] = {0, 0, 0, 0};
      const std::size_t n = differences.size();
      for (std::size_t first = 0; first < n; first += 64) {
        std::uint64_t signs = random();
        const std::size_t last = std::min(n, first + 64);
        std::size_t i = first;
        for (; i + 4 <= last; i += 4, signs >>= 4) {
          for (std::size_t lane = 0; lane < 4; ++lane)
            total[lane] += detail::with_sign(differences[i + lane], (signs >> lane) & 1);
        }
        for (; i < last; ++i, signs >>= 1) total[0] += detail::with_sign(differences[i], signs & 1);
      }
      sums[b] = (total[0] + total[1]) + (total[2] + total[3]);
    };
  });
}

// Counts the choices of signs, out of 2^n, for which the sum is at least `least` away from 0. Tabulates the sums of two
// halves, so that each choice costs one addition.
inline std::int64_t count_flipped_sums(std::span<const double> differences, double least, Stop stop = {}) {
  auto all_sums = [](std::span<const double> part) {
    std::vector<double> sums{0};
    for (const double difference : part) {
      const std::size_t n = sums.size();
      for (std::size_t i = 0; i < n; ++i) sums.push_back(sums[i] + difference);
      for (std::size_t i = 0; i < n; ++i) sums[i] -= difference;
    }
    return sums;
  };
  const std::size_t half = differences.size() / 2;
  const std::vector<double> first = all_sums(differences.first(half)), second = all_sums(differences.subspan(half));
  std::int64_t count = 0;
  for (const double a : first) {
    stop.before(second.size());
    for (const double b : second) count += a + b >= least || a + b <= -least ? 1 : 0;
  }
  return count;
}

// ranges[b]: the largest minus the smallest column sum of the matrix, with the entries of each row in random order.
inline void shuffled_ranges(std::span<const double> matrix, std::size_t n_columns, std::uint64_t seed,
                            std::span<double> ranges, Threads threads) {
  detail::for_each_resample(ranges.size(), 3 * matrix.size(), threads, [&] {
    return [&, row = std::vector<double>(n_columns), sums = std::vector<double>(n_columns)](std::size_t b) mutable {
      Random random(seed, b);
      std::ranges::fill(sums, 0.0);
      for (std::size_t start = 0; start < matrix.size(); start += n_columns) {
        std::ranges::copy(matrix.subspan(start, n_columns), row.begin());
        // Fisher-Yates shuffle that makes several choices from one random word. The word, as a fraction of 1, is multiplied
        // by the number of choices: the integer part is the choice, and the fractional part is used next. A new word is
        // drawn before less than 2^-32 of one would be left.
        std::uint64_t fraction = 0, n_drawn = std::uint64_t{1} << 32;
        for (std::size_t left = n_columns; left > 0; --left) {
          if (n_drawn * left > std::uint64_t{1} << 32) {
            fraction = random();
            n_drawn = 1;
          }
          n_drawn *= left;
          const WideProduct product = wide_product(fraction, left);
          fraction = product.low;
          sums[left - 1] += row[product.high];
          row[product.high] = row[left - 1];
        }
      }
      const auto [least, most] = std::ranges::minmax(sums);
      ranges[b] = most - least;
    };
  });
}

// means[b] and variances[b] (with n - 1 in the denominator) of n values drawn with replacement.
inline void bootstrap_moments(std::span<const double> values, std::uint64_t seed, std::span<double> means,
                              std::span<double> variances, Threads threads) {
  const auto n = static_cast<double>(values.size());
  double centre = 0;
  for (const double value : values) centre += value / n;
  detail::for_each_resample(means.size(), 4 * values.size(), threads, [&] {
    return [&](std::size_t b) {
      Random random(seed, b);
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double deviation = values[random.below(values.size())] - centre;
        sum += deviation;
        squares += deviation * deviation;
      }
      means[b] = centre + sum / n;
      variances[b] = std::max(squares - sum * sum / n, 0.0) / (n - 1);
    };
  });
}

}  // namespace idealrank
