#include "idealrank/measure/measure.hpp"

#include <random>

#include "check.hpp"

using namespace idealrank;

namespace {

struct Data {
  std::vector<double> labels, scores;
  std::vector<std::int64_t> offsets{0};

  Lists lists() const { return {labels, scores, offsets, labels, offsets, false}; }
};

Data drawn(unsigned seed, std::size_t n_docs, unsigned n_levels) {
  std::mt19937 random(seed);
  Data data;
  while (data.labels.size() < n_docs) {
    const auto kind = random() % 10;
    const std::size_t n = kind == 0 ? 0 : kind == 1 ? random() % 5000 : random() % 200;
    for (std::size_t i = 0; i < n; ++i) {
      data.labels.push_back(static_cast<double>(random() % n_levels));
      data.scores.push_back(static_cast<double>(random() % 1000) / 8);
    }
    data.offsets.push_back(static_cast<std::int64_t>(data.labels.size()));
  }
  return data;
}

// 1 / log2(1 + r), long enough for every list here.
std::vector<double> log_weights() {
  std::vector<double> weights;
  for (int r = 1; r <= 10'000; ++r) weights.push_back(1 / std::log2(1.0 + r));
  return weights;
}

std::vector<double> measured(const Data& data, std::span<const Gain> gains, std::span<const Discount> discounts,
                             std::span<const Spec> specs, Ties ties, int n_threads) {
  std::vector<double> values(specs.size() * (data.offsets.size() - 1), -1);
  measure(data.lists(), gains, discounts, specs, ties, Negative::error, values, n_threads);
  return values;
}

std::vector<Spec> all_specs() {
  std::vector<Spec> specs;
  for (const Reduction reduction :
       {Reduction::sum, Reduction::precision_mean, Reduction::first, Reduction::any, Reduction::tied}) {
    for (const Denominator denominator : {Denominator::none, Denominator::ideal, Denominator::relevant, Denominator::hits,
                                          Denominator::cutoff, Denominator::retrieved, Denominator::harmonic}) {
      for (const std::size_t cutoff : {std::size_t{10}, std::size_t{100}}) {
        Spec spec;
        spec.reduction = reduction;
        spec.denominator = denominator;
        spec.cutoff_kind = CutoffKind::rank;
        spec.rank = cutoff;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

}  // namespace

TEST(ndcg_is_what_the_formula_says) {
  const Data data = drawn(1, 5000, 5);
  const std::vector<double> weights = log_weights();
  Gain gain;
  gain.kind = GainKind::exp2;
  const Discount discount{false, weights};
  Spec spec;
  spec.denominator = Denominator::ideal;
  spec.cutoff_kind = CutoffKind::rank;
  spec.rank = 10;
  const auto values = measured(data, {&gain, 1}, {&discount, 1}, {&spec, 1}, Ties::stable, 1);
  for (std::size_t q = 0; q + 1 < data.offsets.size(); ++q) {
    std::vector<std::pair<double, double>> ranked;  // score, gain
    for (auto row = static_cast<std::size_t>(data.offsets[q]); row < static_cast<std::size_t>(data.offsets[q + 1]); ++row) {
      ranked.emplace_back(data.scores[row], std::exp2(data.labels[row]) - 1);
    }
    auto dcg = [&] {
      double sum = 0;
      for (std::size_t r = 0; r < std::min<std::size_t>(10, ranked.size()); ++r) sum += ranked[r].second * weights[r];
      return sum;
    };
    std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.first > b.first; });
    const double reached = dcg();
    std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.second > b.second; });
    const double ideal = dcg();
    CHECK(std::abs(values[q] - (ideal > 0 ? reached / ideal : 0)) < 1e-12);
  }
}

TEST(many_measures_at_once_have_the_same_bits_as_one_by_one_and_on_any_number_of_threads) {
  const Data data = drawn(2, 110'000, 4);
  const std::vector<double> weights = log_weights();
  Gain gain;
  gain.kind = GainKind::binary;
  const Discount discount{false, weights};
  const std::vector<Spec> specs = all_specs();
  for (const Ties ties : {Ties::average, Ties::reverse}) {
    const auto expected = measured(data, {&gain, 1}, {&discount, 1}, specs, ties, 1);
    for (const int n_threads : {2, 4}) CHECK(measured(data, {&gain, 1}, {&discount, 1}, specs, ties, n_threads) == expected);
    for (std::size_t s = 0; s < specs.size(); s += 10) {
      const auto values = measured(data, {&gain, 1}, {&discount, 1}, {&specs[s], 1}, ties, 1);
      const auto n = static_cast<std::ptrdiff_t>(values.size());
      const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(s) * n;
      CHECK(std::equal(values.begin(), values.end(), begin, begin + n));
    }
  }
}

TEST(a_bad_label_or_score_is_refused_with_its_query_and_row) {
  const std::vector<double> weights = log_weights();
  const Gain gain;
  const Discount discount{false, weights};
  const Spec spec;
  for (const bool in_labels : {false, true}) {
    Data data = drawn(3, 120'000, 4);
    const std::size_t row = 77'777;
    (in_labels ? data.labels : data.scores)[row] = std::numeric_limits<double>::quiet_NaN();
    (in_labels ? data.labels : data.scores)[100'000] = std::numeric_limits<double>::infinity();
    const auto after = std::upper_bound(data.offsets.begin(), data.offsets.end(), static_cast<std::int64_t>(row));
    for (const int n_threads : {1, 4}) {
      const auto error = check::thrown<data_error>(
          [&] { measured(data, {&gain, 1}, {&discount, 1}, {&spec, 1}, Ties::stable, n_threads); });
      CHECK(error.has_value());
      if (!error) continue;
      CHECK_EQ(error->row, row);
      CHECK_EQ(error->query, after - data.offsets.begin() - 1);
    }
  }
}

namespace {

// The value of the only query of the data.
double value_of(const Data& data, const Gain& gain, Spec spec, Negative negative = Negative::error) {
  const std::vector<double> weights = log_weights();
  const Discount discount{false, weights};
  double value = -1;
  measure(data.lists(), {&gain, 1}, {&discount, 1}, {&spec, 1}, Ties::stable, negative, {&value, 1}, 1);
  return value;
}

Gain gain_of(GainKind kind) {
  Gain gain;
  gain.kind = kind;
  return gain;
}

}  // namespace

TEST(an_ideal_that_is_not_positive_gives_the_value_of_an_empty_query) {
  const Data data{{-5, 1}, {2, 1}, {0, 2}};  // ideally 1 - 5 / log2(3) < 0
  Spec spec;
  spec.denominator = Denominator::ideal;
  spec.empty = 0.25;
  CHECK_EQ(value_of(data, gain_of(GainKind::linear), spec, Negative::keep), 0.25);
  CHECK_EQ(value_of({{-5, -1}, {2, 1}, {0, 2}}, gain_of(GainKind::linear), spec, Negative::keep), 0.25);
  spec.denominator = Denominator::none;
  CHECK_EQ(value_of({{-5, 0}, {2, 1}, {0, 2}}, gain_of(GainKind::linear), spec, Negative::keep), -5.0);
  CHECK_EQ(value_of({{0, 0}, {2, 1}, {0, 2}}, gain_of(GainKind::linear), spec, Negative::keep), 0.25);
}

TEST(a_full_ideal_is_that_of_k_documents_of_gain_1) {
  Spec spec;
  spec.denominator = Denominator::full;
  spec.cutoff_kind = CutoffKind::rank;
  spec.rank = 3;
  const double value = value_of({{1, 0}, {2, 1}, {0, 2}}, gain_of(GainKind::binary), spec);
  CHECK(std::abs(value - 1 / (1 + 1 / std::log2(3.0) + 0.5)) < 1e-15);
}

TEST(each_query_may_have_its_own_depth) {
  const Data data{{1, 1, 0, 1, 1, 0}, {3, 2, 1, 3, 2, 1}, {0, 3, 6}};
  const std::vector<std::int64_t> depths{1, 2};
  Spec spec;
  spec.cutoff_kind = CutoffKind::depths;
  spec.depths = depths;
  const Gain gain = gain_of(GainKind::linear);
  const std::vector<double> weights{1, 0.5, 0.25};
  const Discount discount{false, weights};
  const auto values = measured(data, {&gain, 1}, {&discount, 1}, {&spec, 1}, Ties::stable, 1);
  CHECK_EQ(values[0], 1.0);
  CHECK_EQ(values[1], 1.5);
}

TEST(an_ideal_may_end_at_k_or_at_the_number_of_ranked_documents_or_nowhere) {
  const Data data{{1, 0, 0}, {3, 2, 1}, {0, 3}};
  const std::vector<double> judged{1, 0, 0, 1, 1, 1};
  const std::vector<std::int64_t> judged_offsets{0, 6};
  double sums[5] = {0};
  for (int r = 1; r < 5; ++r) sums[r] = sums[r - 1] + 1 / std::log2(r + 1.0);
  for (const auto& [denominator, cutoff, n_ideal] : {std::tuple{Denominator::ideal, 4, 4},
                                                     {Denominator::ideal_shorter, 4, 3},
                                                     {Denominator::ideal_shorter, 2, 2},
                                                     {Denominator::ideal_retrieved, 2, 3},
                                                     {Denominator::ideal_whole, 2, 4}}) {
    Spec spec;
    spec.denominator = denominator;
    spec.cutoff_kind = CutoffKind::rank;
    spec.rank = static_cast<std::size_t>(cutoff);
    Lists lists = data.lists();
    lists.judged = judged;
    lists.judged_offsets = judged_offsets;
    const Gain gain = gain_of(GainKind::linear);
    const std::vector<double> weights = log_weights();
    const Discount discount{false, weights};
    double value = -1;
    measure(lists, {&gain, 1}, {&discount, 1}, {&spec, 1}, Ties::stable, Negative::error, {&value, 1}, 1);
    CHECK(std::abs(value - 1 / sums[n_ideal]) < 1e-15);
  }
}

TEST(a_label_above_the_highest_is_refused_whether_labels_are_whole_or_not) {
  Gain gain = gain_of(GainKind::exp2);
  gain.highest = 30;
  CHECK_EQ(value_of({{30, 0}, {2, 1}, {0, 2}}, gain, {}), 0x1p30 - 1);
  for (const double other : {0.0, 0.5}) {
    const auto error = check::thrown<data_error>([&] { value_of({{other, 31}, {2, 1}, {0, 2}}, gain, {}); });
    CHECK(error.has_value());
    if (error) CHECK_EQ(error->row, 1);
  }
}

TEST(the_gain_of_a_tiny_label_does_not_cancel) {
  CHECK(std::abs(value_of({{1e-20}, {1}, {0, 1}}, gain_of(GainKind::exp2), {}) / (1e-20 * std::log(2.0)) - 1) < 1e-15);
}
