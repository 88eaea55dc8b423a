// ApproxNDCG (Qin et al. 2008): 1 - NDCG with soft ranks in place of ranks, and its derivative by each score.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa.hpp"
#include "idealrank/label_levels.hpp"
#include "idealrank/sigmoid_sums.hpp"
#include "idealrank/top.hpp"

namespace idealrank {

// One list. With p the soft rank of a document, the loss is
//   1 - sum_x gain_x D(p_x) T(p_x) / ideal,  D(p) = ln 2 / ln(1 + p),  T(p) = sigma(beta (depth + 1/2 - p)),
// where T is 1 without a cut-off: an infinite depth.
struct ApproxNdcgList {
  std::span<const double> gains, scores;
  double alpha, beta, depth, ideal;
};

struct ApproxNdcgScratch {
  SigmoidScratch sums;
  std::vector<double> positions, slopes;
};

struct ApproxNdcg {
  // The loss; gradient[i] becomes its derivative by scores[i].
  double (*of_list)(const ApproxNdcgList& list, std::span<double> gradient, ApproxNdcgScratch& scratch);
  // sums[r] becomes D(1) + ... + D(r).
  void (*discount_sums)(std::span<double> sums);
};
extern const ApproxNdcg approx_ndcg_base, approx_ndcg_v3;

struct ApproxNdcgLists {
  std::span<const double> gains, scores;
  std::span<const std::int64_t> offsets;
  std::span<const std::int64_t> depths;  // how many ranks of each query count; none where all do
  double alpha, beta;
};

// The greatest sum of gains times discounts. sums[r]: of the discounts of the first r ranks.
class IdealDcg {
 public:
  double operator()(std::span<const double> gains, std::span<const double> sums, std::size_t depth, std::int64_t query,
                    std::int64_t first_row) {
    levels_(gains, query, first_row);
    double ideal = 0;
    for (std::size_t level = levels_.labels().size(), rank = 0; level-- > 0 && rank < depth;) {
      const std::size_t last = std::min<std::size_t>(rank + levels_.counts()[level], depth);
      ideal += levels_.labels()[level] * (sums[last] - sums[rank]);
      rank = last;
    }
    return ideal;
  }

 private:
  LabelLevels levels_;
};

// values: one a query; gradient: one a document. A query without gain has the value 0 and the gradient 0.
inline void approx_ndcg(const ApproxNdcgLists& lists, std::span<double> values, std::span<double> gradient, Isa isa,
                        int n_threads) {
  const ApproxNdcg& kernel = choose(isa, approx_ndcg_base, approx_ndcg_v3);
  std::int64_t longest = 0;
  for (std::size_t q = 1; q < lists.offsets.size(); ++q) longest = std::max(longest, lists.offsets[q] - lists.offsets[q - 1]);
  std::vector<double> discount_sums(static_cast<std::size_t>(longest) + 1);
  kernel.discount_sums(discount_sums);

  for_each_query(lists.offsets, n_threads, [&] {
    return [&, scratch = ApproxNdcgScratch(), find_ideal = IdealDcg()](std::int64_t query, std::int64_t begin,
                                                                      std::int64_t end) mutable {
      const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      const auto gains = lists.gains.subspan(first, n), scores = lists.scores.subspan(first, n);
      const auto own = gradient.subspan(first, n);
      check_finite(scores, query, begin);
      const bool whole = lists.depths.empty();
      const std::size_t depth = whole ? n : static_cast<std::size_t>(std::min(lists.depths[q], end - begin));
      const double ideal = find_ideal(gains, discount_sums, depth, query, begin);
      if (ideal > 0) {
        const double soft_depth = whole ? std::numeric_limits<double>::infinity() : static_cast<double>(lists.depths[q]);
        values[q] = kernel.of_list({gains, scores, lists.alpha, lists.beta, soft_depth, ideal}, own, scratch);
      } else {
        values[q] = 0;
        std::fill(own.begin(), own.end(), 0.0);
      }
    };
  });
}

}  // namespace idealrank
