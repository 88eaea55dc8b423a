#include "idealrank/sigmoid/list_mle.hpp"

#include <cmath>
#include <numeric>
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
  Column values, gradient, curvature;
};

Result computed(const Column& labels, const Column& scores, const Offsets& offsets, const Column& weights, bool together,
                Isa isa, int n_threads = 1) {
  Result result{Column(offsets.size() - 1), Column(scores.size()), Column(scores.size())};
  list_mle({labels, scores, offsets, weights, together}, isa, result.values, result.gradient, result.curvature, n_threads);
  return result;
}

// As it is written: each document is chosen from those with lower labels, and from those with its own label that are
// together with it or come after it.
Result by_definition(const Column& labels, const Column& scores, const Column& weights, bool together) {
  const std::size_t n = labels.size();
  Result result{Column(1), Column(n), Column(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto is_left = [&](std::size_t j) {
      return labels[j] < labels[i] || (labels[j] == labels[i] && (together || j >= i));
    };
    long double total = 0;
    for (std::size_t j = 0; j < n; ++j) total += is_left(j) ? std::exp(static_cast<long double>(scores[j])) : 0;
    result.values[0] += weights[i] * static_cast<double>(std::log(total) - scores[i]);
    result.gradient[i] -= weights[i];
    for (std::size_t j = 0; j < n; ++j) {
      const auto p = static_cast<double>(is_left(j) ? std::exp(static_cast<long double>(scores[j])) / total : 0);
      result.gradient[j] += weights[i] * p;
      result.curvature[j] += weights[i] * p * (1 - p);
    }
  }
  return result;
}

}  // namespace

TEST(value_and_derivatives_are_those_of_the_definition) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (const Isa isa : all_isas()) {
    for (const bool together : {false, true}) {
      for (const std::size_t n : {1u, 2u, 5u, 40u, 301u}) {
        Column labels(n), scores(n), weights(n);
        for (double& label : labels) label = static_cast<double>(generator() % 4);
        for (double& s : scores) s = 3 * normal(generator);
        for (double& w : weights) w = static_cast<double>(generator() % 3);
        const Result expected = by_definition(labels, scores, weights, together);
        const Result got = computed(labels, scores, {0, static_cast<std::int64_t>(n)}, weights, together, isa);
        CHECK(std::fabs(got.values[0] - expected.values[0]) < 1e-12 * (1 + std::fabs(expected.values[0])));
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(std::fabs(got.gradient[i] - expected.gradient[i]) < 1e-11);
          CHECK(std::fabs(got.curvature[i] - expected.curvature[i]) < 1e-11);
        }
      }
    }
  }
}

TEST(large_scores_cost_no_digits) {
  for (const Isa isa : all_isas()) {
    const Result got = computed({2, 1, 1, 0}, {1e16, 1e16, -1e16, -1e16}, {0, 4}, {}, true, isa);
    // The first is chosen from all, with a chance of 1/2, then the second with one of 1; the third from three, one of which
    // is ahead by 2e16.
    CHECK(std::fabs(got.gradient[0] + 0.5) < 1e-15);
    CHECK(std::fabs(got.gradient[1] - 1.5) < 1e-15);
    CHECK_EQ(got.gradient[2], -1.0);
    CHECK_EQ(got.values[0], 2e16);
  }
}

TEST(any_number_of_threads_gives_the_same_bits) {
  std::mt19937_64 generator(5);
  Column labels, scores;
  Offsets offsets{0};
  for (int query = 0; query < 5000; ++query) {
    for (std::size_t i = 0; i < generator() % 60; ++i) {
      labels.push_back(static_cast<double>(generator() % 4));
      scores.push_back(static_cast<double>(generator() % 1000) / 100);
    }
    offsets.push_back(static_cast<std::int64_t>(scores.size()));
  }
  const Result one = computed(labels, scores, offsets, {}, true, all_isas().back(), 1);
  const Result four = computed(labels, scores, offsets, {}, true, all_isas().back(), 4);
  CHECK(one.values == four.values);
  CHECK(one.gradient == four.gradient);
  CHECK(one.curvature == four.curvature);
}

TEST(a_label_or_a_score_that_is_not_a_number_is_an_error) {
  CHECK_THROWS(data_error, computed({1, 0}, {0, std::nan("")}, {0, 2}, {}, true, all_isas().back()));
  CHECK_THROWS(data_error, computed({1, std::nan("")}, {0, 0}, {0, 2}, {}, true, all_isas().back()));
}
