// The gains of unjudged documents that maximize an NDCG, or a difference of two.
//
// For one query, let unjudged document i have the weight w_i in the numerator and an unknown gain x_i, one of the levels
// 0 = g_0 < g_1 < ... < g_L. Let D(1) >= D(2) >= ... be the weights of the ranks in the ideal order, and S(j) their sum up
// to rank j. Then NDCG, and a difference of two NDCGs, is
//
//     (fixed + sum_i w_i x_i) / sum_t (t - t') S(number of documents with a gain of at least t),
//
// where t runs over all positive gains and t' is the next smaller one. The denominator depends only on how many documents
// have each gain, so the documents with the largest weights get the largest gains, and only c_1 >= ... >= c_L, the numbers
// of documents with at least the gain g_s, need to be chosen.
//
// The numerator is linear in x and the denominator is convex, so the ratio is quasi-concave:
//
// - If no choice makes it positive, its maximum is at a corner: c documents have the gain g_L and all others 0.
// - If it is positive, Dinkelbach's method raises lambda from the best corner: numerator - lambda * denominator is a sum of
//   one function of c_s per level. Their maxima satisfy c_1 >= ... >= c_L without any further condition, because D does not
//   increase: the more documents are already above a rank, the less one more costs.
//
// So each step takes time linear in the number of unjudged documents. Few steps are needed: lambda never decreases
// and takes finitely many values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"

namespace idealrank {

// The ideal DCG of each query, as a function of the number of documents with at least each gain.
struct IdealLayers {
  std::span<const double> sums;  // sums of the weights of the first 0, 1, 2, ... ranks; the last one also applies beyond
  std::span<const std::int64_t> depths;  // number of ranks that count, by query
  std::span<const double> gains;  // the distinct positive gains, ascending
  std::span<const std::int64_t> counts;  // by gain and query: number of judged documents with at least this gain
  std::span<const std::int64_t> lengths;  // if rank r has the weight n - r: the number n of documents, by query; else empty
};

// What the layer of gains[gain] adds to the ideal DCG of a query if `n_more` unjudged documents have at least this gain.
inline double ideal_layer(const IdealLayers& ideal, std::size_t gain, std::size_t query, std::int64_t n_more) {
  const double height = ideal.gains[gain] - (gain == 0 ? 0.0 : ideal.gains[gain - 1]);
  std::int64_t n = std::min(ideal.counts[gain * ideal.depths.size() + query] + n_more, ideal.depths[query]);
  if (ideal.lengths.empty()) return height * ideal.sums[std::min(static_cast<std::size_t>(n), ideal.sums.size() - 1)];
  n = std::min(n, ideal.lengths[query]);
  const auto ranks = static_cast<double>(n);
  return height * (ranks * static_cast<double>(ideal.lengths[query]) - ranks * (ranks + 1) / 2);
}

// Chooses the level of each unjudged document, 0 for no gain, so that the ratio of its query is largest. Of equal ratios,
// the one with the most gains is chosen.
//
// fixed: the numerator without unjudged documents, by query. weights: those of the unjudged documents of each query (see
// `offsets`), in descending order. levels: the positive gains that these documents can have, ascending, all among
// ideal.gains. empty: the ratio if no document has a gain; NaN if there is none.
inline void highest_ratio(std::span<const double> fixed, std::span<const double> weights,
                          std::span<const std::int64_t> offsets, const IdealLayers& ideal, std::span<const double> levels,
                          double empty, std::span<std::int64_t> chosen, Threads threads) {
  constexpr int kMostSteps = 100;
  const std::size_t n_levels = levels.size(), n_gains = ideal.gains.size();
  // The layers of a level are the gains above the previous level, up to this level. ends[level] is their end in ideal.gains.
  std::vector<std::size_t> ends;
  for (const double level : levels) {
    ends.push_back(
        static_cast<std::size_t>(std::upper_bound(ideal.gains.begin(), ideal.gains.end(), level) - ideal.gains.begin()));
  }
  const double without = std::isnan(empty) ? -std::numeric_limits<double>::infinity() : empty;

  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, sums = std::vector<double>(), best = std::vector<std::int64_t>(n_levels),
            next = std::vector<std::int64_t>(n_levels)](std::int64_t row, std::int64_t begin, std::int64_t end) mutable {
      const auto query = static_cast<std::size_t>(row), first = static_cast<std::size_t>(begin);
      const auto n = static_cast<std::size_t>(end - begin);
      // sums[i] is the sum of the first i weights. The cost of a level is what its layers add to the denominator.
      sums.assign(n + 1, 0.0);
      for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + weights[first + i];
      auto cost = [&](std::size_t level, std::size_t count) {
        double total = 0;
        for (std::size_t gain = level == 0 ? 0 : ends[level - 1]; gain < ends[level]; ++gain) {
          total += ideal_layer(ideal, gain, query, static_cast<std::int64_t>(count));
        }
        return total;
      };
      double above = 0;  // layers above the highest level do not depend on the choice
      for (std::size_t gain = n_levels == 0 ? 0 : ends.back(); gain < n_gains; ++gain) {
        above += ideal_layer(ideal, gain, query, 0);
      }

      double highest = -std::numeric_limits<double>::infinity();
      std::size_t corner = 0;
      stop.before(10 * n_levels * (n + 1));
      for (std::size_t count = 0; count <= n && n_levels > 0; ++count) {
        double bottom = above;
        for (std::size_t level = 0; level < n_levels; ++level) bottom += cost(level, count);
        const double ratio = bottom > 0 ? (fixed[query] + levels[n_levels - 1] * sums[count]) / bottom : without;
        if (ratio >= highest) {
          highest = ratio;
          corner = count;
        }
      }
      std::fill(best.begin(), best.end(), static_cast<std::int64_t>(corner));

      for (int step = 0; step < kMostSteps && n_levels > 1 && highest > 0 && std::isfinite(highest); ++step) {
        double top = fixed[query], bottom = above;
        for (std::size_t level = 0; level < n_levels; ++level) {
          stop.before(10 * (n + 1));
          const double rise = levels[level] - (level == 0 ? 0.0 : levels[level - 1]);
          double most = -std::numeric_limits<double>::infinity();
          std::size_t count = 0;
          for (std::size_t each = 0; each <= n; ++each) {
            const double worth = rise * sums[each] - highest * cost(level, each);
            if (worth >= most) {
              most = worth;
              count = each;
            }
          }
          if (level > 0) count = std::min(count, static_cast<std::size_t>(next[level - 1]));  // despite rounding errors
          next[level] = static_cast<std::int64_t>(count);
          top += rise * sums[count];
          bottom += cost(level, count);
        }
        if (!(bottom > 0 && top > highest * bottom && top / bottom > highest)) break;
        highest = top / bottom;
        std::swap(best, next);
      }

      for (std::size_t i = 0; i < n; ++i) {
        std::int64_t level = 0;
        for (const std::int64_t count : best) level += count > static_cast<std::int64_t>(i);
        chosen[first + i] = level;
      }
    };
  });
}

}  // namespace idealrank
