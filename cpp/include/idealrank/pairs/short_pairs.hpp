// Enumerates the pairs of one short query, like PairsByLabel, in memory of a fixed size. For ten documents, the overhead of
// the general code is several times the cost of the pairs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/pairs/swap_change.hpp"

namespace idealrank {

// Up to this many documents, this is faster than the general code (measured).
inline constexpr std::size_t kShortPairs = 48;

// Processes queries one by one.
class ShortPairs {
 public:
  explicit ShortPairs(const PairSpec& spec, const Stop& stop = {})
      : spec_(spec),
        stop_(stop),
        swaps_(spec.weight == PairWeight::swap_change || spec.weight == PairWeight::distance),
        count_places_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).count_places),
        rows_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).rows(spec.loss, spec.weight, spec.derivative)),
        change_(stop) {}

  // n documents have at most (n - 1) / 2 pairs per document.
  bool takes(std::size_t n) const {
    return n > 0 && n <= kShortPairs && 2 * spec_.few_pairs >= kShortPairs &&
           (!swaps_ || spec_.swap.reduction == Reduction::sum);
  }

  // Writes the derivatives, before all factors, into the columns. Returns false without a result if a number is not finite
  // or if the scores are far apart; the general code has errors and formulas for these cases.
  bool operator()(std::span<const double> labels, const PairQuery& query, std::span<double> column,
                  std::span<double> second) {
    const std::size_t n = query.n();
    totals_ = {};
    n_pairs_ = 0;
    double nothing = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = 0; i < n; ++i) {  // reads each input number only once
      const double label = labels[i], score = query.scores[i];
      given_.minus_labels[i] = -label;
      given_.scores[i] = score;
      nothing += label * 0.0 + score * 0.0;  // NaN if a number is not finite
      least = std::min(least, score);
      most = std::max(most, score);
    }
    if (nothing != 0 || !spec_.near_enough(least, most)) return false;
    count_places_(given_.minus_labels.data(), n, given_.places_by_label.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::uint32_t>(static_cast<std::int32_t>(given_.places_by_label[i]));
      at_[i] = at;
      labels_[at] = 0.0 - given_.minus_labels[i];  // turns -0 into 0
      scores_[at] = given_.scores[i];
    }
    has_pairs_ = labels_[0] < labels_[n - 1];
    if (!has_pairs_) {
      std::fill(column.begin(), column.end(), 0.0);
      std::fill(second.begin(), second.end(), 0.0);
      return true;
    }
    if (spec_.normalize == PairNormalize::pairs) count_pairs(n);
    if (query.weights.empty()) {
      std::fill_n(weights_.begin(), n, 1.0);
    } else {
      for (std::size_t i = 0; i < n; ++i) weights_[at_[i]] = query.weights[i];
    }
    LabelledDocuments documents{&stop_, n, labels_.data(), scores_.data(), weights_.data(), spec_.scale};
    if (spec_.loss == PairLoss::logistic) {
      documents.growths = growths_.data();
      documents.shrinks = shrinks_.data();
      documents.middle = least + (most - least) / 2;
    }
    if (swaps_) add_places(query, least < most, documents);
    pad(n);
    std::fill_n(sums_.begin(), n + kPairPadding, 0.0);
    std::fill_n(second_sums_.begin(), n + kPairPadding, 0.0);
    totals_.value = rows_(documents, {sums_.data(), second_sums_.data(), &totals_.slopes});
    for (std::size_t i = 0; i < n; ++i) column[i] = sums_[at_[i]];
    for (std::size_t i = 0; i < second.size(); ++i) second[i] = second_sums_[at_[i]];
    return true;
  }

  // Results of the last query; all are 0 if it has no pairs. The pairs are counted only if sums are divided by their number.
  bool has_pairs() const { return has_pairs_; }
  const PairTotals& totals() const { return totals_; }
  double n_pairs() const { return n_pairs_; }

 private:
  using Column = std::array<double, kShortPairs + kPairPadding>;

  void add_places(const PairQuery& query, bool scores_differ, LabelledDocuments& documents) {
    change_.by_rank(spec_.swap, query.query, query.n());
    count_places_(given_.scores.data(), query.n(), given_.places.data());
    for (std::size_t i = 0; i < query.n(); ++i) {
      const double place = given_.places[i];
      places_[at_[i]] = place;
      changes_[at_[i]] = change_.right()[static_cast<std::int32_t>(place)];
    }
    documents.right = documents.wrong = changes_.data();
    documents.places = places_.data();
    documents.distances = spec_.distances.data();
    documents.with_swap = spec_.with_swap;
    documents.truncation = static_cast<double>(spec_.truncation);
    documents.together = spec_.together;
    documents.offset = scores_differ ? spec_.offset : 0.0;
  }

  void count_pairs(std::size_t n) {
    for (std::size_t i = 0, begin = 0; i < n; ++i) {
      if (labels_[i] != labels_[begin]) begin = i;
      n_pairs_ += static_cast<double>(begin);
    }
  }

  void pad(std::size_t n) {
    for (Column* column : {&labels_, &weights_, &places_, &changes_}) std::fill_n(column->begin() + n, kPairPadding, 1.0);
    std::fill_n(scores_.begin() + n, kPairPadding, scores_[0]);
  }

  const PairSpec& spec_;
  Stop stop_;
  bool swaps_;
  void (*count_places_)(const double* values, std::size_t n, double* places);
  PairRows rows_;
  SwapChange change_;
  bool has_pairs_ = false;
  PairTotals totals_;
  double n_pairs_ = 0;
  struct {
    Column minus_labels{}, scores{}, places_by_label, places;
  } given_;  // in the caller's order; all other columns are by label, lowest first
  std::array<std::uint32_t, kShortPairs> at_;
  Column labels_, scores_, weights_, places_, changes_, growths_, shrinks_, sums_, second_sums_;
};

}  // namespace idealrank
