// How much a measure changes when two documents of a ranking swap places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/measure/rank_discounts.hpp"

namespace idealrank {

// A measure before normalization. Reductions other than `sum` need gains of 0 and 1; only those that
// SwapChange handles may be used.
struct SwapMeasure {
  Reduction reduction = Reduction::sum;
  Discount discount;
  std::span<const std::int64_t> depths;  // the number of ranks that count, for each query
};

// The change is (gain of the better - gain of the other) (C(upper rank) - C(lower rank)), where C never rises with the rank.
// There is one C for pairs whose better document is the upper one, and another for all other pairs.
class SwapChange {
 public:
  explicit SwapChange(const Stop& stop = {}) : stop_(stop) {}

  // `order`: best score first. Labels are gains.
  void operator()(const SwapMeasure& measure, std::int64_t query, const LabelLevels& levels,
                  std::span<const std::uint32_t> order) {
    const std::size_t n = order.size();
    if (measure.reduction == Reduction::sum) return by_rank(measure, query, n);
    table_ = nullptr;
    stoppable_resize(right_, n, stop_);
    stoppable_resize(wrong_, n, stop_);
    stop_.before(10 * n);
    const auto depth = static_cast<std::size_t>(std::min(depth_of(measure, query), static_cast<std::int64_t>(n)));
    auto relevant = [&](std::size_t place) { return levels.labels()[levels.levels()[order[place]]] > 0; };
    if (measure.reduction == Reduction::precision_mean) {
      count_precisions(depth, relevant);
    } else {
      find_first(measure.reduction == Reduction::first, depth, relevant);
    }
  }

  // The same for the reduction `sum`, for which the order of the n documents does not matter.
  void by_rank(const SwapMeasure& measure, std::int64_t query, std::size_t n) {
    const std::int64_t depth = depth_of(measure, query);
    const auto& weights = measure.discount.weights;
    const bool is_whole = depth >= static_cast<std::int64_t>(n) && weights.size() >= n;
    table_ = !measure.discount.linear && is_whole ? weights.data() : nullptr;
    if (table_ != nullptr) return;
    stoppable_resize(right_, n, stop_);
    wrong_.clear();
    stop_.before(10 * n);
    fill_discounts(measure.discount, depth, right_);
  }

  // One number per place.
  const double* right() const { return table_ != nullptr ? table_ : right_.data(); }
  const double* wrong() const { return table_ == nullptr && !wrong_.empty() ? wrong_.data() : right(); }

 private:
  static std::int64_t depth_of(const SwapMeasure& measure, std::int64_t query) {
    return measure.depths[static_cast<std::size_t>(query)];
  }

  // Let c_r be the number of relevant documents up to rank r. If a relevant document falls from rank a to b, the sum loses
  // c_a / a and 1 / rank for each relevant document in between, and gains c_b / b. If one rises to rank a, the sum gains
  // (c_a + 1) / a there. `inverse_ranks` is the sum of 1 / rank over the relevant documents so far.
  template <class Relevant>
  void count_precisions(std::size_t depth, Relevant&& relevant) {
    double count = 0, inverse_ranks = 0;
    for (std::size_t p = 0; p < right_.size(); ++p) {
      if (p >= depth) {
        right_[p] = wrong_[p] = -inverse_ranks;
        continue;
      }
      const double rank = static_cast<double>(p + 1);
      if (relevant(p)) {
        count += 1;
        inverse_ranks += 1 / rank;
      }
      right_[p] = count / rank - inverse_ranks;
      wrong_[p] = (count + 1) / rank - inverse_ranks;
    }
  }

  // Only the first relevant document counts. If it falls, the new first one is the second, or itself if it stays above that.
  template <class Relevant>
  void find_first(bool reciprocal, std::size_t depth, Relevant&& relevant) {
    const std::size_t n = right_.size();
    auto next_relevant = [&](std::size_t p) {
      while (p < n && !relevant(p)) ++p;
      return p;
    };
    const std::size_t first = next_relevant(0), second = next_relevant(first + 1);
    auto worth = [&](std::size_t p) { return p >= depth ? 0.0 : reciprocal ? 1 / static_cast<double>(p + 1) : 1.0; };
    for (std::size_t p = 0; p < n; ++p) {
      right_[p] = worth(std::min(p, second));
      wrong_[p] = worth(std::min(p, first));
    }
  }

  Stop stop_;
  const double* table_ = nullptr;  // the discount itself, if it can be used without a copy
  std::vector<double> right_, wrong_;
};

}  // namespace idealrank
