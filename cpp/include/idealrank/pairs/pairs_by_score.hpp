// The pairs of one query, by sweeps over the documents sorted by score: near-linear time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/pairs/label_pairs.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/pairs/split_sweeps.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Processes queries one by one, reusing its memory.
class PairsByScore {
 public:
  // `threads` share the pairs of a long list.
  explicit PairsByScore(const PairSpec& spec, const Stop& stop = {}, Threads threads = 1)
      : spec_(spec), stop_(stop), workers_(threads, spec) {}

  // Sums over all pairs of documents whose labels are in different groups; `groups` holds the lowest level of each group.
  // Writes the sums of the derivatives by sigma s (for hinges, by s) into the columns. `order`: best score first.
  PairTotals operator()(const PairQuery& query, std::span<const std::uint32_t> order, const LabelLevels& levels,
                        std::span<const std::uint32_t> groups, const SwapChange& change, std::span<double> column,
                        std::span<double> second) {
    place(query, order, levels.levels());
    PlacedDocuments documents;
    documents.stop = &stop_;
    documents.n = query.n();
    documents.scores = scores_.data();
    documents.levels = levels_.data();
    documents.weights = query.weights.empty() ? nullptr : weights_.data();
    documents.labels = levels.labels().data();
    if (levels.counts().size() > kNear) {
      stoppable_resize(labels_, query.n(), stop_);
      for_each_part(query.n(), stop_, [&](std::size_t p, std::size_t last) {
        for (; p < last; ++p) labels_[p] = levels.labels()[levels_[p]];
      });
      documents.own_labels = labels_.data();
    }
    documents.scale = spec_.scale;
    if (spec_.loss == PairLoss::logistic) {
      stoppable_resize(decays_, query.n(), stop_);
      for_each_part(query.n(), stop_, [&](std::size_t p, std::size_t last) {
        SplitSweeps::kernels_of(spec_).find_decays(scores_.data() + p, last - p, spec_.scale, decays_.data() + p);
      });
      documents.decays = decays_.data();
    }
    if (spec_.weight == PairWeight::swap_change || spec_.weight == PairWeight::distance) {
      documents.right = change.right();
      documents.wrong = change.wrong();
    }
    documents.truncation = spec_.truncation;
    documents.together = spec_.together;

    stop_.before(2 * query.n());
    std::fill(column.begin(), column.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    const PairTotals totals =
        between(documents, levels.counts(), groups, {column.data(), second.empty() ? nullptr : second.data(), nullptr});
    to_rows(order, column);
    if (!second.empty()) to_rows(order, second);
    return totals;
  }

 private:
  // The number of documents whose data fit into the cache of one core.
  static constexpr std::size_t kNear = 16'384;

  // All pairs between groups. In long lists, first the pairs between regions of groups, then those within each region.
  PairTotals between(const PlacedDocuments& documents, std::span<const std::uint32_t> counts,
                     std::span<const std::uint32_t> groups, const DerivativeColumns& columns) {
    if (documents.n <= kNear) return workers_.first().all(documents, counts, groups, columns);
    regions_.clear();  // the first group of each region
    for (std::size_t g = 0, n_here = 0; g < groups.size(); ++g) {
      const std::size_t n_group = n_of(counts, groups, g);
      if (g == 0 || n_here + n_group > kNear) {
        regions_.push_back(g);
        n_here = 0;
      }
      n_here += n_group;
    }
    region_levels_.resize(regions_.size());
    for (std::size_t r = 0; r < regions_.size(); ++r) region_levels_[r] = groups[regions_[r]];

    PairTotals totals = between_regions(documents, counts, columns);
    if (regions_.size() == groups.size()) return totals;
    list_members(documents, counts);
    return totals += workers_.sum(regions_.size(), stop_, [&](SplitSweeps& sweeps, Stop& stop, std::size_t r) {
      const std::size_t last = r + 1 < regions_.size() ? regions_[r + 1] : groups.size();
      if (last - regions_[r] < 2) return PairTotals();
      const std::size_t begin = r == 0 ? 0 : member_ends_[r - 1];
      const auto members = std::span<const std::uint32_t>(members_).subspan(begin, member_ends_[r] - begin);
      const std::size_t end_level = r + 1 < regions_.size() ? region_levels_[r + 1] : counts.size();
      return sweeps.copied(with_stop(documents, stop), members,
                           counts.subspan(region_levels_[r], end_level - region_levels_[r]),
                           groups.subspan(regions_[r], last - regions_[r]), columns);
    });
  }

  static PlacedDocuments with_stop(PlacedDocuments documents, Stop& stop) {
    documents.stop = &stop;
    return documents;
  }

  // The splits of one depth have no documents in common.
  PairTotals between_regions(const PlacedDocuments& documents, std::span<const std::uint32_t> counts,
                             const DerivativeColumns& columns) {
    splits_.start({documents.levels, documents.n}, counts, region_levels_, stop_);
    PairTotals totals;
    parts_.clear();
    splits_.for_whole([&](const LabelSplits::Part& whole) { parts_.push_back(whole); });
    while (!parts_.empty()) {
      totals += workers_.sum(parts_.size(), stop_, [&](SplitSweeps& sweeps, Stop& stop, std::size_t i) {
        return sweeps.one(with_stop(documents, stop), splits_.divide(parts_[i], stop), columns);
      });
      sides_.clear();
      for (const LabelSplits::Part& part : parts_)
        splits_.for_sides(part, [&](const LabelSplits::Part& side) { sides_.push_back(side); });
      parts_.swap(sides_);
    }
    return totals;
  }

  static std::size_t n_of(std::span<const std::uint32_t> counts, std::span<const std::uint32_t> groups, std::size_t g) {
    const std::size_t end = g + 1 < groups.size() ? groups[g + 1] : counts.size();
    return std::accumulate(counts.begin() + groups[g], counts.begin() + static_cast<std::ptrdiff_t>(end), std::size_t{0});
  }

  // members_: places by region, ascending in each; member_ends_: where each region ends.
  void list_members(const PlacedDocuments& documents, std::span<const std::uint32_t> counts) {
    region_of_.assign(counts.size(), 0);
    for (std::size_t r = 1; r < region_levels_.size(); ++r) ++region_of_[region_levels_[r]];
    std::partial_sum(region_of_.begin(), region_of_.end(), region_of_.begin());
    member_ends_.assign(regions_.size(), 0);
    for (std::size_t r = 0, n = 0; r < regions_.size(); ++r) {
      member_ends_[r] = n;
      n += n_of(counts, region_levels_, r);
    }
    stoppable_resize(members_, documents.n, stop_);
    for_each_part(documents.n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) members_[member_ends_[region_of_[documents.levels[p]]]++] = static_cast<std::uint32_t>(p);
    });
  }

  // Moves a column from places to rows. `scores_` is no longer needed, and serves as scratch space.
  void to_rows(std::span<const std::uint32_t> order, std::span<double> column) {
    stop_.before(2 * order.size());
    std::copy(column.begin(), column.end(), scores_.begin());
    for_each_part(order.size(), stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) column[order[p]] = scores_[p];
    });
  }

  void place(const PairQuery& query, std::span<const std::uint32_t> order, std::span<const std::uint32_t> levels) {
    const std::size_t n = query.n();
    stoppable_resize(scores_, n, stop_);
    stoppable_resize(levels_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) {
        scores_[p] = query.scores[order[p]];
        levels_[p] = levels[order[p]];
      }
    });
    if (query.weights.empty()) return;
    stoppable_resize(weights_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t p, std::size_t last) {
      for (; p < last; ++p) weights_[p] = query.weights[order[p]];
    });
  }

  const PairSpec& spec_;
  Stop stop_;
  PairWorkers<SplitSweeps> workers_;
  std::vector<double> scores_, weights_, labels_, decays_;
  std::vector<std::uint32_t> levels_;
  // Only for long lists.
  LabelSplits splits_;
  std::vector<LabelSplits::Part> parts_, sides_;
  std::vector<std::size_t> regions_, member_ends_;
  std::vector<std::uint32_t> region_levels_, region_of_, members_;
};

}  // namespace idealrank
