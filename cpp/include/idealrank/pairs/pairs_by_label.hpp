// Enumerates the pairs of one query: all pairs of short lists and of long lists with few pairs; otherwise the pairs with
// close labels. The remaining pairs can be summed by boxes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "idealrank/pairs/group_rows.hpp"
#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/pairs/pairs_by_box.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Processes queries one by one, reusing its memory.
class PairsByLabel {
 public:
  // `threads` share the pairs of a long list.
  explicit PairsByLabel(const PairSpec& spec, const Stop& stop = {}, Threads threads = 1)
      : spec_(spec),
        stop_(stop),
        workers_(threads, spec),
        by_box_(choose(spec.isa, pair_kernels_base, pair_kernels_v3), spec.scale, spec.derivative, stop) {}

  // Whether the scores are close enough to each other. This is not required for the weight `distance`, nor with an offset.
  bool takes(std::span<const double> scores) const {
    const auto [least, most] = range_of(scores);
    return spec_.near_enough(least, most);
  }

  // Whether boxes support this loss and these scores.
  bool takes_by_box(std::span<const double> scores) const {
    // Boxes do not know the absolute derivatives of single pairs.
    if (spec_.loss != PairLoss::logistic || spec_.weight != PairWeight::one || spec_.normalize == PairNormalize::lambdas)
      return false;
    return by_box_.takes(scores);
  }

  // Groups neighboring labels, so that each group has at most `most` documents or a single label. Returns
  // the lowest level of each group.
  std::span<const std::uint32_t> groups(const LabelLevels& levels, std::size_t most) {
    groups_.clear();
    group_ends_.clear();
    const std::span<const std::uint32_t> counts = levels.counts();
    for (std::size_t level = 0, begin = 0; level < counts.size();) {
      groups_.push_back(static_cast<std::uint32_t>(level));
      std::size_t end = begin + counts[level++];
      while (level < counts.size() && end + counts[level] - begin <= most) end += counts[level++];
      group_ends_.push_back(end);
      begin = end;
    }
    return groups_;
  }

  // Adds the pairs within each group to the columns, in the same units as PairsByScore; with `by_box`, also the pairs
  // between groups. `order` is needed only for changes by swaps.
  PairTotals operator()(const PairQuery& query, std::span<const std::uint32_t> order, const LabelLevels& levels,
                        const SwapChange& change, bool by_box, std::span<double> column, std::span<double> second) {
    sort(levels);
    stop_.before(2 * query.n());
    if (!order.empty()) {
      place_of_.resize(query.n());
      for_each_part(order.size(), stop_, [&](std::size_t p, std::size_t last) {
        for (; p < last; ++p) place_of_[order[p]] = static_cast<std::uint32_t>(p);
      });
    }
    const std::size_t n_tasks = (groups_.size() + kGroupsPerTask - 1) / kGroupsPerTask;
    PairTotals totals = workers_.sum(n_tasks, stop_, [&](GroupRows& rows, Stop& stop, std::size_t task) {
      PairTotals own;
      const std::size_t last = std::min(groups_.size(), (task + 1) * kGroupsPerTask);
      for (std::size_t g = task * kGroupsPerTask; g < last; ++g) {
        const std::size_t next = g + 1 < groups_.size() ? groups_[g + 1] : levels.counts().size();
        if (next - groups_[g] < 2) continue;
        const std::size_t begin = g == 0 ? 0 : group_ends_[g - 1];
        own += rows(query, std::span(documents_).subspan(begin, group_ends_[g] - begin), levels, groups_[g], change,
                    place_of_, stop, column, second);
      }
      return own;
    });
    if (by_box) {
      sums_.assign(query.n(), 0.0);
      second_sums_.assign(second.size(), 0.0);
      totals.value +=
          by_box_(query.scores, documents_, query.weights, group_ends_, {sums_.data(), second_sums_.data(), nullptr});
      to_rows(sums_, column);
      to_rows(second_sums_, second);
    }
    return totals;
  }

 private:
  static constexpr std::size_t kGroupsPerTask = 64;

  // Adds `sums`, in the order of `documents_`, to the rows of the documents.
  void to_rows(const std::vector<double>& sums, std::span<double> rows) {
    for_each_part(rows.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) rows[documents_[i]] += sums[i];
    });
  }

  // Sorts `documents_` by level, preserving input order within a level.
  void sort(const LabelLevels& levels) {
    ends_.resize(levels.counts().size());
    std::exclusive_scan(levels.counts().begin(), levels.counts().end(), ends_.begin(), 0U);
    stoppable_resize(documents_, levels.levels().size(), stop_);
    for_each_part(documents_.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) documents_[ends_[levels.levels()[i]]++] = static_cast<std::uint32_t>(i);
    });
  }

  const PairSpec& spec_;
  Stop stop_;
  PairWorkers<GroupRows> workers_;
  PairsByBox by_box_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::size_t> group_ends_;  // the end of each group in `documents_`
  std::vector<std::uint32_t> ends_, documents_, place_of_;
  std::vector<double> sums_, second_sums_;
};

}  // namespace idealrank
