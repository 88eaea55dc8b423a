// The expected DCG of scores under Gaussian noise: SoftRank (Taylor et al. 2008).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/measure/rank_discounts.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// One query. Document j beats i with probability pi = Phi((s_j - s_i) / (sqrt(2) sigma)), independently of the others. The
// rank of i is 1 + the number of documents that beat it.
struct SoftQuery {
  Stop* stop = nullptr;
  std::size_t n = 0;
  const double* scores = nullptr;
  const double* gains = nullptr;
  const double* discounts = nullptr;  // of the ranks 1 ... n
  double sigma = 1;
  double* scratch = nullptr;  // soft_scratch(n) doubles
};

inline constexpr std::size_t soft_scratch(std::size_t n) { return 5 * n + 64; }

// The kernels for one instruction set. Each returns the expected DCG, and adds to column[i] its derivative by
// s_i, or a bound on its curvature.
struct SoftKernels {
  double (*gradient)(const SoftQuery& query, double* column);
  double (*curvature)(const SoftQuery& query, double* column);
};

extern const SoftKernels soft_kernels_base, soft_kernels_v3;

// Writes one expected DCG per query, and one derivative or curvature per document. Only the first depths[query] ranks count.
inline void soft_dcg(std::span<const double> gains, std::span<const double> scores, std::span<const std::int64_t> offsets,
                     const Discount& discount, std::span<const std::int64_t> depths, double sigma, bool curvature, Isa isa,
                     std::span<double> values, std::span<double> column, Threads threads) {
  const SoftKernels& kernels = choose(isa, soft_kernels_base, soft_kernels_v3);
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, discounts = std::vector<double>(), scratch = std::vector<double>(),
            own_scores = OwnCopy(given)](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      const auto own = own_scores(scores.subspan(first, n));
      check_finite(own, query, begin);
      discounts.resize(n);
      fill_discounts(discount, depths[q], discounts);
      scratch.resize(soft_scratch(n));
      std::fill_n(column.begin() + begin, n, 0.0);
      const SoftQuery documents{&stop, n, own.data(), gains.data() + first, discounts.data(), sigma, scratch.data()};
      values[q] = (curvature ? kernels.curvature : kernels.gradient)(documents, column.data() + first);
    };
  });
}

}  // namespace idealrank
