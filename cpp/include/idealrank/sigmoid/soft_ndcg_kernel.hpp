// Rank distributions of one document at a time, and how each opponent changes them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/sigmoid/soft_ndcg.hpp"

#include "idealrank/isa/isa_begin.hpp"

// Smaller probabilities count as 0: even n of them do not add up to one unit in the last place of 1.
inline constexpr double kImpossible = 1e-20;

// The distribution of X = X_1 + ... + X_m with P(X_j = 1) = pi_j: the number of opponents that beat a document. Only values
// of non-negligible probability are kept: about 20 standard deviations, each of which is at most sqrt(m) / 2.
class BeatenBy {
 public:
  explicit BeatenBy(double* probabilities) : p_(probabilities) { p_[0] = 1; }

  // probabilities()[r] = P(X = first() + r), r < size()
  const double* probabilities() const { return p_ + first_; }
  std::size_t first() const { return first_; }
  std::size_t size() const { return size_; }

  // p(r) <- (1 - pi) p(r) + pi p(r - 1)
  void add(double pi) {
    double* const p = p_ + first_;
    p[size_] = 0;
    for (std::size_t r = size_; r > 0; --r) p[r] += pi * (p[r - 1] - p[r]);
    p[0] -= pi * p[0];
    ++size_;
    while (size_ > 1 && p_[first_] < kImpossible) {
      ++first_;
      --size_;
    }
    while (size_ > 1 && p_[first_ + size_ - 1] < kImpossible) --size_;
  }

 private:
  double* p_;
  std::size_t first_ = 0, size_ = 1;
};

inline constexpr std::size_t kChains = 2;  // run at the same time, since each step waits for the previous one
inline constexpr std::size_t kBlock = kChains * kLanes;

inline std::size_t whole_blocks(std::size_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

// For whole blocks of opponents with pi <= 1/2, computes sum_r g(r) drops[r], where g is the
// distribution p without that opponent,
//   g(r) = (p(r) - pi g(r - 1)) / (1 - pi),
// a recurrence in which errors do not grow. For an opponent that wins more often than not, the same holds for its defeats,
// counted backwards: then pi is the probability of a defeat, and p and drops are read from their ends.
template <bool kBackwards>
void leave_out_each(const BeatenBy& beaten, const double* drops, const double* pi, std::size_t n, double* sums, Stop& stop) {
  const std::size_t steps = beaten.size() - 1;
  const double* const p = beaten.probabilities() + (kBackwards ? steps : 0);
  for (std::size_t j = 0; j < n; j += kBlock) {
    stop.before(4 * steps + 20);
    Lanes inverse[kChains], ratio[kChains], g[kChains], total[kChains];
    for (std::size_t c = 0; c < kChains; ++c) {
      const Lanes own = load(pi + j + c * kLanes);
      inverse[c] = 1.0 / (1.0 - own);
      ratio[c] = own * inverse[c];
      g[c] = total[c] = broadcast(0);
    }
    for (std::size_t r = 0; r < steps; ++r) {
      const double here = kBackwards ? *(p - r) : p[r], drop = kBackwards ? drops[steps - 1 - r] : drops[r];
      for (std::size_t c = 0; c < kChains; ++c) {
        g[c] = here * inverse[c] - ratio[c] * g[c];
        total[c] += drop * g[c];
      }
    }
    for (std::size_t c = 0; c < kChains; ++c) store(sums + j + c * kLanes, total[c]);
  }
}

template <bool kCurvature>
double expected_dcg(const SoftQuery& query, double* column) {
  const std::size_t n = query.n, room = n + 2 * kBlock;
  double* const pi = query.scratch;
  double* const sums = pi + room;
  double* const who = sums + room;  // indices
  double* const drops = who + room;
  double* const probabilities = drops + n;
  const double inverse_width = 1 / (2 * query.sigma);
  constexpr double kInverseRootPi = 0.5641895835477563;

  double value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (query.gains[i] == 0) continue;
    // Opponents that rarely win fill the arrays from the front, and those that rarely lose from the back.
    std::size_t n_rare_winners = 0, n_rare_losers = 0, n_sure_winners = 0;
    BeatenBy beaten(probabilities);
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      query.stop->before(20 + beaten.size());
      const double ahead = (query.scores[i] - query.scores[j]) * inverse_width;
      const double upset = std::erfc(std::abs(ahead)) / 2;
      if (upset < kImpossible) {
        n_sure_winners += ahead < 0 ? 1 : 0;
        continue;
      }
      const std::size_t place = ahead < 0 ? room - ++n_rare_losers : n_rare_winners++;
      pi[place] = upset;
      who[place] = static_cast<double>(j);
      beaten.add(ahead < 0 ? 1 - upset : upset);
    }

    const double* const discounts = query.discounts + n_sure_winners + beaten.first();
    double expected = 0;
    for (std::size_t r = 0; r < beaten.size(); ++r) expected += beaten.probabilities()[r] * discounts[r];
    for (std::size_t r = 0; r + 1 < beaten.size(); ++r) drops[r] = discounts[r] - discounts[r + 1];
    value += query.gains[i] * expected;

    const std::size_t winners_end = whole_blocks(n_rare_winners), losers_begin = room - whole_blocks(n_rare_losers);
    std::fill(pi + n_rare_winners, pi + winners_end, 0.0);
    std::fill(pi + losers_begin, pi + room - n_rare_losers, 0.0);
    leave_out_each<false>(beaten, drops, pi, winners_end, sums, *query.stop);
    leave_out_each<true>(beaten, drops, pi + losers_begin, room - losers_begin, sums + losers_begin, *query.stop);

    auto pull = [&](std::size_t place) {
      const auto j = static_cast<std::size_t>(who[place]);
      const double ahead = (query.scores[i] - query.scores[j]) * inverse_width;
      const double density = kInverseRootPi * inverse_width * std::exp(-ahead * ahead);  // derivative of pi by s_j
      const double slope = query.gains[i] * sums[place] * density;
      if constexpr (kCurvature) {
        const double bound = slope * inverse_width * 1.4142135623730951;
        column[i] += bound;
        column[j] += bound;
      } else {
        column[i] += slope;
        column[j] -= slope;
      }
    };
    for (std::size_t place = 0; place < n_rare_winners; ++place) pull(place);
    for (std::size_t place = room - n_rare_losers; place < room; ++place) pull(place);
  }
  return value;
}

#include "idealrank/isa/isa_end.hpp"
