#include "idealrank/sigmoid/sigmoid_sums.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "check.hpp"
#include "idealrank/errors.hpp"
#include "isas.hpp"

using namespace idealrank;

namespace {

using Column = std::vector<double>;
using Offsets = std::vector<std::int64_t>;

struct Result {
  Column sums, slopes;
};

Result computed(const Column& scores, const Column& weights, double alpha, Isa isa) {
  Result result{Column(scores.size()), Column(scores.size())};
  const Offsets offsets{0, static_cast<std::int64_t>(scores.size())};
  sigmoid_sums({scores, weights, offsets, alpha}, Sigmoid::logistic, result.sums, result.slopes, isa, 1);
  return result;
}

// Sums over all pairs in long double; and the same sums of absolute terms.
struct Expected {
  std::vector<long double> sums, slopes, all_sums, all_slopes;
};

Expected expected(const Column& scores, const Column& weights, double alpha) {
  const std::vector<long double> zeros(scores.size());
  Expected e{zeros, zeros, zeros, zeros};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (j == i) continue;
      const long double d = static_cast<long double>(alpha) * (static_cast<long double>(scores[j]) - scores[i]);
      const long double w = weights.empty() ? 1 : weights[j], q = std::exp(-std::fabs(d));
      const long double sigma = (d > 0 ? 1 : q) / (1 + q), slope = q / ((1 + q) * (1 + q));
      e.sums[i] += w * sigma;
      e.slopes[i] += w * slope;
      e.all_sums[i] += std::fabs(w) * sigma;
      e.all_slopes[i] += std::fabs(w) * slope;
    }
  }
  return e;
}

// The largest error, relative to the sum of absolute terms.
double error(const Result& got, const Expected& e) {
  long double worst = 0;
  for (std::size_t i = 0; i < got.sums.size(); ++i) {
    // Sums around 1e-300 need not be accurate.
    worst = std::max(worst, std::fabs(got.sums[i] - e.sums[i]) / (e.all_sums[i] + 1e-290L));
    worst = std::max(worst, std::fabs(got.slopes[i] - e.slopes[i]) / (e.all_slopes[i] + 1e-290L));
  }
  return static_cast<double>(worst);
}

std::mt19937_64 generator(7);

Column drawn(std::size_t n, auto&& distribution, double scale = 1, double shift = 0) {
  Column column(n);
  for (double& x : column) x = shift + scale * static_cast<double>(distribution(generator));
  return column;
}

std::vector<Column> nasty_lists(std::size_t n) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::cauchy_distribution<double> cauchy;
  std::uniform_int_distribution<int> five(0, 4);
  std::vector<Column> lists{
      drawn(n, normal),         drawn(n, uniform),      drawn(n, five, 0.1), Column(n, 0.1),
      drawn(n, normal, 1, 1e6), drawn(n, normal, 1e-9), drawn(n, cauchy),    drawn(n, five, 1e308 / 4, -0.5e308),
  };
  Column clusters = drawn(n, normal, 1e-3), spaced(n), one_far = drawn(n, uniform);
  for (double& x : clusters) x += 3 * five(generator);
  for (std::size_t i = 0; i < n; ++i) spaced[i] = std::exp(-30 + 60 * static_cast<double>(i) / static_cast<double>(n));
  if (n > 0) one_far[n / 2] = 1e6;
  lists.insert(lists.end(), {clusters, spaced, one_far});
  return lists;
}

}  // namespace

TEST(sums_agree_with_all_pairs_in_long_double_whatever_the_distribution) {
  std::normal_distribution<double> normal;
  bool weighted = false;
  for (const std::size_t n : check::Sizes{1, 2, 3, 4, 5, 32, 33, 100, 600}) {
    for (const Column& scores : nasty_lists(n)) {
      for (const double alpha : {1e-300, 1e-12, 1.0, 10.0, 1e3, 1e300}) {
        weighted = !weighted;
        const Column weights = weighted ? drawn(n, normal) : Column();
        const Expected e = expected(scores, weights, alpha);
        for (const Isa isa : all_isas()) CHECK(error(computed(scores, weights, alpha, isa), e) < 5e-11);
      }
    }
  }
}

TEST(a_million_ties_have_the_mean_of_their_ranks) {
  const std::size_t n = 1'000'000;
  const Result got = computed(Column(n, 0.1), {}, 10, isa_of(""));
  const double half = static_cast<double>(n - 1) / 2;
  for (std::size_t i = 0; i < n; i += 997) {
    CHECK(std::fabs(got.sums[i] / half - 1) < 1e-12);
    CHECK(std::fabs(got.slopes[i] / (half / 2) - 1) < 5e-11);
  }
}

TEST(neighbors_in_a_dense_list_keep_their_order) {
  std::uniform_real_distribution<double> uniform;
  Column scores = drawn(100'000, uniform);
  const Result got = computed(scores, {}, 10, isa_of(""));
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  bool falling = true;
  for (std::size_t r = 1; r < order.size(); ++r) {
    falling = falling && got.sums[order[r]] <= got.sums[order[r - 1]] + 1e-6;
  }
  CHECK(falling);
}

TEST(queries_are_independent_on_any_number_of_threads) {
  std::normal_distribution<double> normal;
  const std::size_t n = 200'000;
  const Column scores = drawn(n, normal);
  Offsets offsets{0};
  for (std::int64_t k = 0; offsets.back() < static_cast<std::int64_t>(n); ++k) {
    offsets.push_back(std::min<std::int64_t>(static_cast<std::int64_t>(n), offsets.back() + k * 7 % 2500));
  }
  Result one{Column(n), Column(n)}, many{Column(n), Column(n)};
  sigmoid_sums({scores, {}, offsets, 10}, Sigmoid::logistic, one.sums, one.slopes, isa_of(""), 1);
  sigmoid_sums({scores, {}, offsets, 10}, Sigmoid::logistic, many.sums, many.slopes, isa_of(""), 4);
  CHECK(one.sums == many.sums);
  CHECK(one.slopes == many.slopes);
  for (std::size_t q = 0; q + 1 < offsets.size(); q += 50) {
    const Column own(scores.begin() + offsets[q], scores.begin() + offsets[q + 1]);
    const Column alone = computed(own, {}, 10, isa_of("")).sums;
    CHECK(std::equal(alone.begin(), alone.end(), one.sums.begin() + offsets[q]));
  }
}

TEST(a_score_that_is_not_finite_names_its_query_and_row) {
  Column scores(5, 1.0), sums(5), slopes(5);
  scores[3] = std::numeric_limits<double>::quiet_NaN();
  const Offsets offsets{0, 2, 5};
  const auto error = check::thrown<data_error>(
      [&] { sigmoid_sums({scores, {}, offsets, 1}, Sigmoid::logistic, sums, slopes, Isa::base, 1); });
  CHECK(error.has_value());
  CHECK_EQ(error->query, 1);
  CHECK_EQ(error->row, 3);
}

TEST(logarithms_of_products_agree_with_all_pairs_in_long_double) {
  for (const std::size_t n : check::Sizes{1, 2, 5, 33, 300}) {
    for (const Column& scores : nasty_lists(n)) {
      for (const double alpha : {1e-12, 1.0, 30.0}) {
        const Offsets offsets{0, static_cast<std::int64_t>(n)};
        for (const Isa isa : all_isas()) {
          Column got(n);
          log_sigmoid_sums({scores, {}, offsets, alpha}, got, isa, 1);
          for (std::size_t i = 0; i < n; ++i) {
            long double sum = 0;
            for (std::size_t j = 0; j < n; ++j) {
              const long double d = static_cast<long double>(alpha) * (static_cast<long double>(scores[i]) - scores[j]);
              if (j != i) sum += std::max(d, 0.0L) + std::log1p(std::exp(-std::fabs(d)));
            }
            CHECK(std::fabs(got[i] - sum) <= 5e-11L * sum + 1e-290L || !(sum < 1e300L));
          }
        }
      }
    }
  }
}

TEST(arctan_and_erf_sigmoids_match_their_formulas) {
  const Column scores{0, 2}, weights{3, 5};
  const Offsets offsets{0, 2};
  Column sums(2), slopes(2);
  sigmoid_sums({scores, weights, offsets, 0.5}, Sigmoid::arctan, sums, slopes, Isa::base, 1);
  CHECK(std::fabs(sums[0] - 5 * 0.75) < 1e-15);  // arctan 1 = pi / 4
  CHECK(std::fabs(sums[1] - 3 * 0.25) < 1e-15);
  CHECK(std::fabs(slopes[1] - 3 / (2 * std::numbers::pi)) < 1e-15);
  sigmoid_sums({scores, weights, offsets, 0.5}, Sigmoid::erf, sums, slopes, Isa::base, 1);
  CHECK(std::fabs(sums[0] - 5 * (1 + std::erf(1.0)) / 2) < 1e-15);
  CHECK(std::fabs(slopes[0] - 5 * std::exp(-1.0) / std::sqrt(std::numbers::pi)) < 1e-15);
}
