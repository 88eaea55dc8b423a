// Measures of rankings. A measure is the dot product of discounts and gains, in the order of the scores, divided by some
// normalizer; or another reduction of the same gains. Any number of measures needs only one sort per query.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/measure/stopping_places.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// How to order equal scores: mean over all orders, input order, its reverse, or the order that
// is best or worst for the gain.
enum class Ties { average, stable, reverse, best, worst };

// From label l to gain:
//   linear      l
//   exp2        2^l - 1, for labels up to `highest`
//   binary      1 if l >= rel
//   judged      1 for any judged document
//   preference  1 if relevant, -1 if judged not relevant, 0 if unjudged
//   table       looked up in a table
enum class GainKind { linear, exp2, binary, judged, preference, table };

// Reductions of the gains g_1, g_2, ... in rank order:
//   sum             sum_r D(r) g_r
//   precision_mean  sum over relevant ranks r of (relevant up to r) / r: average precision before its division
//   first           1 / rank of the first relevant document
//   any             1 if there is a relevant document
//   cascade         sum_r (1 / r) g_r prod_{i < r} (1 - g_i): expected reciprocal rank
//   preference      sum over relevant of 1 - (judged non-relevant above, at most R) / min(R, N): bpref before its division
//   tied            number of ranks whose score another document has too, whatever the gains
//   ideal           the largest sum_r D(r) g_r of any order
enum class Reduction { sum, precision_mean, first, any, cascade, preference, tied, ideal };

// What the reduction is divided by. R: relevant documents; n: ranked documents; k: the cutoff.
//   ideal            the largest sum of any order; judged documents that are not all ranked can be left out, or take the
//                    place of unjudged ones
//   full             the same sum for k documents of gain 1
//   relevant         R
//   reachable        min(R, k)
//   hits             relevant documents among the first k
//   cutoff           k
//   retrieved        min(n, k)
//   harmonic         (k + R) / 2
//   highest_label    the highest label of the query, at least 1
//   ideal_shorter    like ideal, but cut at min(n, k)
//   ideal_retrieved  like ideal, but cut at n, whatever k is
//   ideal_whole      like ideal, but never cut
enum class Denominator {
  none,
  ideal,
  full,
  relevant,
  reachable,
  hits,
  cutoff,
  retrieved,
  harmonic,
  highest_label,
  ideal_shorter,
  ideal_retrieved,
  ideal_whole
};

// How many ranks count: all; `rank`; as many as there are relevant documents; depths[q] for query q.
enum class CutoffKind { none, rank, relevant, depths };

struct Gain {
  GainKind kind = GainKind::linear;
  double rel = 1;  // lowest relevant label; for a cascade, the highest allowed label
  double highest = std::numeric_limits<double>::infinity();  // the highest label that exp2 allows
  double scale = 1;  // factor of every gain
  bool ideal_retrieved = false;  // the ideal order has only the ranked documents, even if others are judged
  std::span<const double> table_labels, table_gains;  // ascending labels
};

// D(r) = weights[r - 1], and 0 for later ranks; if `linear`, max(n - r, 0).
struct Discount {
  Discount(bool is_linear, std::span<const double> of_ranks)
      : linear(is_linear),
        any_order(!std::ranges::is_sorted(of_ranks, std::ranges::greater()) || (!of_ranks.empty() && of_ranks.back() < 0)),
        weights(of_ranks) {}
  Discount() = default;

  bool linear = false;
  bool any_order = false;  // some weight is larger than an earlier one, or negative
  std::span<const double> weights;
};

struct Spec {
  Reduction reduction = Reduction::sum;
  std::size_t gain = 0, discount = 0;
  Denominator denominator = Denominator::none;
  CutoffKind cutoff_kind = CutoffKind::none;
  std::size_t rank = 0;
  std::span<const std::int64_t> depths;  // one per query, each at least 0
  double empty = 0;  // value of a query without a positive gain
  bool zero_if_short = false;  // 0 if fewer than k documents are ranked
  bool negative_ideal = false;  // also divide by an ideal sum below 0
};

struct Lists {
  std::span<const double> labels, scores;
  std::span<const std::int64_t> offsets;
  // Labels of all judged documents; the same spans as `labels` and `offsets` if no others are known.
  std::span<const double> judged;
  std::span<const std::int64_t> judged_offsets;
  bool joined = false;  // NaN is the label of an unjudged document
};

// What to do with a negative label: raise a DataError; treat the document as unjudged; or keep it like any other label.
enum class Negative { error, unjudged, keep };

namespace detail {

inline constexpr double kNegligible = 1e-20;
inline constexpr std::size_t kPart = 1 << 14;  // documents between two checks of the stop
inline constexpr int kLevels = 64;  // whole labels 0 ... 63 are counted, others are sorted

// Four partial sums in a fixed order: equal gains give the same bits, so that an ideal ranking scores exactly 1.
inline double dot(const double* a, const double* b, std::size_t n) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// 2^l - 1: exact for whole labels; near 0 the plain difference would cancel.
inline double exp2_gain(double label) {
  if (label >= 0 && label < kLevels && label == std::floor(label)) {
    return static_cast<double>((std::uint64_t{1} << static_cast<int>(label)) - 1);
  }
  return std::abs(label) < 1 ? std::expm1(label * std::numbers::ln2) : std::exp2(label) - 1;
}

// Measures queries one by one, reusing its memory.
class QueryMeter {
 public:
  QueryMeter(const Lists& lists, std::span<const Gain> gains, std::span<const Discount> discounts,
             std::span<const Spec> specs, Ties ties, Negative negative, const Stop& stop = {})
      : lists_(lists),
        gains_(gains),
        discounts_(discounts),
        specs_(specs),
        ties_(ties),
        negative_(negative),
        stop_(stop),
        own_labels_(stop),
        own_scores_(stop),
        own_judged_(stop),
        rank_(stop),
        sort_ideal_(stop),
        stopping_places_(stop),
        columns_(gains.size()),
        level_gains_(gains.size()),
        cutoffs_(specs.size()),
        full_(specs.size()) {
    for (std::size_t g = 0; g < gains.size(); ++g) tabulate(g);
  }

  // Calls store(s, value) with the value of specs[s] for this query, for every s.
  template <class Store>
  void operator()(std::int64_t query, std::int64_t begin, std::int64_t end, Store&& store) {
    query_ = query;
    first_row_ = begin;
    const auto q = static_cast<std::size_t>(query), first = static_cast<std::size_t>(begin);
    const auto n = static_cast<std::size_t>(end - begin);
    labels_ = own_labels_(lists_.labels.subspan(first, n));
    scores_ = own_scores_(lists_.scores.subspan(first, n));
    judged_first_row_ = lists_.judged_offsets[q];
    const auto judged_first = static_cast<std::size_t>(judged_first_row_);
    const auto n_judged = static_cast<std::size_t>(lists_.judged_offsets[q + 1]) - judged_first;
    const bool same = lists_.judged.data() == lists_.labels.data() && judged_first == first && n_judged == n;
    judged_ = same ? labels_ : own_judged_(lists_.judged.subspan(judged_first, n_judged));

    count_levels();
    for (std::size_t g = 0; g < gains_.size(); ++g) count_relevant(g);

    std::size_t deepest = 0;
    for (Column& column : columns_) column.depth = 0;
    for (std::size_t s = 0; s < specs_.size(); ++s) {
      cutoffs_[s] = cutoff_of(specs_[s], n);
      deepest = std::max(deepest, std::min(cutoffs_[s], n));
      if (has_ideal(specs_[s])) {
        Column& column = columns_[specs_[s].gain];
        const bool all = discounts_[specs_[s].discount].any_order;
        const std::size_t depth = all ? ideal_labels(gains_[specs_[s].gain]).size() : ideal_depth(specs_[s], cutoffs_[s], n);
        column.depth = std::max(column.depth, depth);
      }
      if (specs_[s].denominator == Denominator::full) {
        const Discount& discount = discounts_[specs_[s].discount];
        const std::size_t depth = std::min(cutoffs_[s], discount.linear ? n : discount.weights.size());
        ones_.resize(std::max(ones_.size(), depth), 1.0);
      }
    }
    order_ = rank_(scores_, deepest, query, begin);
    find_runs();
    for (std::size_t g = 0; g < gains_.size(); ++g) {
      fill_ranked(g);
      if (columns_[g].depth > 0) fill_ideal(g);
    }
    for (std::size_t s = 0; s < specs_.size(); ++s) store(s, value_of(s, cutoffs_[s], n));
  }

 private:
  struct Column {
    std::vector<double> ranked;  // gains in rank order, deep enough for every cutoff
    std::vector<double> ideal;  // the `depth` highest gains
    std::size_t depth = 0;
    std::size_t n_relevant = 0;  // documents with a positive gain
    std::size_t n_negative = 0;  // documents with a negative gain; for bpref, those judged not relevant
  };

  // The gains of the labels 0 ... 63, and these labels by descending gain.
  struct LevelGains {
    std::array<double, kLevels> gains;
    std::array<int, kLevels> best_first;
  };

  void tabulate(std::size_t g) {
    LevelGains& levels = level_gains_[g];
    for (int level = 0; level < kLevels; ++level) {
      levels.gains[static_cast<std::size_t>(level)] = takes(gains_[g], level) ? gain_of(gains_[g], level, 0) : 0;
      levels.best_first[static_cast<std::size_t>(level)] = level;
    }
    std::ranges::sort(levels.best_first, [&](int a, int b) {
      const double gain_a = levels.gains[static_cast<std::size_t>(a)], gain_b = levels.gains[static_cast<std::size_t>(b)];
      return gain_a != gain_b ? gain_a > gain_b : a < b;
    });
  }

  static const double* find_in_table(const Gain& gain, double label) {
    const auto place = std::lower_bound(gain.table_labels.begin(), gain.table_labels.end(), label);
    if (place == gain.table_labels.end() || *place != label) return nullptr;
    return gain.table_gains.data() + (place - gain.table_labels.begin());
  }

  static bool is_in_table(const Gain& gain, double label) {
    return gain.kind == GainKind::table && find_in_table(gain, label) != nullptr;
  }

  static bool takes(const Gain& gain, double label) {
    if (gain.kind == GainKind::table) return is_in_table(gain, label);
    return gain.kind != GainKind::exp2 || label <= gain.highest;
  }

  [[noreturn]] void refuse(const Gain& gain, double label, std::int64_t row) const {
    if (gain.kind == GainKind::table) raise(data_error("the gain table has no label " + shown(label), query_, row));
    raise(data_error("the gain takes labels up to " + shown(gain.highest) + ", got " + shown(label), query_, row));
  }

  double gain_of(const Gain& gain, double label, std::int64_t row) const {
    if (std::isnan(label)) return 0;
    if (label < 0 && negative_ == Negative::unjudged && !is_in_table(gain, label)) return 0;
    if (!takes(gain, label)) refuse(gain, label, row);
    switch (gain.kind) {
      case GainKind::linear:
        return gain.scale * label;
      case GainKind::exp2: {
        const double value = gain.scale * exp2_gain(label);
        if (!std::isfinite(value))
          raise(data_error("the gain 2^l - 1 of the label " + shown(label) + " overflows", query_, row));
        return value;
      }
      case GainKind::binary:
        return label >= gain.rel ? gain.scale : 0;
      case GainKind::judged:
        return gain.scale;
      case GainKind::preference:
        return label >= gain.rel ? 1 : -1;
      case GainKind::table:
        break;
    }
    return gain.scale * *find_in_table(gain, label);
  }

  static std::string shown(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }

  const std::span<const double>& ideal_labels(const Gain& gain) const { return gain.ideal_retrieved ? labels_ : judged_; }
  bool same_labels() const { return labels_.data() == judged_.data(); }

  // How many documents have each of the labels 0 ... 63, valid if there are no other labels.
  struct Levels {
    std::array<std::uint32_t, kLevels> counts{};
    std::uint64_t present = 0;  // bit l: some document has label l
    bool countable = true;

    // Calls each(level, count) from the highest level down.
    template <class Each>
    void for_each(Each&& each) const {
      for (std::uint64_t left = present; left != 0;) {
        const auto level = static_cast<std::size_t>(63 - std::countl_zero(left));
        left ^= std::uint64_t{1} << level;
        each(level, static_cast<std::size_t>(counts[level]));
      }
    }
  };

  // Checks and counts the labels.
  void count_levels() {
    count(judged_, judged_first_row_, false, judged_levels_);
    if (!same_labels()) count(labels_, first_row_, lists_.joined, retrieved_levels_);
  }
  const Levels& retrieved_levels() const { return same_labels() ? judged_levels_ : retrieved_levels_; }
  const Levels& ideal_levels(const Gain& gain) const { return gain.ideal_retrieved ? retrieved_levels() : judged_levels_; }

  void count(std::span<const double> labels, std::int64_t first_row, bool may_be_unjudged, Levels& levels) {
    // Two tables, so that an increment need not wait for the previous one, which is mostly for the same label.
    std::array<std::uint32_t, kLevels> even{}, odd{};
    levels.present = 0;
    levels.countable = true;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i % kPart == 0) stop_.before(2 * kPart);
      // Adding 2^52 to a whole number below 2^52 puts it into the low bits.
      const std::uint64_t level = std::bit_cast<std::uint64_t>(labels[i] + 0x1p52) ^ std::bit_cast<std::uint64_t>(0x1p52);
      if (level < kLevels && static_cast<double>(static_cast<std::int64_t>(level)) == labels[i]) {
        ++(i % 2 == 0 ? even : odd)[level];
        levels.present |= std::uint64_t{1} << level;
      } else {
        levels.countable = false;
        check_label(labels[i], first_row + static_cast<std::int64_t>(i), may_be_unjudged);
      }
    }
    for (std::size_t level = 0; level < kLevels; ++level) levels.counts[level] = even[level] + odd[level];
  }

  void check_label(double label, std::int64_t row, bool may_be_unjudged) const {
    if (std::isnan(label) ? !may_be_unjudged : std::isinf(label)) {
      raise(data_error(std::string("a label must be a finite number, got ") + (std::isnan(label) ? "nan"
                                                                               : label > 0       ? "inf"
                                                                                                 : "-inf"),
                       query_, row));
    }
    if (label < 0 && negative_ == Negative::error && !is_known(label)) {
      raise(data_error("this convention takes no negative label, got " + shown(label), query_, row));
    }
  }

  // Whether tables say what a negative label is worth; that a document is judged can be seen from any label.
  bool is_known(double label) const {
    auto in_table = [&](const Gain& gain) { return is_in_table(gain, label); };
    auto allows = [&](const Gain& gain) { return gain.kind == GainKind::judged || in_table(gain); };
    return std::ranges::any_of(gains_, in_table) && std::ranges::all_of(gains_, allows);
  }

  void count_relevant(std::size_t g) {
    const Gain& gain = gains_[g];
    Column& column = columns_[g];
    column.n_relevant = column.n_negative = 0;
    auto add = [&](double value, std::size_t count) {
      column.n_relevant += value > 0 ? count : 0;
      column.n_negative += value < 0 ? count : 0;
    };
    const Levels& levels = ideal_levels(gain);
    const std::span<const double> labels = ideal_labels(gain);
    const std::int64_t first = gain.ideal_retrieved ? first_row_ : judged_first_row_;
    if (levels.countable) {
      check_levels(gain, levels, labels, first);
      levels.for_each([&](std::size_t level, std::size_t count) { add(level_gains_[g].gains[level], count); });
    } else {
      stop_.before(4 * labels.size());
      for (std::size_t i = 0; i < labels.size(); ++i) add(gain_of(gain, labels[i], first + static_cast<std::int64_t>(i)), 1);
    }
    if (retrieved_levels().countable && &retrieved_levels() != &levels) {
      check_levels(gain, retrieved_levels(), labels_, first_row_);
    }
  }

  // Throws for a level that the gain does not take, with the first row that has it.
  void check_levels(const Gain& gain, const Levels& levels, std::span<const double> labels, std::int64_t first_row) const {
    levels.for_each([&](std::size_t level, std::size_t) {
      const auto label = static_cast<double>(level);
      if (!takes(gain, label))
        refuse(gain, label, first_row + (std::find(labels.begin(), labels.end(), label) - labels.begin()));
    });
  }

  std::size_t cutoff_of(const Spec& spec, std::size_t n) const {
    switch (spec.cutoff_kind) {
      case CutoffKind::none:
        return std::max(n, ideal_labels(gains_[spec.gain]).size());
      case CutoffKind::rank:
        return spec.rank;
      case CutoffKind::relevant:
        return columns_[spec.gain].n_relevant;
      case CutoffKind::depths:
        break;
    }
    return static_cast<std::size_t>(spec.depths[static_cast<std::size_t>(query_)]);
  }

  static bool has_ideal(const Spec& spec) {
    return spec.reduction == Reduction::ideal || spec.denominator == Denominator::ideal ||
           spec.denominator >= Denominator::ideal_shorter;
  }

  // Whether the ideal order can do without some documents.
  bool is_free(const Gain& gain) const { return lists_.joined && !gain.ideal_retrieved; }

  // The number of documents in the ideal order.
  std::size_t ideal_depth(const Spec& spec, std::size_t k, std::size_t n) const {
    switch (spec.denominator) {
      case Denominator::ideal_shorter:
        return std::min(k, n);
      case Denominator::ideal_retrieved:
        return n;
      case Denominator::ideal_whole:
        return ideal_labels(gains_[spec.gain]).size();
      default:
        return k;
    }
  }

  // Finds the ranks at which runs of equal scores end. Stable ties do not need them.
  void find_runs() {
    run_ends_.clear();
    if (ties_ == Ties::stable) return;
    for_each_tie_run(scores_, order_, [&](std::size_t first, std::size_t last) {
      stop_.before(4 * (last - first));
      run_ends_.push_back(last);
    });
  }

  template <class Run>
  void for_each_long_run(Run&& run) const {
    std::size_t first = 0;
    for (const std::size_t last : run_ends_) {
      if (last - first > 1) run(first, last);
      first = last;
    }
  }

  void fill_ranked(std::size_t g) {
    std::vector<double>& ranked = columns_[g].ranked;
    stoppable_resize(ranked, order_.size(), stop_);
    const Gain& gain = gains_[g];
    if (retrieved_levels().countable) {
      const auto& levels = level_gains_[g].gains;
      for_each_part(ranked.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) ranked[r] = levels[static_cast<std::size_t>(labels_[order_[r]])];
      });
    } else {
      for_each_part(ranked.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          ranked[r] = gain_of(gain, labels_[order_[r]], first_row_ + static_cast<std::int64_t>(order_[r]));
        }
      });
    }
    for_each_long_run([&](std::size_t first, std::size_t last) {
      stop_.before(2 * (last - first));
      const auto begin = ranked.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(last);
      if (ties_ == Ties::reverse) std::reverse(begin, end);
      if (ties_ == Ties::best) stoppable_sort(begin, end, std::greater<>(), stop_);
      if (ties_ == Ties::worst) stoppable_sort(begin, end, std::less<>(), stop_);
      if (ties_ == Ties::average && std::any_of(begin, end, [&](double g_r) { return g_r != *begin; })) {
        double sum = 0;
        for (auto g_r = begin; g_r != end; ++g_r) sum += *g_r;
        std::fill(begin, end, sum / static_cast<double>(last - first));
      }
    });
  }

  void fill_ideal(std::size_t g) {
    const Gain& gain = gains_[g];
    Column& column = columns_[g];
    const std::span<const double> labels = ideal_labels(gain);
    const std::size_t depth = std::min(column.depth, labels.size());
    stop_.before(4 * depth);
    column.ideal.clear();
    const Levels& levels = ideal_levels(gain);
    if (levels.countable) {
      auto append = [&](std::size_t level, std::size_t count) {
        const std::size_t room = depth - column.ideal.size();
        column.ideal.resize(column.ideal.size() + std::min(room, count), level_gains_[g].gains[level]);
      };
      if (gain.kind != GainKind::table) {  // a higher label never has a lower gain
        levels.for_each(append);
      } else {
        for (const int level : level_gains_[g].best_first) {
          append(static_cast<std::size_t>(level),
                 (levels.present >> level & 1) != 0 ? levels.counts[static_cast<std::size_t>(level)] : 0);
        }
      }
      return;
    }
    stop_.before(4 * labels.size());
    for (const double label : labels) column.ideal.push_back(gain_of(gain, label, -1));
    stop_.before(10 * labels.size());
    // std::partial_sort uses a heap, and is far slower on long lists than selecting and sorting.
    const auto last = column.ideal.begin() + static_cast<std::ptrdiff_t>(depth);
    if (depth < labels.size()) std::nth_element(column.ideal.begin(), last, column.ideal.end(), std::greater<>());
    column.ideal.resize(depth);
    sort_ideal_(column.ideal);
  }

  // The largest DCG of any order: the largest gains at the largest weights (the rearrangement inequality). Ranks that do
  // not count have the weight 0, and so has a document that is left out; an unjudged document has the gain 0.
  double ideal_sum(const Spec& spec, const Column& column, std::size_t k, std::size_t n) {
    const Discount& discount = discounts_[spec.discount];
    const bool free = is_free(gains_[spec.gain]);
    const std::size_t depth = ideal_depth(spec, k, n);
    if (!discount.any_order) return weighted(discount, column.ideal, free ? std::min(depth, column.n_relevant) : depth, n);
    std::size_t n_documents = column.ideal.size();
    if (!free) {
      sort_weights(discount, 0, n_documents, depth);
      return dot(column.ideal.data(), weights_.data(), n_documents);
    }
    n_documents += std::min(depth, discount.weights.size());
    sort_weights(discount, 0, n_documents, depth);
    padded_ = column.ideal;
    padded_.resize(n_documents, 0.0);
    sort_ideal_(padded_);
    return dot(padded_.data(), weights_.data(), n_documents);
  }

  // Puts the weights of the ranks first + 1 to last into weights_, in descending order; beyond k, they are 0.
  void sort_weights(const Discount& discount, std::size_t first, std::size_t last, std::size_t k) {
    const std::size_t known = std::clamp(std::min(k, discount.weights.size()), first, last);
    weights_.assign(discount.weights.begin() + static_cast<std::ptrdiff_t>(std::min(first, discount.weights.size())),
                    discount.weights.begin() + static_cast<std::ptrdiff_t>(std::min(known, discount.weights.size())));
    weights_.resize(last - first, 0.0);
    sort_ideal_(weights_);
  }

  // The sum for the best or the worst order of equal scores, whose gains descend or ascend within their run.
  double rearranged_runs(const Discount& discount, const std::vector<double>& gains, std::size_t k) {
    double sum = 0;
    std::size_t first = 0;
    for (const std::size_t last : run_ends_) {
      if (first >= k) break;
      sort_weights(discount, first, last, k);
      sum += dot(gains.data() + first, weights_.data(), last - first);
      first = last;
    }
    return sum;
  }

  double weighted(const Discount& discount, const std::vector<double>& gains, std::size_t k, std::size_t n) const {
    const std::size_t m = std::min(k, gains.size());
    if (!discount.linear) return dot(gains.data(), discount.weights.data(), std::min(m, discount.weights.size()));
    double sum = 0;
    for (std::size_t r = 0; r < m && r + 1 < n; ++r) sum += gains[r] * static_cast<double>(n - r - 1);
    return sum;
  }

  double value_of(std::size_t s, std::size_t k, std::size_t n) {
    stop_.before(2 * order_.size());
    const Spec& spec = specs_[s];
    const Column& column = columns_[spec.gain];
    // A plain sum of negative gains is well defined; everything else needs a relevant document.
    const bool plain_loss =
        spec.reduction == Reduction::sum && spec.denominator == Denominator::none && column.n_negative > 0;
    const bool negative_ideal = spec.negative_ideal && column.n_negative > 0;
    if (column.n_relevant == 0 && !plain_loss && !negative_ideal && gains_[spec.gain].kind != GainKind::judged)
      return spec.empty;
    if (spec.zero_if_short && spec.cutoff_kind != CutoffKind::none && n < k) return 0;
    if (spec.denominator == Denominator::hits && (ties_ == Ties::best || ties_ == Ties::worst)) {
      return mean_precision_of_hits(column.ranked, std::min(k, n));
    }
    const double reduced = reduce(spec, column, k, n);
    stop_.before(2 * order_.size());
    const double divisor = denominator_of(s, column, k, n);
    if (!std::isfinite(reduced) || !std::isfinite(divisor)) {
      raise(data_error("the gains of a query are too large to be summed", query_, -1));
    }
    if (divisor > 0 || (negative_ideal && divisor < 0)) return reduced / divisor;
    // Negative gains can outweigh the positive ones even in the ideal order; then there is nothing to compare with.
    const bool normalised = has_ideal(spec) || spec.denominator == Denominator::full;
    return normalised ? spec.empty : 0;
  }

  double reduce(const Spec& spec, const Column& column, std::size_t k, std::size_t n) {
    const std::size_t m = std::min(k, n);
    switch (spec.reduction) {
      case Reduction::sum: {
        const Discount& discount = discounts_[spec.discount];
        const bool chosen = discount.any_order && (ties_ == Ties::best || ties_ == Ties::worst);
        return chosen ? rearranged_runs(discount, column.ranked, k) : weighted(discount, column.ranked, k, n);
      }
      case Reduction::ideal:
        return ideal_sum(spec, column, k, n);
      case Reduction::precision_mean:
        return precision_mean(column.ranked, m);
      case Reduction::first:
        return first(column.ranked, m);
      case Reduction::any:
        return any(column.ranked, m);
      case Reduction::cascade:
        return cascade(spec, column.ranked, m);
      case Reduction::preference:
        return preference(column, m);
      case Reduction::tied:
        return tied(m);
    }
    return 0;
  }

  double denominator_of(std::size_t s, const Column& column, std::size_t k, std::size_t n) {
    const Spec& spec = specs_[s];
    const auto relevant = static_cast<double>(column.n_relevant);
    const auto cutoff = static_cast<double>(spec.cutoff_kind == CutoffKind::none ? n : k);
    switch (spec.denominator) {
      case Denominator::none:
        return 1;
      case Denominator::ideal:
      case Denominator::ideal_shorter:
      case Denominator::ideal_retrieved:
      case Denominator::ideal_whole:
        return ideal_sum(spec, column, k, n);
      case Denominator::full: {
        // The same for all queries with the same k and, for a linear discount, the same n.
        const auto& [last_k, last_n, value] = full_[s];
        if (k != last_k || n != last_n) full_[s] = {k, n, weighted(discounts_[spec.discount], ones_, k, n)};
        return value;
      }
      case Denominator::relevant:
        return relevant;
      case Denominator::reachable:
        return spec.cutoff_kind == CutoffKind::none ? relevant : std::min(relevant, cutoff);
      case Denominator::hits: {
        double hits = 0;
        for (std::size_t r = 0; r < std::min(k, column.ranked.size()); ++r) hits += column.ranked[r];
        return hits;
      }
      case Denominator::cutoff:
        return cutoff;
      case Denominator::retrieved:
        return static_cast<double>(std::min(n, k));
      case Denominator::harmonic:
        return (cutoff + relevant) / 2;
      case Denominator::highest_label: {
        double highest = 1;
        for (const double label : ideal_labels(gains_[spec.gain])) highest = std::max(highest, label);
        return highest;
      }
    }
    return 1;
  }

  // Calls run(first, last, relevant documents in the run) for runs of equal scores up to rank m; unless ties are averaged,
  // each rank is a run. Gains are 0 and 1, or their mean in a run.
  template <class Run>
  void for_each_run(const std::vector<double>& gains, std::size_t m, Run&& run) const {
    if (ties_ != Ties::average) {
      for (std::size_t r = 0; r < m; ++r) run(r, r + 1, gains[r]);
      return;
    }
    std::size_t first = 0;
    for (const std::size_t last : run_ends_) {
      if (first >= m) return;
      run(first, last, std::round(gains[first] * static_cast<double>(last - first)));
      first = last;
    }
  }

  // In a run of t documents of which x are relevant, the one at place j is relevant with probability x / t, and then (j - 1)
  // (x - 1) / (t - 1) relevant ones of the run precede it on average (McSherry and Najork 2008).
  double precision_mean(const std::vector<double>& gains, std::size_t m) const {
    double sum = 0, hits = 0;
    for_each_run(gains, m, [&](std::size_t first, std::size_t last, double x) {
      const auto t = static_cast<double>(last - first);
      if (x > 0) {
        const double more = t > 1 ? (x - 1) / (t - 1) : 0;
        for (std::size_t r = first; r < std::min(last, m); ++r) {
          sum += x / t * (hits + 1 + static_cast<double>(r - first) * more) / static_cast<double>(r + 1);
        }
      }
      hits += x;
    });
    return sum;
  }

  // Average precision over the hits, for the order of ties that is best or worst for it. Whole runs are already sorted
  // accordingly. In the run that the cutoff divides, the number of relevant documents above the cutoff can be chosen.
  double mean_precision_of_hits(const std::vector<double>& gains, std::size_t m) const {
    double sum = 0, hits = 0;
    std::size_t first = 0;
    for (const std::size_t last : run_ends_) {
      if (last > m) break;
      for (; first < last; ++first) {
        hits += gains[first];
        sum += gains[first] * hits / static_cast<double>(first + 1);
      }
    }
    if (first == m) return hits > 0 ? sum / hits : 0;

    const std::size_t last = *std::upper_bound(run_ends_.begin(), run_ends_.end(), first);
    double relevant = 0;
    for (std::size_t r = first; r < last; ++r) relevant += gains[r];
    const double inside = static_cast<double>(m - first), outside = static_cast<double>(last - m);
    const bool best = ties_ == Ties::best;
    double chosen = best ? 0 : std::numeric_limits<double>::infinity();
    // For the best order, the `found` relevant documents come first, at the ranks first + 1, ...; for the worst,
    // last, at the ranks m, m - 1, ... In the latter case, another one above them adds 1 to the count at each of
    // them: `inverse_ranks` in total.
    const double least = std::max(0.0, relevant - outside), most = std::min(relevant, inside);
    double inverse_ranks = 0;
    for (double found = 0; found <= most; ++found) {
      if (found >= least) {
        const double value = hits + found > 0 ? sum / (hits + found) : 0;
        chosen = best ? std::max(chosen, value) : std::min(chosen, value);
      }
      if (best) {
        sum += (hits + found + 1) / (static_cast<double>(first) + found + 1);
      } else {
        const double rank = static_cast<double>(m) - found;
        sum += inverse_ranks + (hits + 1) / rank;
        inverse_ranks += 1 / rank;
      }
    }
    return chosen;
  }

  // The first relevant document of the run is at place j with probability (x / (t - j + 1))
  // prod_{i < j} (1 - x / (t - i + 1)).
  double first(const std::vector<double>& gains, std::size_t m) const {
    double value = 0;
    bool found = false;
    for_each_run(gains, m, [&](std::size_t begin, std::size_t end, double x) {
      if (found || x == 0) return;
      found = true;
      double none_yet = 1;
      for (std::size_t r = begin; r < std::min(end, m) && none_yet > 0; ++r) {
        const double here = std::min(x / static_cast<double>(end - r), 1.0);
        value += none_yet * here / static_cast<double>(r + 1);
        none_yet *= 1 - here;
      }
    });
    return value;
  }

  double any(const std::vector<double>& gains, std::size_t m) const {
    double none = 1;
    for_each_run(gains, m, [&](std::size_t begin, std::size_t end, double x) {
      if (x == 0) return;
      for (std::size_t r = begin; r < std::min(end, m) && none > 0; ++r) {
        none *= 1 - std::min(x / static_cast<double>(end - r), 1.0);
      }
    });
    return 1 - none;
  }

  // A chance of going on below this changes no bit of a sum. It may never become 0: the smallest number times 0.9 is itself.
  static constexpr double kNothing = std::numeric_limits<double>::min();

  double cascade(const Spec& spec, const std::vector<double>& gains, std::size_t m) {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (i % kPart == 0) stop_.before(5 * kPart);
      const std::int64_t row = first_row_ + static_cast<std::int64_t>(i);
      if (labels_[i] > gains_[spec.gain].rel || gain_of(gains_[spec.gain], labels_[i], row) < 0) {
        raise(data_error("a label is above max_label, or negative: " + shown(labels_[i]), query_, row));
      }
    }
    if (ties_ == Ties::average) return cascade_average(spec, m);
    stop_.before(5 * m);
    double sum = 0, going_on = 1;
    for (std::size_t r = 0; r < m && going_on >= kNothing; ++r) {
      sum += going_on * gains[r] / static_cast<double>(r + 1);
      going_on *= 1 - gains[r];
    }
    return sum;
  }

  // The mean over all orders of each run.
  double cascade_average(const Spec& spec, std::size_t m) {
    double sum = 0, going_on = 1;
    std::size_t begin = 0;
    for (const std::size_t end : run_ends_) {
      if (begin >= m || going_on < kNothing) break;
      run_gains_.clear();
      for (std::size_t i = begin; i < end; ++i) {
        run_gains_.push_back(
            gain_of(gains_[spec.gain], labels_[order_[i]], first_row_ + static_cast<std::int64_t>(order_[i])));
      }
      const auto stops = stopping_places_(run_gains_, std::min(end, m) - begin);
      for (std::size_t j = 0; j < stops.size(); ++j) sum += going_on * stops[j] / static_cast<double>(begin + j + 1);
      for (const double gain : run_gains_) going_on *= 1 - gain;
      begin = end;
    }
    return sum;
  }

  double preference(const Column& column, std::size_t m) const {
    const auto relevant = static_cast<double>(column.n_relevant), others = static_cast<double>(column.n_negative);
    double sum = 0, above = 0;
    for (std::size_t r = 0; r < m; ++r) {
      if (column.ranked[r] < 0) above += 1;
      if (column.ranked[r] > 0) sum += above == 0 ? 1 : 1 - std::min(above, relevant) / std::min(others, relevant);
    }
    return sum;
  }

  double tied(std::size_t m) const {
    auto equal = [&](std::size_t r) { return scores_[order_[r - 1]] == scores_[order_[r]]; };
    double count = 0;
    for (std::size_t r = 0; r < m; ++r) {
      count += (r > 0 && equal(r)) || (r + 1 < order_.size() && equal(r + 1)) ? 1 : 0;
    }
    return count;
  }

  const Lists& lists_;
  std::span<const Gain> gains_;
  std::span<const Discount> discounts_;
  std::span<const Spec> specs_;
  Ties ties_;
  Negative negative_;
  Stop stop_;

  OwnCopy own_labels_, own_scores_, own_judged_;
  std::int64_t query_ = -1, first_row_ = 0, judged_first_row_ = 0;
  std::span<const double> labels_, scores_, judged_;
  Levels judged_levels_, retrieved_levels_;
  TopRanker rank_;
  DescendingSort sort_ideal_;
  std::span<const std::uint32_t> order_;
  StoppingPlaces stopping_places_;
  std::vector<double> run_gains_;  // for a cascade
  std::vector<std::size_t> run_ends_;
  std::vector<Column> columns_;
  std::vector<LevelGains> level_gains_;
  std::vector<std::size_t> cutoffs_;
  std::vector<double> weights_, padded_;  // the weights of ranks, and gains, in descending order
  std::vector<double> ones_;  // the gains of a full list, as long as the longest so far
  struct Full {
    std::size_t k = 0, n = 0;
    double value = 0;
  };
  std::vector<Full> full_;  // for each spec, its last denominator of the kind `full`
};

}  // namespace detail

// values[s * n_queries + q]: specs[s] on query q.
inline void measure(const Lists& lists, std::span<const Gain> gains, std::span<const Discount> discounts,
                    std::span<const Spec> specs, Ties ties, Negative negative, std::span<double> values, Threads threads) {
  const std::size_t n_queries = lists.offsets.size() - 1;
  for_each_query(lists.offsets, threads, [&](const Stop& stop) {
    return [&, meter = detail::QueryMeter(lists, gains, discounts, specs, ties, negative, stop)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      meter(query, begin, end,
            [&](std::size_t s, double value) { values[s * n_queries + static_cast<std::size_t>(query)] = value; });
    };
  });
}

}  // namespace idealrank
