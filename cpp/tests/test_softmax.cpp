#include "idealrank/sigmoid/softmax.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "idealrank/errors.hpp"
#include "isas.hpp"

using namespace idealrank;

namespace {

using Column = std::vector<double>;
using Offsets = std::vector<std::int64_t>;

struct Result {
  Column values, gradient;
};

Result computed(const Column& worth, const Column& scores, const Offsets& offsets, bool normalize, Isa isa,
                int n_threads = 1) {
  Result result{Column(offsets.size() - 1), Column(scores.size())};
  softmax_cross_entropy(worth, scores, offsets, normalize ? Targets::shares : Targets::worth, isa, result.values, result.gradient, n_threads);
  return result;
}

// -sum_i t_i log softmax(s)_i as it is written, for scores of moderate size.
Result by_definition(const Column& worth, const Column& scores, bool normalize) {
  long double total = 0, worths = 0;
  for (const double s : scores) total += std::exp(static_cast<long double>(s));
  for (const double w : worth) worths += w;
  const long double divisor = normalize && worths > 0 ? worths : 1.0L;
  Result result{Column(1), Column(scores.size())};
  long double value = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const long double share = std::exp(static_cast<long double>(scores[i])) / total, target = worth[i] / divisor;
    value -= target * std::log(share);
    result.gradient[i] = static_cast<double>(worths / divisor * share - target);
  }
  result.values[0] = static_cast<double>(value);
  return result;
}

}  // namespace

TEST(value_and_gradient_are_those_of_the_definition) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (const Isa isa : all_isas()) {
    for (const bool normalize : {false, true}) {
      for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 40u, 301u}) {
        Column scores(n), worth(n);
        for (double& s : scores) s = 3 * normal(generator);
        for (double& w : worth) w = static_cast<double>(generator() % 4);
        worth[n / 2] = 0.5;
        const Result got = computed(worth, scores, {0, static_cast<std::int64_t>(n)}, normalize, isa);
        const Result expected = by_definition(worth, scores, normalize);
        CHECK(std::fabs(got.values[0] - expected.values[0]) < 1e-13 * (1 + std::fabs(expected.values[0])));
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(std::fabs(got.gradient[i] - expected.gradient[i]) < 1e-12);
        }
      }
    }
  }
}

TEST(logits_are_targets_after_a_softmax) {
  const Column logits{1, 3, 0.5}, scores{0.2, -1, 2};
  Column worth(3), values(1), gradient(3);
  double total = 0, entropy = 0;
  for (std::size_t i = 0; i < 3; ++i) total += worth[i] = std::exp(logits[i]);
  for (std::size_t i = 0; i < 3; ++i) entropy += worth[i] / total * std::log(worth[i] / total);
  for (const Isa isa : all_isas()) {
    const Result expected = computed(worth, scores, {0, 3}, true, isa);
    softmax_cross_entropy(logits, scores, Offsets{0, 3}, Targets::logits, isa, values, gradient, 1);
    CHECK(std::fabs(values[0] - expected.values[0] - entropy) < 1e-15);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::fabs(gradient[i] - expected.gradient[i]) < 1e-15);
    const double lowest = -std::numeric_limits<double>::infinity();
    softmax_cross_entropy(Column{lowest, lowest, lowest}, scores, Offsets{0, 3}, Targets::logits, isa, values, gradient, 1);
    CHECK_EQ(values[0], 0.0);
    CHECK_EQ(gradient[0], 0.0);
  }
}

TEST(large_scores_cost_no_digits) {
  for (const Isa isa : all_isas()) {
    const Result got = computed({1, 0, 0}, {1e300, 1e300, -1e300}, {0, 3}, true, isa);
    CHECK(std::fabs(got.values[0] - std::log(2.0)) < 1e-15);
    CHECK(std::fabs(got.gradient[0] + 0.5) < 1e-15);
    CHECK_EQ(got.gradient[2], 0.0);
    // The difference of these two overflows, but not its product with a worth of 0.
    CHECK_EQ(computed({1, 0}, {1.7e308, -1.7e308}, {0, 2}, true, isa).values[0], 0.0);
  }
}

TEST(a_query_without_worth_has_the_value_0_and_no_gradient) {
  const Result got = computed({0, 0, 1, 0}, {1, 2, 3, 4}, {0, 2, 2, 4}, true, all_isas().back());
  CHECK_EQ(got.values[0], 0.0);
  CHECK_EQ(got.values[1], 0.0);
  CHECK(got.values[2] > 1.3);
  CHECK_EQ(got.gradient[0], 0.0);
  CHECK_EQ(got.gradient[1], 0.0);
}

TEST(any_number_of_threads_gives_the_same_bits) {
  std::mt19937_64 generator(5);
  Column scores, worth;
  Offsets offsets{0};
  for (int query = 0; query < 3000; ++query) {
    for (std::size_t i = 0; i < generator() % 60; ++i) {
      scores.push_back(static_cast<double>(generator() % 1000) / 100);
      worth.push_back(static_cast<double>(generator() % 2));
    }
    offsets.push_back(static_cast<std::int64_t>(scores.size()));
  }
  const Result one = computed(worth, scores, offsets, true, all_isas().back(), 1);
  const Result four = computed(worth, scores, offsets, true, all_isas().back(), 4);
  CHECK(one.values == four.values);
  CHECK(one.gradient == four.gradient);
}

TEST(a_score_that_is_not_a_number_is_an_error) {
  CHECK_THROWS(data_error, computed({1, 0}, {0, std::nan("")}, {0, 2}, true, all_isas().back()));
}
