// Pairwise losses: values, and first or second derivatives or both, in near-linear time and linear memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/pairs/pairs_by_label.hpp"
#include "idealrank/pairs/pairs_by_score.hpp"
#include "idealrank/pairs/short_pairs.hpp"
#include "idealrank/pairs/smoothed_pairs.hpp"
#include "idealrank/pairs/swap_change.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// Up to this many pairs per document, enumerating the pairs is faster than sorting and sweeping (measured).
inline double few_pairs(const PairSpec& spec) {
  if (spec.weight == PairWeight::distance) return spec.isa == Isa::base ? 400 : 200;
  if (spec.isa == Isa::base) return 30;
  return spec.loss == PairLoss::logistic ? 60 : 150;
}

// From this many documents on, memory that is no longer needed is released.
inline constexpr std::size_t kLongPairList = 100'000;

// Processes queries one by one, reusing its memory.
class PairwiseLoss {
 public:
  // `threads` share the pairs of a single long list.
  explicit PairwiseLoss(const PairSpec& spec, const Stop& stop = {}, Threads threads = 1)
      : spec_(spec),
        stop_(stop),
        rank_(stop),
        number_(stop),
        change_(stop),
        short_(spec, stop),
        smoothed_(spec, stop),
        by_label_(spec, stop, threads),
        by_score_(spec, stop, threads) {}

  // Handles a short query completely, in place of number() and operator(). Returns nothing if these are needed.
  std::optional<double> of_short(std::span<const double> labels, const PairQuery& query, double query_factor,
                                 std::span<double> column, std::span<double> second) {
    if (!short_.takes(query.n()) || !short_(labels, query, column, second)) return std::nullopt;
    if (!short_.has_pairs()) return 0.0;
    return scaled(short_.totals(), short_.n_pairs(), query_factor, column, second);
  }

  // Does the same as operator() for changes that are means over several rankings.
  double of_smoothed(std::span<const double> labels, const PairQuery& query, double query_factor, std::span<double> column,
                     std::span<double> second) {
    const PairTotals totals = smoothed_(labels, query, column, second);
    return scaled(totals, std::max(count_pairs(), 1.0), query_factor, column, second);
  }

  // Must be called before operator() for each query. The labels need not outlive the call.
  void number(std::span<const double> labels, std::int64_t query, std::int64_t first_row) {
    number_(labels, query, first_row);
  }

  // Returns the query's value times its factor; only Derivative::first computes it. Writes one first or second derivative
  // per document into `column`. For Derivative::both, `second` receives the second derivatives; otherwise it is empty.
  double operator()(const PairQuery& query, double query_factor, std::span<double> column, std::span<double> second) {
    if (number_.counts().size() < 2) {
      std::fill(column.begin(), column.end(), 0.0);
      std::fill(second.begin(), second.end(), 0.0);
      return 0;
    }
    const double n_pairs = count_pairs();
    const bool apart = spec_.weight == PairWeight::distance;
    const bool one_by_one = apart || by_label_.takes(query.scores);
    const bool no_sweep = spec_.offset > 0 || (apart && !spec_.exponentials);
    const bool few = no_sweep || (one_by_one && n_pairs <= spec_.few_pairs * static_cast<double>(query.n()));
    const bool by_box = !few && by_label_.takes_by_box(query.scores);
    const bool swaps = apart || spec_.weight == PairWeight::swap_change;
    std::span<const std::uint32_t> order;
    if (!(few || by_box) || swaps) order = ranked(query);
    if (swaps) change_(spec_.swap, query.query, number_, order);
    // A group of n labels has n/2 pairs per document.
    const auto n_group = one_by_one ? std::min(2 * spec_.few_pairs, static_cast<double>(query.n())) : 0.0;
    const auto groups = by_label_.groups(number_, few ? query.n() : static_cast<std::size_t>(n_group));
    std::fill(column.begin(), column.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    PairTotals totals;
    if (!(few || by_box)) totals += by_score_(query, order, number_, groups, change_, column, second);
    if (few || by_box || groups.size() < number_.counts().size())
      totals += by_label_(query, order, number_, change_, by_box, column, second);
    return scaled(totals, n_pairs, query_factor, column, second);
  }

 private:
  // Multiplies the columns and the value by all factors.
  double scaled(const PairTotals& totals, double n_pairs, double query_factor, std::span<double> column,
                std::span<double> second) {
    const double sigma = spec_.loss == PairLoss::logistic ? spec_.scale : 1.0;
    double share = query_factor;
    if (spec_.normalize == PairNormalize::pairs) share /= n_pairs;
    if (spec_.normalize == PairNormalize::lambdas) {
      const double lambdas = 2 * sigma * query_factor * totals.slopes;
      if (lambdas > 0) share *= std::log1p(lambdas) / (std::log(2.0) * lambdas);
    }
    // Where changes by swaps are 0, rounding may make a curvature slightly negative.
    stop_.before(2 * column.size());
    auto to_second = [&](double entry) { return std::max(share * sigma * sigma * entry, 0.0); };
    if (spec_.derivative == Derivative::second) {
      std::transform(column.begin(), column.end(), column.begin(), to_second);
    } else {
      for (double& entry : column) entry *= share * sigma;
    }
    std::transform(second.begin(), second.end(), second.begin(), to_second);
    return share * totals.value;
  }

  std::span<const std::uint32_t> ranked(const PairQuery& query) {
    const auto order = rank_(query.scores, query.n(), query.query, query.first_row);
    if (query.n() < kLongPairList) return order;
    order_ = rank_.release();  // otherwise the sort's memory would be half of all memory from here on
    return order_;
  }

  double count_pairs() const {
    double pairs = 0, lower = 0;
    for (const std::uint32_t count : number_.counts()) {
      pairs += lower * count;
      lower += count;
    }
    return pairs;
  }

  const PairSpec& spec_;
  Stop stop_;
  TopRanker rank_;
  std::vector<std::uint32_t> order_;
  LabelLevels number_;
  SwapChange change_;
  ShortPairs short_;
  SmoothedPairs smoothed_;
  PairsByLabel by_label_;
  PairsByScore by_score_;
};

// Writes one value per query, which only Derivative::first computes; one first or second derivative per document into
// `column`; and for Derivative::both, the second derivatives into `second`, which is empty otherwise. `weights` (one per
// document) and `factors` (one per query, multiplying all its results) may be empty: all 1.
inline void pairwise(std::span<const double> labels, std::span<const double> scores, std::span<const std::int64_t> offsets,
                     std::span<const double> weights, std::span<const double> factors, const PairSpec& spec,
                     std::span<double> values, std::span<double> column, std::span<double> second, Threads threads) {
  // Threads share the queries, or the pairs of a single query.
  const bool is_one = offsets.size() == 2;
  const Threads of_list = is_one && offsets[1] >= kDocsWorthAThread ? threads : Threads(1);
  for_each_query(offsets, is_one ? Threads(1, threads.poll) : threads, [&](const Stop& stop) {
    return [&, loss = PairwiseLoss(spec, stop, of_list), own_labels = OwnCopy(stop), own_scores = OwnCopy(stop)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
      const auto to = column.subspan(first, n), second_to = second.empty() ? second : second.subspan(first, n);
      const double factor = factors.empty() ? 1.0 : factors[static_cast<std::size_t>(query)];
      PairQuery own{scores.subspan(first, n), weights.empty() ? weights : weights.subspan(first, n), query, begin};
      std::optional<double> value;
      if (spec.n_rankings == 0) value = loss.of_short(labels.subspan(first, n), own, factor, to, second_to);
      if (!value) {
        loss.number(own_labels(labels.subspan(first, n)), query, begin);
        if (n >= kLongPairList && spec.n_rankings == 0) own_labels.release();
        own.scores = own_scores(own.scores);
        check_finite(own.scores, query, begin);
        value = spec.n_rankings > 0 ? loss.of_smoothed(own_labels.last(), own, factor, to, second_to)
                                    : loss(own, factor, to, second_to);
      }
      if (!std::isfinite(*value)) throw data_error("the loss overflows: scale the scores down", query, -1);
      values[static_cast<std::size_t>(query)] = *value;
    };
  });
}

}  // namespace idealrank
