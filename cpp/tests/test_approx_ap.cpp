#include "idealrank/sigmoid/approx_ap.hpp"

#include <cmath>
#include <random>

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

Result computed(const Column& worth, const Column& scores, const Offsets& offsets, double alpha, double beta, Isa isa,
                int n_threads = 1) {
  Result result{Column(offsets.size() - 1), Column(scores.size())};
  approx_ap({worth, scores, offsets, alpha, beta}, result.values, result.gradient, isa, n_threads);
  return result;
}

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

// Eq. (22), by enumerating the pairs.
double by_pairs(const Column& worth, const Column& scores, double alpha, double beta) {
  const std::size_t n = scores.size();
  Column rank(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) rank[i] += sigma(alpha * (scores[j] - scores[i]));
    }
  }
  double sum = 0, total = 0;
  for (std::size_t y = 0; y < n; ++y) {
    double hits = worth[y];
    for (std::size_t x = 0; x < n; ++x) {
      if (x != y) hits += worth[x] * sigma(beta * (rank[y] - rank[x]));
    }
    sum += worth[y] / rank[y] * hits;
    total += worth[y];
  }
  return total > 0 ? 1 - sum / total : 0;
}

}  // namespace

TEST(value_and_gradient_are_those_of_all_pairs) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (const Isa isa : all_isas()) {
    for (const std::size_t n : {1u, 2u, 7u, 40u, 200u}) {
      Column scores(n), worth(n);
      for (double& s : scores) s = normal(generator);
      for (double& w : worth) w = generator() % 3 == 0 ? 1.0 : 0.0;
      worth[n / 2] = 0.5;
      const Result got = computed(worth, scores, {0, static_cast<std::int64_t>(n)}, 3, 2, isa);
      CHECK(std::fabs(got.values[0] - by_pairs(worth, scores, 3, 2)) < 1e-10);
      for (std::size_t i = 0; i < n; i += 1 + n / 10) {
        const double step = 1e-5, at = scores[i];
        scores[i] = at + step;
        const double above = by_pairs(worth, scores, 3, 2);
        scores[i] = at - step;
        const double below = by_pairs(worth, scores, 3, 2);
        scores[i] = at;
        CHECK(std::fabs(got.gradient[i] - (above - below) / (2 * step)) < 1e-7);
      }
    }
  }
}

TEST(a_query_without_relevant_documents_has_the_value_0_and_no_gradient) {
  const Result got = computed({0, 0, 1, 0}, {1, 2, 3, 4}, {0, 2, 2, 4}, 10, 10, all_isas().back());
  CHECK_EQ(got.values[0], 0.0);
  CHECK_EQ(got.values[1], 0.0);
  CHECK(got.values[2] > 0.4);
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
  const Result one = computed(worth, scores, offsets, 10, 10, all_isas().back(), 1);
  const Result four = computed(worth, scores, offsets, 10, 10, all_isas().back(), 4);
  CHECK(one.values == four.values);
  CHECK(one.gradient == four.gradient);
}

TEST(a_score_that_is_not_a_number_is_an_error) {
  CHECK_THROWS(data_error, computed({1, 0}, {0, std::nan("")}, {0, 2}, 1, 1, all_isas().back()));
}
