// ApproxNDCG (Qin et al. 2008): 1 - NDCG with soft ranks in place of ranks, and its derivative by each score.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "idealrank/buffer.hpp"
#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// One list. With p the soft rank of a document, the loss is
//   1 - sum_x gain_x D(p_x) T(p_x) / ideal,  D(p) = ln 2 / ln(1 + p),  T(p) = sigma(beta (depth + 1/2 - p)),
// where T is 1 if there is no cutoff (depth is infinite).
struct ApproxNdcgList {
  std::span<const double> gains, scores;
  double alpha, beta, depth, ideal;
};

// Arrays are shared where possible: for a long list, the page faults of each cost as much as part of the arithmetic.
struct ApproxNdcgScratch {
  explicit ApproxNdcgScratch(const Stop& stop = {}) : sums(stop) {}

  SigmoidScratch sums;
  Buffer<double> positions;
  Buffer<double> slopes;  // holds the gains first
};

struct ApproxNdcg {
  // Returns the loss, and sets gradient[i] to its derivative by scores[i]. The gains may be stored in scratch.slopes.
  double (*of_list)(const ApproxNdcgList& list, std::span<double> gradient, ApproxNdcgScratch& scratch);
  // Sets weights[i] to D(first + i).
  void (*discounts)(std::size_t first, std::span<double> weights);
};
extern const ApproxNdcg approx_ndcg_base, approx_ndcg_v3;

struct ApproxNdcgLists {
  std::span<const double> labels, scores;
  std::span<const std::int64_t> offsets;
  std::span<const double> weights;  // factors of the gains, one per document; empty if all are 1
  std::span<const std::int64_t> depths;  // number of ranks that count, one per query; empty if all do
  bool exp2;  // the gain of label l is 2^l - 1 instead of l
  double alpha, beta;
};

// Sums of discounts; uses a table for short lists, since there may be many.
class DiscountSums {
 public:
  DiscountSums(const ApproxNdcg& kernel, std::size_t longest) : kernel_(kernel), up_to_(1 + std::min(longest, kTable)) {
    kernel.discounts(1, std::span(up_to_).subspan(1));
    for (std::size_t rank = 1; rank < up_to_.size(); ++rank) up_to_[rank] += up_to_[rank - 1];
  }

  // D(first + 1) + ... + D(last).
  double operator()(std::size_t first, std::size_t last) const {
    if (last < up_to_.size()) return up_to_[last] - up_to_[first];
    double total = 0;
    std::array<double, kTable> weights;
    for (; first < last; first += kTable) {
      const std::span<double> part(weights.data(), std::min(kTable, last - first));
      kernel_.discounts(first + 1, part);
      total += std::accumulate(part.begin(), part.end(), 0.0);
    }
    return total;
  }

 private:
  static constexpr std::size_t kTable = 4096;

  const ApproxNdcg& kernel_;
  std::vector<double> up_to_;
};

// The gains of one list at a time, and the highest DCG that they allow.
class GainsAndIdeal {
 public:
  explicit GainsAndIdeal(const Stop& stop = {}) : own_labels_(stop), levels_(stop) {}

  // Throws data_error if a label is not finite, or if a gain is negative or not finite.
  // Computed gains are stored in `memory`.
  void operator()(const ApproxNdcgLists& lists, std::int64_t query, std::int64_t begin, std::size_t n,
                  Buffer<double>& memory) {
    const auto first = static_cast<std::size_t>(begin);
    gains_ = own_labels_(lists.labels.subspan(first, n));
    levels_(gains_, query, begin);
    level_gains_.assign(levels_.labels().begin(), levels_.labels().end());
    if (lists.exp2) {
      for (double& gain : level_gains_) gain = detail::exp2_gain(gain);
    }
    if (lists.exp2 || !lists.weights.empty()) {
      memory.resize(n);
      for (std::size_t i = 0; i < n; ++i) memory[i] = level_gains_[levels_.levels()[i]];
      gains_ = memory.span();
    }
    if (!lists.weights.empty()) {
      for (std::size_t i = 0; i < n; ++i) memory[i] *= lists.weights[first + i];
      levels_(gains_, query, begin, "a gain");
      level_gains_.assign(levels_.labels().begin(), levels_.labels().end());
    }
    if (n > 0 && !(level_gains_.front() >= 0 && level_gains_.back() <= std::numeric_limits<double>::max()))
      refuse(query, begin);
  }

  std::span<const double> gains() const { return gains_; }

  double ideal(const DiscountSums& discount_sum, std::size_t depth) const {
    double total = 0;
    for (std::size_t level = level_gains_.size(), rank = 0; level-- > 0 && rank < depth;) {
      const std::size_t last = std::min<std::size_t>(rank + levels_.counts()[level], depth);
      total += level_gains_[level] * discount_sum(rank, last);
      rank = last;
    }
    return total;
  }

 private:
  [[noreturn]] void refuse(std::int64_t query, std::int64_t begin) const {
    std::size_t i = 0;
    while (gains_[i] >= 0 && gains_[i] <= std::numeric_limits<double>::max()) ++i;
    throw data_error("a gain must be finite and not negative, got " + std::to_string(gains_[i]), query,
                     begin + static_cast<std::int64_t>(i));
  }

  OwnCopy own_labels_;
  LabelLevels levels_;
  std::vector<double> level_gains_;
  std::span<const double> gains_;
};

// Writes one value per query and one derivative per document. For a query without gain, all are 0.
inline void approx_ndcg(const ApproxNdcgLists& lists, std::span<double> values, std::span<double> gradient, Isa isa,
                        Threads threads) {
  const ApproxNdcg& kernel = choose(isa, approx_ndcg_base, approx_ndcg_v3);
  std::int64_t longest = 0;
  for (std::size_t q = 1; q < lists.offsets.size(); ++q)
    longest = std::max(longest, lists.offsets[q] - lists.offsets[q - 1]);
  const DiscountSums discount_sum(kernel, static_cast<std::size_t>(longest));

  for_each_query(lists.offsets, threads, [&](const Stop& stop) {
    return [&, scratch = ApproxNdcgScratch(stop), value = GainsAndIdeal(stop), own_scores = OwnCopy(stop)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      const auto scores = own_scores(lists.scores.subspan(first, n));
      const auto own = gradient.subspan(first, n);
      check_finite(scores, query, begin);
      value(lists, query, begin, n, scratch.slopes);
      const bool whole = lists.depths.empty();
      const std::size_t depth = whole ? n : static_cast<std::size_t>(std::min(lists.depths[q], end - begin));
      const double ideal = value.ideal(discount_sum, depth);
      if (ideal > 0) {
        const double soft_depth = whole ? std::numeric_limits<double>::infinity() : static_cast<double>(lists.depths[q]);
        values[q] = kernel.of_list({value.gains(), scores, lists.alpha, lists.beta, soft_depth, ideal}, own, scratch);
      } else {
        values[q] = 0;
        std::fill(own.begin(), own.end(), 0.0);
      }
    };
  });
}

}  // namespace idealrank
