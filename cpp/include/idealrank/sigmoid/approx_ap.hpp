// ApproxAP (Qin et al. 2008): 1 - average precision with soft ranks in place of ranks, and its derivative by each score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

struct ApproxApLists {
  std::span<const double> worth;  // one per document: 0 if not relevant, else 1 or its weight
  std::span<const double> scores;
  std::span<const std::int64_t> offsets;
  double alpha, beta;
};

// Processes lists one by one, reusing its memory. With p the soft rank of a document and w its worth, the loss is
//   1 - sum_y w_y / p_y (w_y + sum_{x != y} w_x sigma(beta (p_y - p_x))) / sum_y w_y    (eq. (22)).
class ApproxAp {
 public:
  ApproxAp(const SigmoidSums& kernel, double alpha, double beta, const Stop& stop = {})
      : kernel_(kernel), alpha_(alpha), beta_(beta), scratch_(stop) {}

  // Returns the loss, and sets gradient[i] to its derivative by scores[i].
  double operator()(std::span<const double> worth, std::span<const double> scores, std::span<double> gradient) {
    const std::size_t n = scores.size();
    for (std::vector<double>* column : {&above_, &density_, &slopes_, &unused_}) stoppable_resize(*column, n, scratch_.stop);
    kernel_.of_list(scores, {}, alpha_, above_, density_, scratch_);
    scratch_.stop.before(4 * n);
    const double value = by_position(worth);
    scratch_.stop.before(4 * n);
    // eq. (41): a score changes its own rank at the rate -alpha density, and other ranks at the rate alpha sigma'.
    kernel_.of_list(scores, slopes_, alpha_, unused_, gradient, scratch_);
    scratch_.stop.before(2 * n);
    for (std::size_t i = 0; i < n; ++i) gradient[i] = alpha_ * (gradient[i] - slopes_[i] * density_[i]);
    return value;
  }

 private:
  // Returns the loss, and sets slopes_[i] to its derivative by the soft rank 1 + above_[i].
  double by_position(std::span<const double> worth) {
    rows_.clear();
    heights_.clear();
    weights_.clear();
    double total = 0;
    for (std::size_t i = 0; i < worth.size(); ++i) {
      scratch_.stop.before(10);
      slopes_[i] = 0;
      if (!(worth[i] > 0)) continue;
      rows_.push_back(i);
      heights_.push_back(-1 - above_[i]);
      weights_.push_back(worth[i]);
      total += worth[i];
    }
    const std::size_t n = rows_.size();
    for (std::vector<double>* column : {&hits_, &hit_slopes_, &shares_, &pulled_})
      stoppable_resize(*column, n, scratch_.stop);
    kernel_.of_list(heights_, weights_, beta_, hits_, hit_slopes_, scratch_);
    scratch_.stop.before(4 * n);
    for (std::size_t i = 0; i < n; ++i) shares_[i] = -weights_[i] / heights_[i];
    kernel_.of_list(heights_, shares_, beta_, unused_of(n), pulled_, scratch_);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      scratch_.stop.before(5);
      const double hits = weights_[i] + hits_[i];
      sum += shares_[i] * hits;
      // eqs. (44)-(47)
      const double slope =
          shares_[i] / heights_[i] * hits + beta_ * (shares_[i] * hit_slopes_[i] - weights_[i] * pulled_[i]);
      slopes_[rows_[i]] = -slope / total;
    }
    return n > 0 ? 1 - sum / total : 0;
  }

  std::span<double> unused_of(std::size_t n) { return std::span(unused_).first(n); }

  const SigmoidSums& kernel_;
  double alpha_, beta_;
  SigmoidScratch scratch_;
  std::vector<double> above_, density_, slopes_, unused_;  // one per document
  std::vector<double> heights_, weights_, hits_, hit_slopes_, shares_, pulled_;  // one per relevant document
  std::vector<std::size_t> rows_;
};

// Writes one value per query and one derivative per document. For a query without relevant documents, all are 0.
inline void approx_ap(const ApproxApLists& lists, std::span<double> values, std::span<double> gradient, Isa isa,
                      Threads threads) {
  const SigmoidSums& kernel = choose(isa, sigmoid_sums_base, sigmoid_sums_v3);
  for_each_query(lists.offsets, threads, [&](const Stop& stop) {
    return [&, loss = ApproxAp(kernel, lists.alpha, lists.beta, stop), own_scores = OwnCopy(stop)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto scores = own_scores(lists.scores.subspan(first, n));
      check_finite(scores, query, begin);
      values[static_cast<std::size_t>(query)] = loss(lists.worth.subspan(first, n), scores, gradient.subspan(first, n));
    };
  });
}

}  // namespace idealrank
