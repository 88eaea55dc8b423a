#include "idealrank/pairs/label_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "check.hpp"

using idealrank::LabelSplit;
using idealrank::LabelSplits;

namespace {

std::vector<std::uint32_t> counts_of(const std::vector<std::uint32_t>& levels, std::size_t n_levels) {
  std::vector<std::uint32_t> counts(n_levels);
  for (const auto level : levels) ++counts[level];
  return counts;
}

// Every level occurs, as the kernel requires.
std::vector<std::uint32_t> random_levels(std::mt19937_64& random, std::size_t n, std::size_t n_levels) {
  std::vector<std::uint32_t> levels(n);
  for (std::size_t i = 0; i < n; ++i)
    levels[i] = static_cast<std::uint32_t>(i < n_levels ? i : random() % n_levels * (random() % 2));
  std::shuffle(levels.begin(), levels.end(), random);
  return levels;
}

// Calls visit(split) for all splits between groups. By default, each level is a group.
template <class Visit>
void split_all(const std::vector<std::uint32_t>& levels, const std::vector<std::uint32_t>& counts, Visit&& visit,
               std::vector<std::uint32_t> groups = {}) {
  if (groups.empty()) {
    groups.resize(counts.size());
    std::iota(groups.begin(), groups.end(), 0U);
  }
  idealrank::Stop stop;
  LabelSplits splits;
  splits.start(levels, counts, groups, stop);
  std::vector<LabelSplits::Part> parts;
  auto add = [&](const LabelSplits::Part& part) { parts.push_back(part); };
  splits.for_whole(add);
  for (std::size_t i = 0; i < parts.size(); ++i) {  // in order of depth
    visit(splits.divide(parts[i], stop));
    const LabelSplits::Part part = parts[i];
    splits.for_sides(part, add);
  }
}

}  // namespace

TEST(each_pair_of_different_labels_is_separated_by_exactly_one_split) {
  std::mt19937_64 random(1);
  for (const std::size_t n : check::Sizes{1, 2, 3, 10, 60}) {
    for (const std::size_t n_levels : check::Sizes{1, 2, 3, 10, 60}) {
      if (n_levels > n) continue;
      const auto levels = random_levels(random, n, n_levels);
      std::vector<int> met(n * n);
      split_all(levels, counts_of(levels, n_levels), [&](const LabelSplit& sides) {
        CHECK_EQ(sides.all.size(), sides.low.size() + sides.high.size());
        for (const auto side : {sides.all, sides.low, sides.high}) CHECK(std::is_sorted(side.begin(), side.end()));
        for (const auto high : sides.high) {
          CHECK(levels[high] >= sides.boundary);
          for (const auto low : sides.low) {
            CHECK(levels[low] < sides.boundary);
            ++met[high * n + low];
          }
        }
      });
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) CHECK_EQ(met[i * n + j], levels[i] > levels[j] ? 1 : 0);
      }
    }
  }
}

TEST(each_pair_of_different_groups_is_separated_by_exactly_one_split) {
  std::mt19937_64 random(2);
  const std::size_t n = 60, n_levels = 20;
  const auto levels = random_levels(random, n, n_levels);
  const std::vector<std::uint32_t> groups{0, 1, 7, 19};
  auto group_of = [&](std::uint32_t level) {
    return std::upper_bound(groups.begin(), groups.end(), level) - groups.begin();
  };
  std::vector<int> met(n * n);
  auto meet = [&](const LabelSplit& sides) {
    CHECK(std::find(groups.begin(), groups.end(), sides.boundary) != groups.end());
    for (const auto high : sides.high) {
      for (const auto low : sides.low) ++met[high * n + low];
    }
  };
  split_all(levels, counts_of(levels, n_levels), meet, groups);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) CHECK_EQ(met[i * n + j], group_of(levels[i]) > group_of(levels[j]) ? 1 : 0);
  }
}

TEST(the_work_is_about_the_entropy_of_the_labels) {
  auto work = [&](const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint32_t> levels;
    for (std::size_t level = 0; level < counts.size(); ++level)
      levels.insert(levels.end(), counts[level], static_cast<std::uint32_t>(level));
    std::size_t total = 0;
    split_all(levels, counts, [&](const LabelSplit& sides) { total += sides.all.size(); });
    return static_cast<double>(total) / static_cast<double>(levels.size());
  };
  auto bits = [](const std::vector<std::uint32_t>& counts) {
    double n = 0, sum = 0;
    for (const auto count : counts) n += count;
    for (const auto count : counts) sum += count / n * std::log2(n / count);
    return sum;
  };
  const std::vector<std::vector<std::uint32_t>> cases{
      {5000, 3000, 1500, 300, 200}, {9990, 10}, {10, 9990}, {10, 10, 9960, 10, 10}, std::vector<std::uint32_t>(4096, 1)};
  for (const auto& counts : cases) CHECK(work(counts) <= bits(counts) + 2);
  CHECK_EQ(work(cases[0]), 1.75);
  CHECK_EQ(work(cases[4]), 12.0);
}
