// The DCG of a list that NeuralSort sorts by score (Pobrotyn and Bialobrzeski 2021).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/measure/rank_discounts.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// Rank r of n holds document j with the share softmax_j(((n + 1 - 2 r) s_j - sum_k |s_j - s_k|) / tau). If documents are
// sorted by descending score, the exponent of place j + 1 exceeds that of j by (s_j - s_{j+1}) (2 r - 1 - 2 j) / tau, for j
// from 1 on: it rises up to place r, and falls after it. Shares below exp(-kNegligible) times the largest are dropped, so
// that a rank needs only the places near its own.
class NeuralDcg {
 public:
  NeuralDcg(double tau, bool curvature, const Stop& stop = {})
      : tau_(tau), curvature_(curvature), stop_(stop), rank_(stop) {}

  // Returns the DCG of one query. Writes its derivatives by the scores, or bounds on its second derivatives, into `column`.
  double operator()(std::span<const double> gains, std::span<const double> scores, std::span<const double> discounts,
                    std::int64_t query, std::int64_t first_row, std::span<double> column) {
    const std::size_t n = scores.size();
    const auto order = rank_(scores, n, query, first_row);
    scores_.resize(n);
    gains_.resize(n);
    ranks_.assign(n, 0.0);
    plain_.assign(n, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
      scores_[p] = scores[order[p]];
      gains_[p] = gains[order[p]];
    }
    find_centers();
    double value = 0, flat = 0;
    for (std::size_t r = 0; r < n; ++r) {
      if (discounts[r] == 0) continue;
      value += discounts[r] * at_rank(r, discounts[r], flat);
    }
    if (curvature_) {
      for (std::size_t p = 0; p < n; ++p) column[order[p]] = (2 * ranks_[p] + 4 * flat) / (tau_ * tau_);
    } else {
      pull(order, column);
    }
    return value;
  }

 private:
  static constexpr double kNegligible = 60;

  // Returns the expected gain at rank r, counted from 0. Adds the derivatives of the DCG by exponents to `plain_`,
  // and these times the derivatives of the exponents by their own scores to `ranks_`. For curvatures, adds their
  // bounds to `ranks_` and `flat`.
  double at_rank(std::size_t r, double discount, double& flat) {
    const std::size_t n = scores_.size();
    shares_.clear();
    std::size_t first = r, last = r + 1;  // the range of places that count
    double exponent = 0;
    shares_.push_back(1);
    while (last < n) {
      exponent -= (scores_[last - 1] - scores_[last]) / tau_ * (2 * static_cast<double>(last - r) - 1);
      if (!(exponent > -kNegligible)) break;
      shares_.push_back(std::exp(exponent));
      ++last;
    }
    exponent = 0;
    above_.clear();
    while (first > 0) {
      exponent -= (scores_[first - 1] - scores_[first]) / tau_ * (2 * static_cast<double>(r - first) + 1);
      if (!(exponent > -kNegligible)) break;
      above_.push_back(std::exp(exponent));
      --first;
    }
    stop_.before(20 * (last - first));
    auto share_at = [&](std::size_t place) -> double& { return place >= r ? shares_[place - r] : above_[r - 1 - place]; };
    double total = 0, gain = 0;
    for (std::size_t place = first; place < last; ++place) {
      total += share_at(place);
      gain += share_at(place) * gains_[place];
    }
    gain /= total;
    if (curvature_) {
      double spread = 0;
      for (std::size_t place = first; place < last; ++place) {
        spread += share_at(place) / total * std::abs(gains_[place] - gain);
      }
      flat += discount * spread;
      for (std::size_t place = first; place < last; ++place) {
        const double apart = centers_[place] - 2 * static_cast<double>(r);
        ranks_[place] += discount * share_at(place) / total * (std::abs(gains_[place] - gain) + spread) * apart * apart;
      }
      return gain;
    }
    for (std::size_t place = first; place < last; ++place) {
      const double slope = discount * share_at(place) / total * (gains_[place] - gain);
      plain_[place] += slope;
      ranks_[place] += slope * (centers_[place] - 2 * static_cast<double>(r));
    }
    return gain;
  }

  // The derivative of an exponent by its own score is (n + 1 - 2 rank - (number of lower scores - number of higher
  // scores)) / tau. With r counted from 0, this is (centers_ - 2 r) / tau. Equal scores share a center.
  void find_centers() {
    const std::size_t n = scores_.size();
    centers_.resize(n);
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      while (end < n && scores_[end] == scores_[begin]) ++end;
      std::fill(centers_.begin() + static_cast<std::ptrdiff_t>(begin), centers_.begin() + static_cast<std::ptrdiff_t>(end),
                static_cast<double>(begin + end) - 1);
    }
  }

  // The derivative of an exponent by another score is -1 / tau if that score is higher, and 1 / tau if it is lower.
  void pull(std::span<const std::uint32_t> order, std::span<double> column) {
    const std::size_t n = scores_.size();
    double higher = 0, lower = 0;
    for (std::size_t p = n; p-- > 0;) lower += plain_[p];
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      double own = 0;
      for (; end < n && scores_[end] == scores_[begin]; ++end) own += plain_[end];
      lower -= own;
      for (std::size_t p = begin; p < end; ++p) column[order[p]] = (ranks_[p] + higher - lower) / tau_;
      higher += own;
    }
  }

  double tau_;
  bool curvature_;
  Stop stop_;
  TopRanker rank_;
  std::vector<double> scores_, gains_, centers_, plain_, ranks_, shares_, above_;
};

// Writes one DCG per query, and one derivative or bound on a second derivative per document. Only the
// first depths[query] ranks count.
inline void neural_dcg(std::span<const double> gains, std::span<const double> scores, std::span<const std::int64_t> offsets,
                       const Discount& discount, std::span<const std::int64_t> depths, double tau, bool curvature,
                       std::span<double> values, std::span<double> column, Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& stop) {
    return [&, dcg = NeuralDcg(tau, curvature, stop), discounts = std::vector<double>(), own_scores = OwnCopy(stop)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      discounts.resize(n);
      fill_discounts(discount, depths[q], discounts);
      values[q] = dcg(gains.subspan(first, n), own_scores(scores.subspan(first, n)), discounts, query, begin,
                      column.subspan(first, n));
    };
  });
}

}  // namespace idealrank
