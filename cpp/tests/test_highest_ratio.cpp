#include "idealrank/measure/highest_ratio.hpp"

#include <cmath>
#include <random>

#include "check.hpp"

using namespace idealrank;

namespace {

using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;

struct Query {
  Doubles judged, weights;  // gains of judged documents, weights of unjudged ones in descending order
  double fixed;
  std::int64_t depth;
};

const Doubles kLevels{1, 3, 7};

// The ratio for one choice of gains; sorts to find the ideal order.
double ratio_of(const Query& query, const Doubles& chosen, const Doubles& discounts, double empty) {
  double top = query.fixed, bottom = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) top += query.weights[i] * chosen[i];
  Doubles all = query.judged;
  all.insert(all.end(), chosen.begin(), chosen.end());
  std::sort(all.rbegin(), all.rend());
  const auto n = std::min(all.size(), static_cast<std::size_t>(query.depth));
  for (std::size_t r = 0; r < n; ++r) bottom += all[r] * discounts[r];
  return bottom > 0 ? top / bottom : empty;
}

// Slow and obvious: tries all gains of all unjudged documents.
double largest_ratio(const Query& query, const Doubles& discounts, double empty) {
  const std::size_t n = query.weights.size(), n_gains = kLevels.size() + 1;
  double largest = -INFINITY;
  std::size_t n_choices = 1;
  for (std::size_t i = 0; i < n; ++i) n_choices *= n_gains;
  for (std::size_t code = 0; code < n_choices; ++code) {
    Doubles chosen;
    for (std::size_t i = 0, rest = code; i < n; ++i, rest /= n_gains) {
      chosen.push_back(rest % n_gains == 0 ? 0.0 : kLevels[rest % n_gains - 1]);
    }
    const double ratio = ratio_of(query, chosen, discounts, empty);
    if (ratio > largest) largest = ratio;  // skips NaN
  }
  return largest;
}

// The levels that the kernel chooses, for all queries in one call.
Ints chosen_levels(const std::vector<Query>& queries, const Doubles& gains, const Doubles& discounts, double empty,
                   int n_threads) {
  Doubles fixed, weights, sums{0};
  Ints offsets{0}, depths, counts(gains.size() * queries.size());
  for (const double each : discounts) sums.push_back(sums.back() + each);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    fixed.push_back(queries[q].fixed);
    depths.push_back(queries[q].depth);
    weights.insert(weights.end(), queries[q].weights.begin(), queries[q].weights.end());
    offsets.push_back(static_cast<std::int64_t>(weights.size()));
    for (std::size_t g = 0; g < gains.size(); ++g) {
      for (const double gain : queries[q].judged) counts[g * queries.size() + q] += gain >= gains[g];
    }
  }
  Ints chosen(weights.size(), -1);
  highest_ratio(fixed, weights, offsets, {sums, depths, gains, counts, {}}, kLevels, empty, chosen, n_threads);
  return chosen;
}

// Includes judged gains that are not among the levels, and weights of both signs, as
// differences and lowest values have them.
Query drawn(std::mt19937& random, std::size_t most, const Doubles& gains) {
  std::uniform_real_distribution<double> weight(-1, 1);
  Query query;
  for (std::size_t i = random() % 4; i-- > 0;)
    query.judged.push_back(random() % 3 == 0 ? gains[random() % gains.size()] : 0.0);
  for (std::size_t i = random() % (most + 1); i-- > 0;) query.weights.push_back(weight(random));
  std::sort(query.weights.rbegin(), query.weights.rend());
  const bool has_gain = std::any_of(query.judged.begin(), query.judged.end(), [](double gain) { return gain > 0; });
  query.fixed = has_gain ? weight(random) * 3 : 0;
  query.depth = static_cast<std::int64_t>(1 + random() % 6);
  return query;
}

}  // namespace

TEST(the_ratio_is_the_largest_over_all_choices_of_gains) {
  std::mt19937 random(1);
  const Doubles gains{1, 2, 3, 7, 15}, discounts{1, 0.63, 0.5, 0.43, 0.39, 0.36, 0.33, 0.3, 0.3, 0.3};
  for (const double empty : {0.0, 1.0, static_cast<double>(NAN)}) {
    std::vector<Query> queries;
    for (int i = 0; i < 400; ++i) queries.push_back(drawn(random, 5, gains));
    const Ints levels = chosen_levels(queries, gains, discounts, empty, 1);
    std::size_t next = 0;
    for (const Query& query : queries) {
      Doubles chosen;
      for (std::size_t i = 0; i < query.weights.size(); ++i, ++next) {
        chosen.push_back(levels[next] == 0 ? 0.0 : kLevels[static_cast<std::size_t>(levels[next]) - 1]);
      }
      const double largest = largest_ratio(query, discounts, empty);
      if (std::isinf(largest)) continue;  // no gain at all, and then no value
      CHECK(std::abs(ratio_of(query, chosen, discounts, empty) - largest) < 1e-12);
    }
  }
}

TEST(any_number_of_threads_chooses_the_same_levels) {
  std::mt19937 random(2);
  const Doubles gains{1, 3, 7}, discounts{1, 0.63, 0.5, 0.43, 0.39, 0.36};
  std::vector<Query> queries;
  for (int i = 0; i < 400; ++i) queries.push_back(drawn(random, 1000, gains));
  CHECK_EQ(chosen_levels(queries, gains, discounts, 0, 1), chosen_levels(queries, gains, discounts, 0, 4));
}
