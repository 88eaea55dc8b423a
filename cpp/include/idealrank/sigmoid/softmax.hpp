// Cross entropy between targets and the softmax of scores: -sum_i t_i log softmax(s)_i.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/own_copy.hpp"

namespace idealrank {

// One query, or a part of its documents.
struct SoftmaxPart {
  std::size_t n;
  const double* scores;   // finite
  const double* worth;    // not negative
  double greatest;        // of all scores of the query
  double divisor;         // the target of a document is its worth divided by this
};

struct SoftmaxSums {
  double exponentials = 0;  // of e^(s - greatest)
  double targets = 0;
  double missed = 0;  // of target (greatest - s)
};

// The kernels for one instruction set.
struct SoftmaxKernels {
  // Writes e^(s - greatest) into the column, and adds to the sums.
  void (*add)(const SoftmaxPart& part, double* column, SoftmaxSums& sums);
  // Multiplies the column, and subtracts the targets.
  void (*finish)(const SoftmaxPart& part, double factor, double* column);
};

extern const SoftmaxKernels softmax_kernels_base, softmax_kernels_v3;

// Sets `shares` to e^(logit - greatest), all 0 if the greatest is -infinity; returns sum_i t_i log t_i of them, divided by
// their sum.
inline double softmax_of_logits(std::span<const double> logits, const SoftmaxKernels& kernels, Stop& stop,
                                std::vector<double>& shares) {
  const std::size_t n = logits.size();
  stoppable_resize(shares, n, stop);
  double greatest = -std::numeric_limits<double>::infinity();
  for_each_part(n, stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) greatest = logits[i] > greatest ? logits[i] : greatest;
  });
  if (!(greatest > -std::numeric_limits<double>::infinity())) {
    std::fill(shares.begin(), shares.end(), 0.0);
    return 0;
  }
  SoftmaxSums sums;
  for_each_part(n, stop, [&](std::size_t i, std::size_t last) {
    kernels.add({last - i, &logits[i], &logits[i], greatest, 1.0}, &shares[i], sums);
  });
  double below = 0;
  for_each_part(n, stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) below += shares[i] > 0 ? shares[i] * (logits[i] - greatest) : 0.0;
  });
  return below / sums.exponentials - std::log(sums.exponentials);
}

// What targets t are made of.
enum class Targets {
  worth,   // t is the worth
  shares,  // t is the worth, divided by its sum
  logits,  // t is e^worth, divided by its sum, and sum_i t_i log t_i is added to the value
};

// Writes one value per query, and its derivatives. A query without worth, or with logits that are all -infinity, has the
// value 0.
inline void softmax_cross_entropy(std::span<const double> worth, std::span<const double> scores,
                                  std::span<const std::int64_t> offsets, Targets targets, Isa isa,
                                  std::span<double> values, std::span<double> gradient, Threads threads) {
  const SoftmaxKernels& kernels = choose(isa, softmax_kernels_base, softmax_kernels_v3);
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, own_scores = OwnCopy(given), own_worth = OwnCopy(given), shares = std::vector<double>()](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      const auto s = own_scores(scores.subspan(first, n));
      auto w = own_worth(worth.subspan(first, n));
      const auto column = gradient.subspan(first, n);
      check_finite(s, query, begin);
      double greatest = n > 0 ? s[0] : 0.0, total = 0, log_targets = 0;
      if (targets == Targets::logits) {
        log_targets = softmax_of_logits(w, kernels, stop, shares);
        w = shares;
      }
      for_each_part(n, stop, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) {
          greatest = s[i] > greatest ? s[i] : greatest;
          total += w[i];
        }
      });
      if (!(total > 0)) {
        for_each_part(n, stop, [&](std::size_t i, std::size_t last) {
          for (; i < last; ++i) column[i] = 0;
        });
        values[q] = 0;
        return;
      }
      const double divisor = targets == Targets::worth ? 1.0 : total;
      const auto part = [&](std::size_t i, std::size_t last) {
        return SoftmaxPart{last - i, s.data() + i, w.data() + i, greatest, divisor};
      };
      SoftmaxSums sums;
      for_each_part(n, stop, [&](std::size_t i, std::size_t last) { kernels.add(part(i, last), &column[i], sums); });
      const double factor = sums.targets / sums.exponentials;
      for_each_part(n, stop, [&](std::size_t i, std::size_t last) { kernels.finish(part(i, last), factor, &column[i]); });
      values[q] = sums.targets * std::log(sums.exponentials) + sums.missed + log_targets;
    };
  });
}

}  // namespace idealrank
