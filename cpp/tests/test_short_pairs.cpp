#include "idealrank/pairs/short_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "idealrank/pairs/pairs_by_label.hpp"

#include "check.hpp"
#include "isas.hpp"
#include "pair_specs.hpp"

using namespace idealrank;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Documents {
  std::vector<double> labels, scores, weights;

  Documents(std::mt19937_64& random, std::size_t n, bool weighted) {
    for (std::size_t i = 0; i < n; ++i) {
      labels.push_back(static_cast<double>(random() % 4) * (random() % 2 == 0 ? 1 : -1));  // 0 and -0 are the same label
      scores.push_back(static_cast<double>(random() % 9) / 7);
      if (weighted) weights.push_back(static_cast<double>(1 + random() % 3) / 2);
    }
  }

  PairQuery query() const { return {scores, weights, 0, 0}; }
};

struct Outcome {
  std::vector<double> column, second;
  PairTotals totals;

  Outcome(std::size_t n, const PairSpec& spec) : column(n), second(spec.derivative == Derivative::both ? n : 0) {}
};

Outcome by_label(const Documents& documents, const PairSpec& spec) {
  const std::size_t n = documents.labels.size();
  LabelLevels levels;
  levels(documents.labels, 0, 0);
  TopRanker rank;
  const auto order = rank(documents.scores, n, 0, 0);
  SwapChange change;
  change(spec.swap, 0, levels, order);
  PairsByLabel pairs(spec);
  pairs.groups(levels, n);
  Outcome found(n, spec);
  found.totals = pairs(documents.query(), order, levels, change, false, found.column, found.second);
  return found;
}

}  // namespace

TEST(places_of_short_lists_are_those_of_a_stable_sort) {
  std::mt19937_64 random(1);
  for (const Isa isa : all_isas()) {
    for (std::size_t n = 0; n <= kShortPairs; ++n) {
      for (const std::uint64_t n_values : {1, 3, 1000}) {
        std::vector<double> values(kShortPairs), places(kShortPairs);
        for (double& value : values) value = static_cast<double>(random() % n_values) - 1;
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] > values[b]; });
        choose(isa, pair_kernels_base, pair_kernels_v3).count_places(values.data(), n, places.data());
        for (std::size_t place = 0; place < n; ++place) CHECK_EQ(places[order[place]], static_cast<double>(place));
      }
    }
  }
}

TEST(short_lists_have_the_same_bits_as_pairs_by_label) {
  std::mt19937_64 random(2);
  std::vector<double> discounts(kShortPairs), distances(kShortPairs);
  for (std::size_t r = 0; r < kShortPairs; ++r) {
    discounts[r] = 1 / std::log2(2.0 + static_cast<double>(r));
    distances[r] = 1 / (1.0 + static_cast<double>(r));
  }
  auto check_bits = [&](PairSpec spec) {
    const std::vector<std::int64_t> depths{static_cast<std::int64_t>(random() % 2 == 0 ? kShortPairs : 5)};
    spec.swap = {Reduction::sum, {false, discounts}, depths};
    spec.distances = distances;
    spec.truncation = 4;
    spec.together = random() % 2 == 0;
    spec.offset = spec.weight == PairWeight::swap_change && random() % 2 == 0 ? 0.1 : 0;
    spec.few_pairs = kInfinity;
    ShortPairs pairs(spec);
    for (std::size_t n : check::Sizes{kShortPairs, 1, 2, 3, 4, 5, 10, 23, 7}) {  // longer lists leave data behind
      const Documents documents(random, n, n % 2 == 0);
      const Outcome expected = by_label(documents, spec);
      Outcome found(n, spec);
      CHECK(pairs.takes(n));
      CHECK(pairs(documents.labels, documents.query(), found.column, found.second));
      CHECK_EQ(found.column, expected.column);
      CHECK_EQ(found.second, expected.second);
      CHECK_EQ(pairs.totals().value, expected.totals.value);
      CHECK_EQ(pairs.totals().slopes, expected.totals.slopes);
    }
  };
  for (const Isa isa : all_isas()) {
    for_each_spec([&](PairSpec spec) {
      spec.isa = isa;
      check_bits(spec);
      if (spec.weight != PairWeight::swap_change) return;
      spec.weight = PairWeight::distance;
      check_bits(spec);
    });
  }
}

TEST(pairs_are_counted_to_divide_by_their_number) {
  PairSpec spec;
  spec.normalize = PairNormalize::pairs;
  spec.few_pairs = kInfinity;
  ShortPairs pairs(spec);
  const std::vector<double> scores{1, 2, 3, 4, 5};
  std::vector<double> column(5);
  CHECK(pairs(std::vector<double>{1, 0, 2, 0, 1}, {scores, {}, 0, 0}, column, {}));
  CHECK_EQ(pairs.n_pairs(), 2.0 * 2 + 4);
  CHECK(pairs(std::vector<double>{1, 1, 1, 1, 1}, {scores, {}, 0, 0}, column, {}));
  CHECK(!pairs.has_pairs());
  CHECK_EQ(column, std::vector<double>(5));
}

TEST(unsupported_lists_are_left_to_the_general_code) {
  PairSpec spec;
  spec.few_pairs = kShortPairs / 2;
  CHECK(ShortPairs(spec).takes(kShortPairs));
  CHECK(!ShortPairs(spec).takes(kShortPairs + 1));
  CHECK(!ShortPairs(spec).takes(0));
  spec.few_pairs = 0;
  CHECK(!ShortPairs(spec).takes(3));
  spec.few_pairs = kInfinity;
  spec.weight = PairWeight::swap_change;
  spec.swap.reduction = Reduction::precision_mean;
  CHECK(!ShortPairs(spec).takes(3));

  spec.weight = PairWeight::one;
  ShortPairs pairs(spec);
  auto takes = [&](std::vector<double> labels, std::vector<double> scores) {
    std::vector<double> column(3, 7.0);
    const bool taken = pairs(labels, {scores, {}, 0, 0}, column, {});
    CHECK_EQ(taken, column != std::vector<double>(3, 7.0));
    return taken;
  };
  CHECK(takes({0, 1, 2}, {1, 2, 3}));
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    CHECK(!takes({0, 1, bad}, {1, 2, 3}));
    CHECK(!takes({0, 1, 2}, {bad, 2, 3}));
  }
  CHECK(!takes({0, 1, 2}, {0, 0, 601}));
  CHECK(!takes({0, 1, 2}, {-1.7e308, 0, 1.7e308}));
}
