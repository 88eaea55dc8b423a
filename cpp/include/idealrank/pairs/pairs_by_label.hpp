// The pairs of one query one by one: for short lists, and for long ones with few pairs.
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
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Goes through queries one after the other without allocating anew.
class PairsByLabel {
 public:
  explicit PairsByLabel(const PairSpec& spec, const Stop& stop = {})
      : spec_(spec),
        stop_(stop),
        rows_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).rows(spec.loss, spec.weight, spec.derivative)) {}

  // Whether the exponentials of all scores, and their ratios, are normal numbers; for hinges, the squares of distances. By
  // the weight `distance` alone, other scores are taken too.
  bool takes(std::span<const double> scores) const {
    const auto [least, most] = range_of(scores);
    return spec_.loss == PairLoss::logistic ? spec_.scale * (most - least) < 600 : most - least < 1e150;
  }

  // As PairsByScore. The order is only for changes by swaps.
  double operator()(const PairQuery& query, std::span<const std::uint32_t> order, const LabelLevels& levels,
                    const SwapChange& change, std::span<double> column, std::span<double> second) {
    sort(levels);
    LabelledDocuments documents;
    documents.stop = &stop_;
    documents.n = query.n();
    documents.scale = spec_.scale;
    documents.labels = fill(labels_, [&](std::uint32_t i) { return query.labels[i]; });
    documents.scores = fill(scores_, [&](std::uint32_t i) { return query.scores[i]; });
    documents.weights = fill(weights_, [&](std::uint32_t i) { return query.weight(i); });
    if (spec_.loss == PairLoss::logistic && takes(query.scores)) {
      const auto [least, most] = range_of(query.scores);
      const double middle = least + (most - least) / 2;
      documents.growths =
          fill(growths_, [&](std::uint32_t i) { return std::exp(spec_.scale * (query.scores[i] - middle)); });
      stoppable_resize(shrinks_, growths_.size(), stop_);
      std::transform(growths_.begin(), growths_.end(), shrinks_.begin(), [](double growth) { return 1 / growth; });
      documents.shrinks = shrinks_.data();
    }
    if (spec_.weight == PairWeight::swap_change || spec_.weight == PairWeight::distance) {
      documents.distances = spec_.distances.data();
      documents.share = spec_.swap_share;
      place_of_.resize(query.n());
      for_each_part(order.size(), stop_, [&](std::size_t p, std::size_t last) {
        for (; p < last; ++p) place_of_[order[p]] = static_cast<std::uint32_t>(p);
      });
      documents.right = fill(right_, [&](std::uint32_t i) { return change.right()[place_of_[i]]; });
      documents.wrong = fill(wrong_, [&](std::uint32_t i) { return change.wrong()[place_of_[i]]; });
      documents.places = fill(places_, [&](std::uint32_t i) { return static_cast<double>(place_of_[i]); });
      documents.truncation = static_cast<double>(spec_.truncation);
      documents.together = spec_.together;
      const auto [least, most] = range_of(query.scores);
      documents.offset = least < most ? spec_.offset : 0.0;
    }
    stop_.before(2 * query.n());
    sums_.assign(query.n() + kPairPadding, 0.0);
    if (!second.empty()) second_sums_.assign(query.n() + kPairPadding, 0.0);
    slopes_ = 0;
    const double value = rows_(documents, {sums_.data(), second_sums_.data(), &slopes_});
    for_each_part(query.n(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) column[documents_[i]] = sums_[i];
    });
    if (!second.empty()) {
      for_each_part(query.n(), stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) second[documents_[i]] = second_sums_[i];
      });
    }
    return value;
  }

  // Of the last query: the sum over pairs of the sizes of derivatives.
  double slopes() const { return slopes_; }

 private:
  // The least and the greatest score, without a branch that depends on one.
  static std::pair<double, double> range_of(std::span<const double> scores) {
    double least = scores[0], most = scores[0];
    for (const double score : scores) {
      least = score < least ? score : least;
      most = score > most ? score : most;
    }
    return {least, most};
  }

  // documents_ by level, each level in input order.
  void sort(const LabelLevels& levels) {
    ends_.resize(levels.counts().size());
    std::exclusive_scan(levels.counts().begin(), levels.counts().end(), ends_.begin(), 0U);
    stoppable_resize(documents_, levels.levels().size(), stop_);
    for_each_part(documents_.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) documents_[ends_[levels.levels()[i]]++] = static_cast<std::uint32_t>(i);
    });
  }

  template <class Value>
  const double* fill(std::vector<double>& padded, Value&& value) {
    stoppable_resize(padded, documents_.size() + kPairPadding, stop_);
    for_each_part(documents_.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) padded[i] = value(documents_[i]);
    });
    std::fill_n(padded.end() - kPairPadding, kPairPadding, 1.0);
    return padded.data();
  }

  const PairSpec& spec_;
  Stop stop_;
  PairRows rows_;
  double slopes_ = 0;
  std::vector<std::uint32_t> ends_, documents_, place_of_;
  std::vector<double> labels_, scores_, weights_, growths_, shrinks_, right_, wrong_, places_, sums_, second_sums_;
};

}  // namespace idealrank
