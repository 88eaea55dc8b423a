#include "idealrank/measure/prefixes.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "check.hpp"

using namespace idealrank;

namespace {

using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;

Ints all_sizes(std::size_t n) {
  Ints sizes(n);
  std::iota(sizes.begin(), sizes.end(), 1);
  return sizes;
}

// Slow and obvious: sorts the prefix, and sums.
double expected_dcg(const Doubles& gains, const Doubles& scores, std::size_t n, const Doubles& weights) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  double total = 0;
  for (std::size_t r = 0; r < n; ++r) total += gains[order[r]] * weights[r];
  return total;
}

}  // namespace

TEST(every_prefix_is_ranked_as_if_alone) {
  std::mt19937 random(3);
  Doubles gains, scores, weights;
  for (int i = 0; i < 300; ++i) {
    gains.push_back(static_cast<double>(random() % 4));
    scores.push_back(static_cast<double>(random() % 40));
    weights.push_back(1.0 / (i + 1));
  }
  const Ints sizes = all_sizes(300), offsets{0, 300};
  const std::vector<PrefixSpec> specs{{{false, weights}, sizes}};
  Doubles values(300);
  prefix_dcg(gains, scores, offsets, sizes, specs, Ties::stable, values, 1);
  for (std::size_t n = 1; n <= 300; ++n) {
    CHECK(std::abs(values[n - 1] - expected_dcg(gains, scores, n, weights)) < 1e-9);
  }
}

TEST(a_query_with_fewer_documents_has_no_value) {
  const Doubles gains{1, 2, 3}, scores{1, 2, 3}, weights{1, 1, 1};
  const Ints sizes{1, 2}, offsets{0, 1, 1, 3};
  const std::vector<PrefixSpec> specs{{{false, weights}, sizes}};
  Doubles values(6);
  prefix_dcg(gains, scores, offsets, sizes, specs, Ties::average, values, 1);
  CHECK_EQ(values[0], 1.0);
  CHECK(std::isnan(values[1]) && std::isnan(values[2]) && std::isnan(values[3]));
  CHECK_EQ(values[4], 2.0);
  CHECK_EQ(values[5], 5.0);
}

TEST(any_number_of_threads_gives_the_same_bits) {
  std::mt19937 random(5);
  Doubles gains, scores, weights(2000, 0.5);
  Ints offsets{0};
  while (gains.size() < 200'000) {
    for (int i = 0; i < 2000; ++i) {
      gains.push_back(static_cast<double>(random() % 3));
      scores.push_back(static_cast<double>(random() % 700));
    }
    offsets.push_back(static_cast<std::int64_t>(gains.size()));
  }
  const Ints sizes{10, 500, 2000}, depths{5, 500, 1000};
  const std::vector<PrefixSpec> specs{{{false, weights}, depths}, {{true, {}}, depths}};
  Doubles one(specs.size() * (offsets.size() - 1) * sizes.size()), four(one.size());
  prefix_dcg(gains, scores, offsets, sizes, specs, Ties::average, one, 1);
  prefix_dcg(gains, scores, offsets, sizes, specs, Ties::average, four, 4);
  CHECK_EQ(one, four);
}
