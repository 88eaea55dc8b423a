#include "idealrank/sort/order.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "check.hpp"

using idealrank::descending_key;
using idealrank::RadixOrder;

namespace {

using Scores = std::vector<double>;
using Order = std::vector<std::uint32_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kNormal = std::numeric_limits<double>::min();

Order sorted(RadixOrder& sort, const Scores& scores) {
  Order order(scores.size());
  sort(scores, order);
  return order;
}

Order expected_order(const Scores& scores) {
  Order order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  return order;
}

const std::vector<std::size_t> kSizes{0, 1, 2, 3, 16, 17, 100, 1000, 3000, 100'000};

template <class Draw>
void check_random(unsigned seed, Draw&& draw) {
  std::mt19937_64 random(seed);
  RadixOrder sort;
  idealrank::DescendingSort sort_values;
  for (const std::size_t n : kSizes) {
    Scores scores(n);
    for (double& score : scores) score = draw(random);
    CHECK_EQ(sorted(sort, scores), expected_order(scores));
    Scores descending = scores;
    sort_values(descending);
    std::sort(scores.begin(), scores.end(), std::greater<>());
    CHECK_EQ(descending, scores);
  }
}

}  // namespace

TEST(random_scores_come_out_as_a_stable_sort_orders_them) {
  check_random(1, [](auto& random) { return std::normal_distribution<>()(random); });
}

TEST(heavy_ties_keep_the_input_order) {
  check_random(2, [](auto& random) { return static_cast<double>(random() % 3); });
  check_random(3, [](auto&) { return 1.5; });
}

TEST(any_finite_bit_pattern_is_ordered_by_value) {
  check_random(4, [](auto& random) {
    double score = kNan;
    while (!std::isfinite(score)) score = std::bit_cast<double>(random());
    return score;
  });
}

TEST(zeros_denormals_and_the_ends_of_the_range_are_ordered_by_value) {
  check_random(5, [](auto& random) {
    constexpr double kValues[] = {0.0,  -0.0,  kTiny, -kTiny,    2 * kTiny, kNormal,   -kNormal,  kNormal - kTiny,
                                  kMax, -kMax, 1.0,   1 + 1e-15, -1.0,      0x1p-1000, -0x1p-1000};
    return kValues[random() % std::size(kValues)];
  });
}

TEST(scores_that_differ_in_one_digit_of_the_key_only_are_told_apart) {
  for (int bit = 0; bit < 64; ++bit) {
    const auto base = std::bit_cast<std::uint64_t>(1.25);
    const auto other = std::bit_cast<double>(base ^ (std::uint64_t{1} << bit));
    if (!std::isfinite(other)) continue;
    Scores scores(2000);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = i % 7 == 3 ? other : 1.25;
    RadixOrder sort;
    CHECK_EQ(sorted(sort, scores), expected_order(scores));
  }
}

TEST(minus_zero_ties_with_zero) {
  CHECK_EQ(descending_key(0.0), descending_key(-0.0));
  RadixOrder sort;
  CHECK_EQ(sorted(sort, {-0.0, 0.0, -0.0}), (Order{0, 1, 2}));
  CHECK_EQ(sorted(sort, {0.0, -0.0, kTiny}), (Order{2, 0, 1}));
}

TEST(keys_fall_as_scores_rise) {
  const Scores rising{-kMax, -1.0, -kNormal, -kTiny, 0.0, kTiny, kNormal, 1.0, kMax};
  for (std::size_t i = 1; i < rising.size(); ++i) CHECK(descending_key(rising[i]) < descending_key(rising[i - 1]));
}

TEST(one_sorter_takes_long_and_short_lists_in_turn) {
  std::mt19937_64 random(6);
  RadixOrder sort;
  for (const std::size_t n : check::Sizes{5000, 3, 1500, 0, 2, 4000}) {
    Scores scores(n);
    for (double& score : scores) score = static_cast<double>(random() % 100);
    CHECK_EQ(sorted(sort, scores), expected_order(scores));
  }
}

TEST(tie_runs_cover_all_ranks_once_and_are_maximal) {
  std::mt19937_64 random(7);
  RadixOrder sort;
  for (const std::size_t n : check::Sizes{0, 1, 2, 10, 1000}) {
    for (const unsigned levels : {1U, 2U, 10U, 1'000'000U}) {
      Scores scores(n);
      for (double& score : scores) score = static_cast<double>(random() % levels);
      const Order order = sorted(sort, scores);
      std::size_t next = 0;
      idealrank::for_each_tie_run(scores, order, [&](std::size_t first, std::size_t last) {
        CHECK_EQ(first, next);
        CHECK(last > first);
        for (std::size_t r = first; r < last; ++r) CHECK_EQ(scores[order[r]], scores[order[first]]);
        if (first > 0) CHECK(scores[order[first - 1]] > scores[order[first]]);
        next = last;
      });
      CHECK_EQ(next, n);
    }
  }
}

TEST(zero_and_minus_zero_are_one_tie_run) {
  int n_runs = 0;
  const Scores scores{0.0, -0.0, 0.0};
  idealrank::for_each_tie_run(scores, Order{0, 1, 2}, [&](std::size_t, std::size_t) { ++n_runs; });
  CHECK_EQ(n_runs, 1);
}
