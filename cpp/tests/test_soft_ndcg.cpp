#include "idealrank/sigmoid/soft_ndcg.hpp"

#include <cmath>
#include <random>

#include "check.hpp"

using namespace idealrank;

namespace {

using Column = std::vector<double>;

struct Queries {
  Column gains, scores;
  std::vector<std::int64_t> offsets{0};
};

Queries random_lists(std::mt19937_64& random, std::size_t n_queries, std::size_t longest, double spread) {
  Queries lists;
  std::normal_distribution<> normal;
  for (std::size_t query = 0; query < n_queries; ++query) {
    for (std::size_t i = random() % (longest + 1); i > 0; --i) {
      lists.gains.push_back(static_cast<double>(random() % 3));
      lists.scores.push_back(random() % 5 == 0 ? 0.0 : spread * normal(random));
    }
    lists.offsets.push_back(static_cast<std::int64_t>(lists.gains.size()));
  }
  return lists;
}

struct Outcome {
  Column values, column;
};

Outcome outcome(const Queries& lists, bool curvature, Isa isa, int n_threads = 1) {
  Outcome found{Column(lists.offsets.size() - 1), Column(lists.gains.size())};
  Column discounts(500);
  for (std::size_t r = 0; r < discounts.size(); ++r) discounts[r] = 1 / std::log2(2.0 + static_cast<double>(r));
  const std::vector<std::int64_t> depths(found.values.size(), 40);
  soft_dcg(lists.gains, lists.scores, lists.offsets, {false, discounts}, depths, 1.0, curvature, isa, found.values,
           found.column, n_threads);
  return found;
}

// By the recursion, for one document at a time.
double expected_dcg(std::span<const double> gains, std::span<const double> scores) {
  double total = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    Column p{1};
    for (std::size_t j = 0; j < gains.size(); ++j) {
      if (j == i) continue;
      const double pi = std::erfc((scores[i] - scores[j]) / 2) / 2;
      p.push_back(0);
      for (std::size_t r = p.size() - 1; r > 0; --r) p[r] = (1 - pi) * p[r] + pi * p[r - 1];
      p[0] *= 1 - pi;
    }
    for (std::size_t r = 0; r < std::min<std::size_t>(p.size(), 40); ++r)
      total += gains[i] * p[r] / std::log2(2.0 + static_cast<double>(r));
  }
  return total;
}

}  // namespace

TEST(expected_dcgs_are_those_of_the_recursion_on_every_instruction_set) {
  std::mt19937_64 random(1);
  for (const double spread : {0.01, 1.0, 30.0}) {
    const Queries lists = random_lists(random, 40, 60, spread);
    const Outcome base = outcome(lists, false, Isa::base), best = outcome(lists, false, isa_of(""));
    for (std::size_t q = 0; q < base.values.size(); ++q) {
      const auto first = static_cast<std::size_t>(lists.offsets[q]),
                 n = static_cast<std::size_t>(lists.offsets[q + 1]) - first;
      const double expected = expected_dcg({lists.gains.data() + first, n}, {lists.scores.data() + first, n});
      CHECK(std::abs(base.values[q] - expected) <= 1e-13 * expected);
      CHECK(std::abs(best.values[q] - expected) <= 1e-13 * expected);
    }
    for (std::size_t i = 0; i < base.column.size(); ++i) CHECK(std::abs(base.column[i] - best.column[i]) <= 1e-12);
    for (const double bound : outcome(lists, true, Isa::base).column) CHECK(bound >= 0);
  }
}

TEST(any_number_of_threads_gives_the_same_bits) {
  std::mt19937_64 random(2);
  const Queries lists = random_lists(random, 30'000, 8, 1.0);
  const Outcome one = outcome(lists, false, Isa::base), four = outcome(lists, false, Isa::base, 4);
  CHECK_EQ(one.values, four.values);
  CHECK_EQ(one.column, four.column);
}
