// Sums of logistic sigmoids over all pairs of a list: soft ranks, their slopes, and everything derived from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/sigmoid/sigmoid_all_pairs.hpp"
#include "idealrank/sort/top.hpp"
#include "idealrank/sort/word_sort.hpp"

namespace idealrank {

// Memory of the kernels, reused from list to list.
struct SigmoidScratch {
  explicit SigmoidScratch(const Stop& given = {}) : stop(given), sort(given), exact_sort(given) {}

  Stop stop;
  // A list in ascending order, or the points that represent it, and its sums.
  std::vector<double> steps, ratios, weights, sums, slopes;
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> words;
  WordSort sort;
  TopRanker exact_sort;
  // Boxes of documents: moments of the weights, polynomials of the sums, and the documents outside dense boxes.
  std::vector<double> moments, block_moments, polynomials;
  std::vector<std::uint32_t> starts;
  struct Sparse {
    std::uint32_t document, item;
  };
  std::vector<Sparse> sparse;
};

// With t = alpha s, for each document i of one list, over all others j:
//   of_list      sums[i]   = sum_j w_j sigma(t_j - t_i)
//                slopes[i] = sum_j w_j sigma'(t_j - t_i)
//   log_of_list  sums[i]   = sum_j ln(1 + exp(t_i - t_j)), minus the logarithm of the product of all sigma(t_j - t_i)
// Without weights, all are 1, and 1 + sums[i] is the soft rank of i (Qin et al. 2008, eq. (20)).
struct SigmoidSums {
  void (*of_list)(std::span<const double> scores, std::span<const double> weights, double alpha, std::span<double> sums,
                  std::span<double> slopes, SigmoidScratch& scratch);
  void (*log_of_list)(std::span<const double> scores, double alpha, std::span<double> sums, SigmoidScratch& scratch);
};
extern const SigmoidSums sigmoid_sums_base, sigmoid_sums_v3;

enum class Sigmoid { logistic, arctan, erf };

struct SigmoidLists {
  std::span<const double> scores;
  std::span<const double> weights;  // one per document; empty if all are 1
  std::span<const std::int64_t> offsets;
  double alpha;
};

// Computes the sums and slopes of every query.
inline void sigmoid_sums(const SigmoidLists& lists, Sigmoid sigmoid, std::span<double> sums, std::span<double> slopes,
                         Isa isa, Threads threads) {
  const SigmoidSums& kernel = choose(isa, sigmoid_sums_base, sigmoid_sums_v3);
  for_each_query(lists.offsets, threads, [&](const Stop& stop) {
    return [&, scratch = SigmoidScratch(stop), own_scores = OwnCopy(stop)](std::int64_t query, std::int64_t begin,
                                                                           std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto own_sums = sums.subspan(first, n), own_slopes = slopes.subspan(first, n);
      const auto scores = own_scores(lists.scores.subspan(first, n));
      const auto weights = lists.weights.empty() ? lists.weights : lists.weights.subspan(first, n);
      check_finite(scores, query, begin);
      switch (sigmoid) {
        case Sigmoid::logistic:
          return kernel.of_list(scores, weights, lists.alpha, own_sums, own_slopes, scratch);
        case Sigmoid::arctan:
          return sigmoid_all_pairs<ArctanSigmoid>(scores, weights, lists.alpha, own_sums, own_slopes, scratch.stop);
        case Sigmoid::erf:
          return sigmoid_all_pairs<ErfSigmoid>(scores, weights, lists.alpha, own_sums, own_slopes, scratch.stop);
      }
    };
  });
}

// Computes minus the logarithms of products of logistic sigmoids, for every query.
inline void log_sigmoid_sums(const SigmoidLists& lists, std::span<double> sums, Isa isa, Threads threads) {
  const SigmoidSums& kernel = choose(isa, sigmoid_sums_base, sigmoid_sums_v3);
  for_each_query(lists.offsets, threads, [&](const Stop& stop) {
    return [&, scratch = SigmoidScratch(stop), own_scores = OwnCopy(stop)](std::int64_t query, std::int64_t begin,
                                                                           std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto scores = own_scores(lists.scores.subspan(first, n));
      check_finite(scores, query, begin);
      kernel.log_of_list(scores, lists.alpha, sums.subspan(first, n), scratch);
    };
  });
}

}  // namespace idealrank
