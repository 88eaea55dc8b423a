// DCG of growing lists: the first n documents of a query, for many n, with a single sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sort/order.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// sum_{r <= depths[i]} D(r) g_r on the first sizes[i] documents. `depths` has one entry per size.
struct PrefixSpec {
  Discount discount;
  std::span<const std::int64_t> depths;
};

namespace detail {

// Processes queries one by one, reusing its memory. Goes from the longest prefix to the shortest: the documents that a
// shorter prefix lacks are removed from the ranking, which stays sorted. O(n log n + sum of the sizes * number of specs).
class PrefixMeter {
 public:
  PrefixMeter(std::span<const std::int64_t> sizes, std::span<const PrefixSpec> specs, Ties ties, const Stop& stop)
      : sizes_(sizes),
        specs_(specs.begin(), specs.end()),
        ties_(ties),
        stop_(stop),
        own_gains_(stop),
        own_scores_(stop),
        rank_(stop) {
    for (PrefixSpec& spec : specs_) {  // a weight far below the first one changes no sum
      auto& weights = spec.discount.weights;
      while (!weights.empty() && weights.back() <= kNegligible * weights.front())
        weights = weights.first(weights.size() - 1);
    }
  }

  // Calls store(s, i, value) for every spec and size; the value is NaN if the query has fewer documents.
  template <class Store>
  void operator()(std::span<const double> given_gains, std::span<const double> given_scores, std::int64_t query,
                  std::int64_t first_row, Store&& store) {
    const auto gains = own_gains_(given_gains), scores = own_scores_(given_scores);
    rank(gains, scores, query, first_row);
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      const auto n = static_cast<std::size_t>(sizes_[i]);
      if (n > gains.size()) {
        for (std::size_t s = 0; s < specs_.size(); ++s) store(s, i, std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      stop_.before((10 + 2 * specs_.size()) * n);
      shrink_to(n);
      const std::vector<double>& ranked = average_ ? averaged() : gains_;
      for (std::size_t s = 0; s < specs_.size(); ++s) store(s, i, sum(specs_[s], ranked, n, i));
    }
  }

 private:
  void rank(std::span<const double> gains, std::span<const double> scores, std::int64_t query, std::int64_t first_row) {
    const auto order = rank_(scores, scores.size(), query, first_row);
    documents_.assign(order.begin(), order.end());
    runs_.clear();
    average_ = false;
    for_each_tie_run(scores, order, [&](std::size_t first, std::size_t last) {
      const auto begin = documents_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = documents_.begin() + static_cast<std::ptrdiff_t>(last);
      if (ties_ == Ties::reverse) std::reverse(begin, end);
      if (ties_ == Ties::best) std::stable_sort(begin, end, [&](auto a, auto b) { return gains[a] > gains[b]; });
      if (ties_ == Ties::worst) std::stable_sort(begin, end, [&](auto a, auto b) { return gains[a] < gains[b]; });
      average_ = average_ || (ties_ == Ties::average && last - first > 1);
      runs_.insert(runs_.end(), last - first, static_cast<std::uint32_t>(first));
    });
    gains_.resize(gains.size());
    for (std::size_t r = 0; r < gains.size(); ++r) gains_[r] = gains[documents_[r]];
  }

  // Keeps the documents with an index below n, in their order, without a branch that depends on scores.
  void shrink_to(std::size_t n) {
    const auto first_out = std::find_if(documents_.begin(), documents_.end(), [&](std::uint32_t d) { return d >= n; });
    auto kept = static_cast<std::size_t>(first_out - documents_.begin());
    for (std::size_t r = kept; r < documents_.size(); ++r) {
      const std::uint32_t document = documents_[r];
      documents_[kept] = document;
      gains_[kept] = gains_[r];
      if (average_) runs_[kept] = runs_[r];
      kept += document < n ? 1 : 0;
    }
    documents_.resize(n);
    gains_.resize(n);
    if (average_) runs_.resize(n);
  }

  // Gives each document the mean gain of the documents with the same score.
  const std::vector<double>& averaged() {
    means_.resize(gains_.size());
    for (std::size_t first = 0; first < gains_.size();) {
      std::size_t last = first;
      double total = 0;
      for (; last < gains_.size() && runs_[last] == runs_[first]; ++last) total += gains_[last];
      std::fill(means_.begin() + static_cast<std::ptrdiff_t>(first), means_.begin() + static_cast<std::ptrdiff_t>(last),
                total / static_cast<double>(last - first));
      first = last;
    }
    return means_;
  }

  static double sum(const PrefixSpec& spec, const std::vector<double>& ranked, std::size_t n, std::size_t i) {
    const std::size_t depth = std::min(static_cast<std::size_t>(spec.depths[i]), n);
    if (!spec.discount.linear) {
      return dot(ranked.data(), spec.discount.weights.data(), std::min(depth, spec.discount.weights.size()));
    }
    double total = 0;
    for (std::size_t r = 0; r < depth; ++r) total += ranked[r] * static_cast<double>(n - 1 - r);
    return total;
  }

  std::span<const std::int64_t> sizes_;
  std::vector<PrefixSpec> specs_;
  Ties ties_;
  Stop stop_;
  OwnCopy own_gains_, own_scores_;
  bool average_ = false;
  TopRanker rank_;
  std::vector<std::uint32_t> documents_, runs_;  // by rank: index of the document, first rank with the same score
  std::vector<double> gains_, means_;
};

}  // namespace detail

// values[(s * n_queries + q) * sizes.size() + i]: specs[s] on the first sizes[i] documents of
// query q. `sizes` must be ascending.
inline void prefix_dcg(std::span<const double> gains, std::span<const double> scores, std::span<const std::int64_t> offsets,
                       std::span<const std::int64_t> sizes, std::span<const PrefixSpec> specs, Ties ties,
                       std::span<double> values, Threads threads) {
  const std::size_t n_queries = offsets.size() - 1;
  for_each_query(offsets, threads, [&](const Stop& stop) {
    return [&, meter = detail::PrefixMeter(sizes, specs, ties, stop)](std::int64_t query, std::int64_t begin,
                                                                      std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto q = static_cast<std::size_t>(query);
      meter(gains.subspan(first, n), scores.subspan(first, n), query, begin,
            [&](std::size_t s, std::size_t i, double value) { values[(s * n_queries + q) * sizes.size() + i] = value; });
    };
  });
}

}  // namespace idealrank
