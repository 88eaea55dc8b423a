// The pairs of one query, weighted by the mean change of a measure over rankings by scores with noise.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "idealrank/measure/rank_discounts.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/pairs/pair_totals.hpp"
#include "idealrank/sort/top.hpp"
#include "idealrank/stats/random.hpp"

namespace idealrank {

// Processes queries one by one, reusing its memory. A document is near if one of the rankings has it at a rank whose
// discount counts. Time grows with the number of pairs that have a near document.
class SmoothedPairs {
 public:
  explicit SmoothedPairs(const PairSpec& spec, const Stop& stop = {})
      : spec_(spec),
        stop_(stop),
        sum_(choose(spec.isa, pair_kernels_base, pair_kernels_v3).smoothed),
        rank_(stop) {}

  // Writes the derivatives, before all factors, into the columns. Labels are gains, and all numbers are finite.
  PairTotals operator()(std::span<const double> labels, const PairQuery& query, std::span<double> column,
                        std::span<double> second) {
    const std::size_t n = query.n();
    std::fill(column.begin(), column.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    if (n < 2 || std::all_of(labels.begin(), labels.end(), [&](double label) { return label == labels[0]; })) return {};
    discounts_.resize(n);
    stop_.before(10 * n);
    fill_discounts(spec_.swap.discount, spec_.swap.depths[static_cast<std::size_t>(query.query)], discounts_);
    const double rest = discounts_[std::min(spec_.truncation, n - 1)];  // what each lower rank counts
    std::size_t n_top = std::min(spec_.truncation, n - 1);
    while (n_top > 0 && discounts_[n_top - 1] == rest) --n_top;
    if (n_top == 0) return {};

    const auto [least, most] = range_of(query.scores);
    const bool near_enough = spec_.near_enough(least, most);
    const double middle = least + (most - least) / 2;
    draw(stream(labels, query, n_top), query, n_top, near_enough, middle);
    arrange(labels, query, n_top, rest, near_enough);

    PairTotals totals;
    sums_.assign(n + kPairPadding, 0.0);
    second_sums_.assign(second.empty() ? 0 : n + kPairPadding, 0.0);
    SmoothedDocuments documents{&stop_, n, near_.size(), labels_.data(), scores_.data(), weights_.data(), spec_.scale};
    if (near_enough) {
      documents.growths = growths_.data();
      documents.shrinks = shrinks_.data();
    }
    documents.n_rankings = spec_.n_rankings;
    documents.share = 1.0 / static_cast<double>(spec_.n_rankings);
    documents.stride = near_.size() + kPairPadding;
    documents.worths = worths_.data();
    documents.means = means_.data();
    totals.value = sum_(documents, spec_.derivative, {sums_.data(), second_sums_.data(), &totals.slopes});
    for (std::size_t p = 0; p < n; ++p) column[order_[p]] = sums_[p];
    for (std::size_t p = 0; p < second.size(); ++p) second[order_[p]] = second_sums_[p];
    return totals;
  }

 private:
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

  // The noise hangs on the labels and on the ranking, so that a query stands alone, scores with a common shift get the same
  // noise, and each tree of a booster that changes the ranking gets other noise.
  std::uint64_t stream(std::span<const double> labels, const PairQuery& query, std::size_t n_top) {
    std::uint64_t hash = labels.size();
    for (const double label : labels) hash = mixed(hash + std::bit_cast<std::uint64_t>(label + 0.0));
    for (const std::uint32_t document : rank_(query.scores, n_top, query.query, query.first_row).first(n_top))
      hash = mixed(hash + document);
    return hash;
  }

  // Fills `tops_` with the first n_top documents of each ranking, and `near_` with all of them.
  // Logistic noise log(u / (1 - u)) on sigma s ranks like the products of exp(sigma s) and the odds u / (1 - u).
  void draw(std::uint64_t stream, const PairQuery& query, std::size_t n_top, bool near_enough, double middle) {
    const std::size_t n = query.n();
    strengths_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double score = spec_.scale * (query.scores[i] - middle);
      strengths_[i] = near_enough ? std::exp(score) : score;
    }
    Random random(spec_.seed, stream);
    noisy_.resize(n);
    tops_.resize(spec_.n_rankings * n_top);
    near_.clear();
    place_of_.assign(n, kFar);
    for (std::size_t r = 0; r < spec_.n_rankings; ++r) {
      stop_.before(20 * n);
      for (std::size_t i = 0; i < n; ++i) {
        const double u = (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52;
        const double odds = u / (1 - u);
        noisy_[i] = near_enough ? strengths_[i] * odds : strengths_[i] + std::log(odds);
      }
      const auto top = rank_(noisy_, n_top, query.query, query.first_row).first(n_top);
      std::copy(top.begin(), top.end(), tops_.begin() + static_cast<std::ptrdiff_t>(r * n_top));
      for (const std::uint32_t document : top) {
        if (place_of_[document] != kFar) continue;
        place_of_[document] = static_cast<std::uint32_t>(near_.size());
        near_.push_back(document);
      }
    }
  }

  // Fills the columns that the kernel reads, near documents first.
  void arrange(std::span<const double> labels, const PairQuery& query, std::size_t n_top, double rest, bool near_enough) {
    const std::size_t n = query.n();
    order_ = near_;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (place_of_[i] == kFar) order_.push_back(i);
    }
    for (auto* each : {&labels_, &scores_, &weights_}) each->resize(n + kPairPadding);
    for (std::size_t p = 0; p < n + kPairPadding; ++p) {
      const std::size_t i = order_[p < n ? p : 0];
      labels_[p] = labels[i];
      scores_[p] = query.scores[i];
      weights_[p] = query.weight(i);
    }
    if (near_enough) {
      growths_.resize(n + kPairPadding);
      shrinks_.resize(n + kPairPadding);
      for (std::size_t p = 0; p < n + kPairPadding; ++p) {
        growths_[p] = strengths_[order_[p < n ? p : 0]];
        shrinks_[p] = 1.0 / growths_[p];
      }
    }
    const std::size_t stride = near_.size() + kPairPadding;
    worths_.assign(spec_.n_rankings * stride, 0.0);
    means_.assign(near_.size(), 0.0);
    for (std::size_t r = 0; r < spec_.n_rankings; ++r) {
      for (std::size_t p = 0; p < n_top; ++p) {
        const std::uint32_t place = place_of_[tops_[r * n_top + p]];
        worths_[r * stride + place] = discounts_[p] - rest;
        means_[place] += (discounts_[p] - rest) / static_cast<double>(spec_.n_rankings);
      }
    }
  }

  const PairSpec& spec_;
  Stop stop_;
  SmoothedSum sum_;
  TopRanker rank_;
  std::vector<double> discounts_, strengths_, noisy_, labels_, scores_, weights_, growths_, shrinks_, worths_, means_, sums_,
      second_sums_;
  std::vector<std::uint32_t> tops_, near_, place_of_, order_;
};

}  // namespace idealrank
