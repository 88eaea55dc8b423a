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
  // Raises `greatest` to the highest score, and adds the worth.
  void (*survey)(const SoftmaxPart& part, double& greatest, double& total);
  // Writes e^(s - greatest) into the column, and adds to the sums.
  void (*add)(const SoftmaxPart& part, double* column, SoftmaxSums& sums);
  // The same with e^(s - greatest) as the target.
  void (*add_shares)(const SoftmaxPart& part, double* column, SoftmaxSums& sums);
  // Multiplies the column, and subtracts the targets.
  void (*finish)(const SoftmaxPart& part, double factor, double* column);
};

extern const SoftmaxKernels softmax_kernels_base, softmax_kernels_v3;

// What targets t are made of.
enum class Targets {
  worth,   // t is the worth
  shares,  // t is the worth, divided by its sum
  logits,  // t is e^worth, divided by its sum, and sum_i t_i log t_i is added to the value
};

// Computes queries one by one, reusing its memory.
class SoftmaxQuery {
 public:
  SoftmaxQuery(const SoftmaxKernels& kernels, Targets targets, const Stop& stop)
      : kernels_(kernels), targets_(targets), stop_(stop) {}

  // Writes the derivatives, and returns the value. A query without worth, or with logits that are all -infinity, has the
  // value 0.
  double operator()(std::span<const double> worth, std::span<const double> scores, std::span<double> column) {
    double log_targets = 0;
    if (targets_ == Targets::logits) {
      log_targets = shares_of(worth);
      worth = shares_;
    }
    double greatest = -std::numeric_limits<double>::infinity(), total = 0;
    const auto part = [&](std::size_t i, std::size_t last, double divisor) {
      return SoftmaxPart{last - i, &scores[i], &worth[i], greatest, divisor};
    };
    for_each_part(scores.size(), stop_, [&](std::size_t i, std::size_t last) {
      kernels_.survey(part(i, last, 1.0), greatest, total);
    });
    if (!(total > 0)) {
      for_each_part(scores.size(), stop_, [&](std::size_t i, std::size_t last) {
        std::fill(column.begin() + static_cast<std::ptrdiff_t>(i), column.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
      });
      return 0;
    }
    const double divisor = targets_ == Targets::worth ? 1.0 : total;
    SoftmaxSums sums;
    for_each_part(scores.size(), stop_, [&](std::size_t i, std::size_t last) {
      kernels_.add(part(i, last, divisor), &column[i], sums);
    });
    const double factor = sums.targets / sums.exponentials;
    for_each_part(scores.size(), stop_, [&](std::size_t i, std::size_t last) {
      kernels_.finish(part(i, last, divisor), factor, &column[i]);
    });
    return sums.targets * std::log(sums.exponentials) + sums.missed + log_targets;
  }

 private:
  // Sets the shares to e^(logit - greatest), all 0 if the greatest is -infinity; returns sum_i t_i log t_i of them, divided
  // by their sum.
  double shares_of(std::span<const double> logits) {
    stoppable_resize(shares_, logits.size(), stop_);
    double greatest = -std::numeric_limits<double>::infinity(), total = 0;
    const auto part = [&](std::size_t i, std::size_t last) {
      return SoftmaxPart{last - i, &logits[i], &logits[i], greatest, 1.0};
    };
    for_each_part(logits.size(), stop_, [&](std::size_t i, std::size_t last) {
      kernels_.survey(part(i, last), greatest, total);
    });
    if (!(greatest > -std::numeric_limits<double>::infinity())) {
      std::fill(shares_.begin(), shares_.end(), 0.0);
      return 0;
    }
    SoftmaxSums sums;
    for_each_part(logits.size(), stop_, [&](std::size_t i, std::size_t last) {
      kernels_.add_shares(part(i, last), &shares_[i], sums);
    });
    return -sums.missed / sums.exponentials - std::log(sums.exponentials);
  }

  const SoftmaxKernels& kernels_;
  Targets targets_;
  Stop stop_;
  std::vector<double> shares_;
};

// Writes one value per query, and its derivatives.
inline void softmax_cross_entropy(std::span<const double> worth, std::span<const double> scores,
                                  std::span<const std::int64_t> offsets, Targets targets, Isa isa,
                                  std::span<double> values, std::span<double> gradient, Threads threads) {
  const SoftmaxKernels& kernels = choose(isa, softmax_kernels_base, softmax_kernels_v3);
  for_each_query(offsets, threads, [&](const Stop& stop) {
    return [&, each = SoftmaxQuery(kernels, targets, stop), own_scores = OwnCopy(stop),
            own_worth = OwnCopy(stop)](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      const auto s = own_scores(scores.subspan(first, n));
      check_finite(s, query, begin);
      values[q] = each(own_worth(worth.subspan(first, n)), s, gradient.subspan(first, n));
    };
  });
}

}  // namespace idealrank
