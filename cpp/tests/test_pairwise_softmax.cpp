#include "idealrank/pairs/pairwise_softmax.hpp"

#include <cmath>
#include <random>

#include "check.hpp"
#include "idealrank/sigmoid/neural_ndcg.hpp"

using namespace idealrank;

namespace {

using Column = std::vector<double>;

Column drawn(std::mt19937_64& random, std::size_t n, double spread) {
  std::normal_distribution<> normal;
  Column scores(n);
  for (double& score : scores) score = random() % 7 == 0 ? 0.0 : spread * normal(random);
  return scores;
}

TEST(sums_of_differences_are_those_of_all_pairs) {
  std::mt19937_64 random(1);
  for (const Activation activation : {Activation::tanh, Activation::arctan, Activation::relu}) {
    for (const double spread : {1e-9, 0.3, 5.0, 1e300}) {
      for (const std::size_t n : {0, 1, 18, 19, 300}) {
        const ActivationKernel kernel{activation, spread > 1e100 ? 1.0 : 10.0};
        Column x = drawn(random, n, spread), y = drawn(random, 40, spread), weights(n);
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
        for (double& weight : weights) weight = static_cast<double>(random() % 5);
        ScoreTree sources, targets;
        sources.build(x);
        targets.build(y);
        std::vector<std::array<double, 3>> values(y.size());
        for (const bool reflected : {false, true}) {
          DifferenceSums<ActivationKernel>()(kernel, sources, weights, targets, reflected, values);
          for (std::size_t i = 0; i < y.size(); ++i) {
            double total = 0;
            for (std::size_t j = 0; j < n; ++j) {
              total += weights[j] * kernel.value(reflected ? y[i] - x[j] : x[j] - y[i])[0];
            }
            CHECK(std::abs(values[i][0] - total) <= 1e-12 * total);
          }
        }
      }
    }
  }
}

TEST(one_thread_and_four_give_the_same_bits) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> offsets{0};
  while (offsets.back() < 150'000) offsets.push_back(offsets.back() + static_cast<std::int64_t>(random() % 300));
  const auto n = static_cast<std::size_t>(offsets.back());
  const Column scores = drawn(random, n, 0.3);
  Column targets(n);
  for (double& target : targets) target = random() % 9 == 0 ? 1.0 : 0.0;
  Column values[2], columns[2];
  for (const int which : {0, 1}) {
    values[which].resize(offsets.size() - 1);
    columns[which].resize(n);
    pairwise_softmax(targets, scores, offsets, Activation::tanh, 5, Derivative::first, values[which], columns[which], {},
                     which == 0 ? 1 : 4);
  }
  CHECK(values[0] == values[1]);
  CHECK(columns[0] == columns[1]);
}

TEST(a_soft_sort_of_two_documents_has_the_dcg_computed_by_hand) {
  // Scores log 2 and 0: the exponents are 0 and -log 2 at the first rank, and -2 log 2 and -log 2 at the second.
  const Column gains{0, 1}, scores{std::log(2.0), 0}, discounts{1, 0.5};
  Column column(2);
  const double dcg = NeuralDcg(1, false)(gains, scores, discounts, 0, 0, column);
  CHECK(std::abs(dcg - (1.0 / 3 + 0.5 * 2.0 / 3)) < 1e-15);
  CHECK(std::abs(column[0] + column[1]) < 1e-16);
}

}  // namespace
