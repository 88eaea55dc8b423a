#include "idealrank/stats/resampling.hpp"

#include <cmath>
#include <map>

#include "check.hpp"

using idealrank::Random;

namespace {

std::vector<double> shuffled(const std::vector<double>& matrix, std::size_t n_columns, std::size_t n, int n_threads) {
  std::vector<double> ranges(n);
  idealrank::shuffled_ranges(matrix, n_columns, 5, ranges, n_threads);
  return ranges;
}

}  // namespace

TEST(the_product_of_two_words_has_both_halves) {
  const auto all_ones = idealrank::wide_product(~std::uint64_t{0}, ~std::uint64_t{0});
  CHECK_EQ(all_ones.high, ~std::uint64_t{1});
  CHECK_EQ(all_ones.low, std::uint64_t{1});
  const auto shifted = idealrank::wide_product(std::uint64_t{1} << 40, std::uint64_t{3} << 40);
  CHECK_EQ(shifted.high, std::uint64_t{3} << 16);
  CHECK_EQ(shifted.low, std::uint64_t{0});
}

TEST(numbers_below_n_are_equally_likely_and_streams_differ) {
  Random random(1, 0), other(1, 1), again(1, 0);
  CHECK(random() != other());
  again();
  CHECK_EQ(random(), again());
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[random.below(7)];
  for (const int count : counts) CHECK(std::abs(count - 10'000) < 500);
}

TEST(results_are_the_same_on_any_number_of_threads) {
  std::vector<double> values(1000);
  Random random(2, 0);
  for (double& value : values) value = static_cast<double>(random.below(1000)) / 1000;
  CHECK_EQ(shuffled(values, 10, 300, 1), shuffled(values, 10, 300, 3));
  std::vector<double> one(300), three(300), one_variances(300), three_variances(300);
  idealrank::flipped_sums(values, 9, one, 1);
  idealrank::flipped_sums(values, 9, three, 3);
  CHECK_EQ(one, three);
  idealrank::bootstrap_moments(values, 9, one, one_variances, 1);
  idealrank::bootstrap_moments(values, 9, three, three_variances, 3);
  CHECK_EQ(one, three);
  CHECK_EQ(one_variances, three_variances);
}

TEST(every_order_of_a_row_is_equally_likely) {
  // The column sums are the shuffled row plus 0, 0, 1000, so the range tells which number the 1000 was added to.
  std::map<double, int> counts;
  for (const double range : shuffled({1, 10, 100, 0, 0, 1000}, 3, 30'000, 1)) ++counts[range];
  CHECK_EQ(counts.size(), std::size_t{3});
  for (const auto& [range, count] : counts) CHECK(std::abs(count - 10'000) < 500);
}

TEST(signs_are_fair_and_independent) {
  const std::vector<double> values{1, 2, 4, 8};
  std::vector<double> sums(32'000);
  idealrank::flipped_sums(values, 3, sums, 1);
  std::map<double, int> counts;
  for (const double sum : sums) ++counts[sum];
  CHECK_EQ(counts.size(), std::size_t{16});
  for (const auto& [sum, count] : counts) CHECK(std::abs(count - 2000) < 250);
}

TEST(all_choices_of_signs_are_counted) {
  const std::vector<double> values{1, 2, 4};
  CHECK_EQ(idealrank::count_flipped_sums(values, 7), 2);
  CHECK_EQ(idealrank::count_flipped_sums(values, 5), 4);
  CHECK_EQ(idealrank::count_flipped_sums(values, 0), 8);
  CHECK_EQ(idealrank::count_flipped_sums(std::vector<double>{}, 0), 1);
}
