// Exponentials of one part of a query, and the derivatives that follow from their sum.
#pragma once

#include <cstddef>
#include <limits>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/sigmoid/softmax.hpp"

#include "idealrank/isa/isa_begin.hpp"

struct SoftmaxLanes {
  Lanes exponentials, targets, missed;
};

inline void survey_softmax(const SoftmaxPart& part, double& greatest, double& total) {
  Lanes highest = broadcast(greatest), added = broadcast(0);
  std::size_t i = 0;
  for (; i + kLanes <= part.n; i += kLanes) {
    const Lanes scores = load(part.scores + i);
    highest = where(scores > highest, scores, highest);
    added += load(part.worth + i);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) greatest = highest[lane] > greatest ? highest[lane] : greatest;
  total += sum(added);
  for (; i < part.n; ++i) {
    greatest = part.scores[i] > greatest ? part.scores[i] : greatest;
    total += part.worth[i];
  }
}

template <bool shares>
IDEALRANK_INLINE Lanes exponential(Lanes scores, Lanes worth, const SoftmaxPart& part, SoftmaxLanes& sums) {
  const Lanes below = part.greatest - scores, e = exp(-below);
  const Lanes target = shares ? e : worth / part.divisor;
  sums.exponentials += e;
  sums.targets += target;
  sums.missed += where(target > 0.0, target * below, broadcast(0));  // `below` may be infinite
  return e;
}

template <bool shares>
inline void add_softmax(const SoftmaxPart& part, double* column, SoftmaxSums& sums) {
  SoftmaxLanes added{broadcast(0), broadcast(0), broadcast(0)};
  std::size_t i = 0;
  for (; i + kLanes <= part.n; i += kLanes) {
    store(column + i, exponential<shares>(load(part.scores + i), load(part.worth + i), part, added));
  }
  if (const std::size_t rest = part.n - i; rest > 0) {
    // e^(s - greatest) is 0 for the lanes without a document.
    const Lanes scores = load_some(part.scores + i, rest, -std::numeric_limits<double>::infinity());
    const Lanes e = exponential<shares>(scores, load_some(part.worth + i, rest, 0), part, added);
    store_some(column + i, e, rest);
  }
  sums.exponentials += sum(added.exponentials);
  sums.targets += sum(added.targets);
  sums.missed += sum(added.missed);
}

inline void finish_softmax(const SoftmaxPart& part, double factor, double* column) {
  for (std::size_t i = 0; i < part.n; ++i) column[i] = column[i] * factor - part.worth[i] / part.divisor;
}

#include "idealrank/isa/isa_end.hpp"
