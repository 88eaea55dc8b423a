#include "idealrank/pairs/swap_change.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "check.hpp"

using idealrank::LabelLevels;
using idealrank::Reduction;
using idealrank::SwapChange;
using idealrank::SwapMeasure;

namespace {

using Gains = std::vector<double>;

double average_precision(const Gains& gains, std::size_t depth) {
  double hits = 0, total = 0;
  for (std::size_t r = 0; r < std::min(depth, gains.size()); ++r) {
    if (gains[r] > 0) total += ++hits / static_cast<double>(r + 1);
  }
  return total;
}

double first_relevant(const Gains& gains, std::size_t depth, bool reciprocal) {
  for (std::size_t r = 0; r < std::min(depth, gains.size()); ++r) {
    if (gains[r] > 0) return reciprocal ? 1 / static_cast<double>(r + 1) : 1.0;
  }
  return 0;
}

// Takes gains in rank order, and compares the change for every pair with that of swapping it.
void check_swaps(const SwapMeasure& measure, const Gains& gains, const std::function<double(const Gains&)>& value) {
  LabelLevels levels;
  levels(gains, 0, 0);
  std::vector<std::uint32_t> order(gains.size());
  std::iota(order.begin(), order.end(), 0U);
  SwapChange change;
  change(measure, 0, levels, order);
  for (std::size_t lower = 0; lower < gains.size(); ++lower) {
    for (std::size_t upper = 0; upper < lower; ++upper) {
      Gains swapped = gains;
      std::swap(swapped[upper], swapped[lower]);
      const double expected = std::abs(value(swapped) - value(gains));
      const double* c = gains[upper] > gains[lower] ? change.right() : change.wrong();
      const double got = std::abs(gains[upper] - gains[lower]) * (c[upper] - c[lower]);
      CHECK(std::abs(got - expected) < 1e-14 * (1 + expected));
      CHECK(change.right()[upper] >= change.right()[lower]);
      CHECK(change.wrong()[upper] >= change.wrong()[lower]);
    }
  }
}

}  // namespace

TEST(changes_of_sums_precisions_and_first_ranks_are_those_of_swapped_rankings) {
  std::mt19937_64 random(1);
  std::vector<double> weights(40);
  for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = 1 / std::log2(2.0 + static_cast<double>(r));
  for (const std::size_t n : check::Sizes{1, 2, 5, 12, 30}) {
    for (const std::size_t depth : check::Sizes{1, 3, 12, 100}) {
      const std::vector<std::int64_t> depths{static_cast<std::int64_t>(depth)};
      for (int repeat = 0; repeat < 10; ++repeat) {
        Gains graded(n), binary(n);
        for (std::size_t i = 0; i < n; ++i) {
          graded[i] = static_cast<double>(random() % 4);
          binary[i] = random() % 3 == 0 ? 1.0 : 0.0;
        }
        auto dcg = [&](const Gains& gains) {
          double total = 0;
          for (std::size_t r = 0; r < std::min(n, depth); ++r) total += gains[r] * weights[r];
          return total;
        };
        auto linear = [&](const Gains& gains) {
          double total = 0;
          for (std::size_t r = 0; r < std::min(n, depth); ++r) total += gains[r] * static_cast<double>(n - 1 - r);
          return total;
        };
        check_swaps({Reduction::sum, {false, weights}, depths}, graded, dcg);
        check_swaps({Reduction::sum, {true, {}}, depths}, graded, linear);
        check_swaps({Reduction::precision_mean, {}, depths}, binary,
                    [&](const Gains& g) { return average_precision(g, depth); });
        check_swaps({Reduction::first, {}, depths}, binary, [&](const Gains& g) { return first_relevant(g, depth, true); });
        check_swaps({Reduction::any, {}, depths}, binary, [&](const Gains& g) { return first_relevant(g, depth, false); });
      }
    }
  }
}
