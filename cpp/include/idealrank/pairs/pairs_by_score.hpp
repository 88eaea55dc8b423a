// The pairs of one query by sweeps over documents sorted by score: near-linear time.
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
#include "idealrank/pairs/rank_decays.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Goes through queries one after the other without allocating anew.
class PairsByScore {
 public:
  explicit PairsByScore(const PairSpec& spec, const Stop& stop = {})
      : spec_(spec),
        stop_(stop),
        kernels_(choose(spec.isa, pair_kernels_base, pair_kernels_v3)),
        sweep_(kernels_.sweep(spec.loss, spec.weight, spec.derivative)),
        distance_sweep_(kernels_.distance_sweep(spec.derivative)),
        split_(stop) {}

  // The sum of all pairs of documents whose labels are in different groups, of which there are the least levels; into the
  // columns, sums of derivatives by sigma s, or s for hinges. order: best score first.
  double operator()(const PairQuery& query, std::span<const std::uint32_t> order, const LabelLevels& levels,
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
        kernels_.find_decays(scores_.data() + p, last - p, spec_.scale, decays_.data() + p);
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
    slopes_ = 0;
    const DerivativeColumns columns{column.data(), second.empty() ? nullptr : second.data(), &slopes_};
    const double value = between(documents, levels.counts(), groups, columns);
    to_rows(order, column);
    if (!second.empty()) to_rows(order, second);
    return value;
  }

  // Of the last query: the sum over pairs of the sizes of derivatives, of logistic losses.
  double slopes() const { return slopes_; }

 private:
  // Documents whose numbers fit a processor's own cache.
  static constexpr std::size_t kNear = 16'384;

  // All pairs between groups. Those of levels that are close are swept from copies of their documents, since what is scattered
  // over long arrays has to be waited for.
  double between(const PlacedDocuments& documents, std::span<const std::uint32_t> counts,
                 std::span<const std::uint32_t> groups, const DerivativeColumns& columns) {
    double value = 0;
    if (documents.n <= kNear) {
      split_({documents.levels, documents.n}, counts, groups,
             [&](const LabelSplit& split) { value += swept(documents, split, columns); });
      return value;
    }
    regions_.clear();  // the first group of each
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
    split_({documents.levels, documents.n}, counts, region_levels_,
           [&](const LabelSplit& split) { value += swept(documents, split, columns); });
    if (regions_.size() == groups.size()) return value;

    list_members(documents, counts);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const std::size_t last = r + 1 < regions_.size() ? regions_[r + 1] : groups.size();
      if (last - regions_[r] > 1)
        value += within(documents, counts, groups.subspan(regions_[r], last - regions_[r]), r, columns);
    }
    return value;
  }

  double swept(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns) {
    if (spec_.weight != PairWeight::distance) return sweep_(documents, split, columns);
    const double swaps = spec_.with_swap ? sweep_(documents, split, columns) : 0.0;
    return swaps + distance_sweep_(documents, split, rank_decays_(*spec_.exponentials), columns);
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

  // The pairs between the groups of one region.
  double within(const PlacedDocuments& documents, std::span<const std::uint32_t> counts,
                std::span<const std::uint32_t> groups, std::size_t region, const DerivativeColumns& columns) {
    const std::size_t begin = region == 0 ? 0 : member_ends_[region - 1];
    const auto members = std::span<const std::uint32_t>(members_).subspan(begin, member_ends_[region] - begin);
    const std::uint32_t first_level = groups[0];
    const std::size_t end_level = region + 1 < region_levels_.size() ? region_levels_[region + 1] : counts.size();
    stop_.before(20 * members.size());
    auto copied = [&](std::vector<double>& to, const double* from) -> const double* {
      if (from == nullptr) return nullptr;
      to.resize(members.size());
      std::transform(members.begin(), members.end(), to.begin(), [&](std::uint32_t p) { return from[p]; });
      return to.data();
    };
    near_levels_.resize(members.size());
    std::transform(members.begin(), members.end(), near_levels_.begin(),
                   [&](std::uint32_t p) { return documents.levels[p] - first_level; });
    near_groups_.resize(groups.size());
    std::transform(groups.begin(), groups.end(), near_groups_.begin(),
                   [&](std::uint32_t level) { return level - first_level; });
    const bool same = documents.wrong == documents.right;
    PlacedDocuments near = documents;
    near.n = members.size();
    near.levels = near_levels_.data();
    near.labels = documents.labels + first_level;
    near.own_labels = nullptr;
    near.scores = copied(near_scores_, documents.scores);
    near.weights = copied(near_weights_, documents.weights);
    near.decays = copied(near_decays_, documents.decays);
    near.right = copied(near_right_, documents.right);
    near.wrong = same ? near.right : copied(near_wrong_, documents.wrong);
    near.truncation =
        static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), documents.truncation) - members.begin());
    near.ranks = members.data();
    near_column_.assign(members.size(), 0.0);
    near_second_.assign(columns.second == nullptr ? 0 : members.size(), 0.0);
    const DerivativeColumns own{near_column_.data(), columns.second == nullptr ? nullptr : near_second_.data(),
                                columns.slopes};
    double value = 0;
    split_(near_levels_, counts.subspan(first_level, end_level - first_level), near_groups_,
           [&](const LabelSplit& split) { value += swept(near, split, own); });
    for (std::size_t i = 0; i < members.size(); ++i) columns.column[members[i]] += near_column_[i];
    for (std::size_t i = 0; i < near_second_.size(); ++i) columns.second[members[i]] += near_second_[i];
    return value;
  }

  // From places to rows; the scores have been used.
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
  const PairKernels& kernels_;
  PairSweep sweep_;
  DistanceSweep distance_sweep_;
  RankDecayTables rank_decays_;
  LabelSplits split_;
  double slopes_ = 0;
  std::vector<double> scores_, weights_, labels_, decays_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::size_t> regions_, member_ends_;
  std::vector<std::uint32_t> region_levels_, region_of_, members_, near_levels_, near_groups_;
  std::vector<double> near_scores_, near_weights_, near_decays_, near_right_, near_wrong_, near_column_, near_second_;
};

}  // namespace idealrank
