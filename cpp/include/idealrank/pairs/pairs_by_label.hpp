// The pairs of one query one by one: for short lists, and for long ones with few pairs. Of other long ones, pairs with labels
// that are close, the others by boxes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pairs_by_box.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Goes through queries one after the other without allocating anew.
class PairsByLabel {
 public:
  explicit PairsByLabel(const PairSpec& spec, const Stop& stop = {})
      : spec_(spec),
        stop_(stop),
        rows_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).rows(spec.loss, spec.weight, spec.derivative)),
        by_box_(choose(spec.isa, pair_kernels_base, pair_kernels_v3), spec.scale, spec.derivative, stop) {}

  // Whether these scores are near enough. By the weight `distance` alone, others are taken too.
  bool takes(std::span<const double> scores) const {
    const auto [least, most] = range_of(scores);
    return spec_.near_enough(least, most);
  }

  // Whether boxes are for this loss and these scores.
  bool takes_by_box(std::span<const double> scores) const {
    // Boxes do not know the sizes of the derivatives of single pairs.
    if (spec_.loss != PairLoss::logistic || spec_.weight != PairWeight::one || spec_.normalize == PairNormalize::lambdas)
      return false;
    return by_box_.takes(scores);
  }

  // The least level of each group of labels that are close: a group has some labels and few documents, or one label.
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

  // Adds the pairs within each group to the columns, as PairsByScore has them; `by_box`: those between groups too. The order is
  // only for changes by swaps.
  double operator()(const PairQuery& query, std::span<const std::uint32_t> order, const LabelLevels& levels,
                    const SwapChange& change, bool by_box, std::span<double> column, std::span<double> second) {
    sort(levels);
    stop_.before(2 * query.n());
    sums_.assign(query.n() + kPairPadding, 0.0);
    if (!second.empty()) second_sums_.assign(query.n() + kPairPadding, 0.0);
    if (!order.empty()) {
      place_of_.resize(query.n());
      for_each_part(order.size(), stop_, [&](std::size_t p, std::size_t last) {
        for (; p < last; ++p) place_of_[order[p]] = static_cast<std::uint32_t>(p);
      });
    }
    slopes_ = 0;
    double value = 0;
    for (std::size_t g = 0, begin = 0; g < groups_.size(); begin = group_ends_[g++]) {
      const std::size_t next = g + 1 < groups_.size() ? groups_[g + 1] : levels.counts().size();
      if (next - groups_[g] > 1) value += one_by_one(query, levels, groups_[g], change, begin, group_ends_[g]);
    }
    if (by_box) {
      value += by_box_(query.scores, documents_, query.weights, group_ends_, {sums_.data(), second_sums_.data(), nullptr});
    }
    auto to_rows = [&](const std::vector<double>& sums, std::span<double> rows) {
      for_each_part(rows.size(), stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) rows[documents_[i]] += sums[i];
      });
    };
    to_rows(sums_, column);
    to_rows(second_sums_, second);
    return value;
  }

  // Of the last query: the sum over pairs of the sizes of derivatives.
  double slopes() const { return slopes_; }

 private:
  // documents_ by level, each level in input order.
  void sort(const LabelLevels& levels) {
    ends_.resize(levels.counts().size());
    std::exclusive_scan(levels.counts().begin(), levels.counts().end(), ends_.begin(), 0U);
    stoppable_resize(documents_, levels.levels().size(), stop_);
    for_each_part(documents_.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) documents_[ends_[levels.levels()[i]]++] = static_cast<std::uint32_t>(i);
    });
  }

  // The pairs among documents_[begin, end), whose least level is `level`.
  double one_by_one(const PairQuery& query, const LabelLevels& levels, std::size_t level, const SwapChange& change,
                    std::size_t begin, std::size_t end) {
    const std::span<const std::uint32_t> own = std::span(documents_).subspan(begin, end - begin);
    const std::size_t padded = own.size() + kPairPadding;
    const bool logistic = spec_.loss == PairLoss::logistic;
    const bool swaps = spec_.weight == PairWeight::swap_change || spec_.weight == PairWeight::distance;
    stoppable_resize(columns_, (3 + (logistic ? 2 : 0) + (swaps ? 3 : 0)) * padded, stop_);
    double* next = columns_.data();
    auto column = [&] {
      std::fill_n(next + own.size(), kPairPadding, 1.0);
      return std::exchange(next, next + padded);
    };
    auto for_each = [&](auto&& each) {
      for_each_part(own.size(), stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) each(i, own[i]);
      });
    };
    double *const labels = column(), *const scores = column(), *const weights = column();
    for (double* to = labels; to < labels + own.size(); ++level) {
      to = std::fill_n(to, levels.counts()[level], levels.labels()[level]);
    }
    for_each([&](std::size_t i, std::uint32_t document) {
      scores[i] = query.scores[document];
      weights[i] = query.weight(document);
    });
    std::fill_n(scores + own.size(), kPairPadding, scores[0]);  // as near to the others as these are to each other
    LabelledDocuments documents{&stop_, own.size(), labels, scores, weights, spec_.scale};
    if (logistic) {
      const auto [least, most] = range_of({scores, own.size()});
      if (spec_.near_enough(least, most)) {
        documents.growths = column();
        documents.shrinks = column();
        documents.middle = least + (most - least) / 2;
      }
    }
    if (swaps) {
      double *const right = column(), *const wrong = column(), *const places = column();
      for_each([&](std::size_t i, std::uint32_t document) {
        const std::uint32_t place = place_of_[document];
        right[i] = change.right()[place];
        wrong[i] = change.wrong()[place];
        places[i] = place;
      });
      documents.right = right;
      documents.wrong = wrong;
      documents.places = places;
      documents.distances = spec_.distances.data();
      documents.with_swap = spec_.with_swap;
      documents.truncation = static_cast<double>(spec_.truncation);
      documents.together = spec_.together;
      if (spec_.offset > 0) {
        const auto [least, most] = range_of(query.scores);
        documents.offset = least < most ? spec_.offset : 0.0;
      }
    }
    return rows_(documents, {sums_.data() + begin, second_sums_.empty() ? nullptr : second_sums_.data() + begin, &slopes_});
  }

  const PairSpec& spec_;
  Stop stop_;
  PairRows rows_;
  PairsByBox by_box_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::size_t> group_ends_;  // documents up to the end of each
  double slopes_ = 0;
  std::vector<std::uint32_t> ends_, documents_, place_of_;
  std::vector<double> columns_, sums_, second_sums_;
};

}  // namespace idealrank
