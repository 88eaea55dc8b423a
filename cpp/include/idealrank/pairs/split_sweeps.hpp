// Sweeps over the pairs of splits, on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/pairs/label_pairs.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/pairs/rank_decays.hpp"

namespace idealrank {

// Processes queries one by one, reusing its memory. All functions add the derivatives to the columns.
class SplitSweeps {
 public:
  explicit SplitSweeps(const PairSpec& spec)
      : spec_(spec),
        sweep_(kernels_of(spec).sweep(spec.loss, spec.weight, spec.derivative)),
        distance_sweep_(kernels_of(spec).distance_sweep(spec.derivative)) {}

  static const PairKernels& kernels_of(const PairSpec& spec) { return choose(spec.isa, pair_kernels_base, pair_kernels_v3); }

  // The pairs of one split.
  PairTotals one(const PlacedDocuments& documents, const LabelSplit& split, DerivativeColumns columns) {
    PairTotals totals;
    columns.slopes = &totals.slopes;
    if (spec_.weight != PairWeight::distance || spec_.with_swap) totals.value += sweep_(documents, split, columns);
    if (spec_.weight == PairWeight::distance)
      totals.value += distance_sweep_(documents, split, rank_decays_(*spec_.exponentials), columns);
    return totals;
  }

  // All pairs of documents in different groups.
  PairTotals all(const PlacedDocuments& documents, std::span<const std::uint32_t> counts,
                 std::span<const std::uint32_t> groups, const DerivativeColumns& columns) {
    splits_.start({documents.levels, documents.n}, counts, groups, *documents.stop);
    PairTotals totals;
    auto visit = [&](auto& self, const LabelSplits::Part& part) -> void {
      totals += one(documents, splits_.divide(part, *documents.stop), columns);
      splits_.for_sides(part, [&](const LabelSplits::Part& side) { self(self, side); });
    };
    splits_.for_whole([&](const LabelSplits::Part& whole) { visit(visit, whole); });
    return totals;
  }

  // The same for the documents at the places `members` only; `counts` begins at the level groups[0]. Sweeps over copies of
  // their data, since accesses scattered over long arrays would miss the cache.
  PairTotals copied(const PlacedDocuments& documents, std::span<const std::uint32_t> members,
                    std::span<const std::uint32_t> counts, std::span<const std::uint32_t> groups,
                    const DerivativeColumns& columns) {
    documents.stop->before(20 * members.size());
    auto copy = [&](std::vector<double>& to, const double* from) -> const double* {
      if (from == nullptr) return nullptr;
      to.resize(members.size());
      std::transform(members.begin(), members.end(), to.begin(), [&](std::uint32_t p) { return from[p]; });
      return to.data();
    };
    const std::uint32_t first_level = groups[0];
    levels_.resize(members.size());
    std::transform(members.begin(), members.end(), levels_.begin(),
                   [&](std::uint32_t p) { return documents.levels[p] - first_level; });
    groups_.resize(groups.size());
    std::transform(groups.begin(), groups.end(), groups_.begin(), [&](std::uint32_t level) { return level - first_level; });
    PlacedDocuments near = documents;
    near.n = members.size();
    near.levels = levels_.data();
    near.labels = documents.labels + first_level;
    near.own_labels = nullptr;
    near.scores = copy(scores_, documents.scores);
    near.weights = copy(weights_, documents.weights);
    near.decays = copy(decays_, documents.decays);
    near.right = copy(right_, documents.right);
    near.wrong = documents.wrong == documents.right ? near.right : copy(wrong_, documents.wrong);
    near.truncation =
        static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), documents.truncation) - members.begin());
    near.ranks = members.data();
    column_.assign(members.size(), 0.0);
    second_.assign(columns.second == nullptr ? 0 : members.size(), 0.0);
    const PairTotals totals =
        all(near, counts, groups_, {column_.data(), columns.second == nullptr ? nullptr : second_.data(), nullptr});
    for (std::size_t i = 0; i < members.size(); ++i) columns.column[members[i]] += column_[i];
    for (std::size_t i = 0; i < second_.size(); ++i) columns.second[members[i]] += second_[i];
    return totals;
  }

 private:
  const PairSpec& spec_;
  PairSweep sweep_;
  DistanceSweep distance_sweep_;
  RankDecayTables rank_decays_;
  LabelSplits splits_;
  // Copies of the data of one region.
  std::vector<std::uint32_t> levels_, groups_;
  std::vector<double> scores_, weights_, decays_, right_, wrong_, column_, second_;
};

}  // namespace idealrank
