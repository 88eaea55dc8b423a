#include "idealrank/pairs/pairs.hpp"

#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "check.hpp"

using namespace idealrank;

namespace {

struct Data {
  std::vector<double> labels, scores;
  std::vector<std::int64_t> offsets{0};
};

using Numbers = std::array<double, 6>;

Numbers numbers(const PairCounts& counts) {
  return {counts.wrong, counts.tied, counts.all, counts.wrong_weight, counts.tied_weight, counts.all_weight};
}

std::vector<Numbers> counted(const Data& data, Ties ties, int n_threads = 1) {
  std::vector<PairCounts> counts(data.offsets.size() - 1);
  pair_counts(data.labels, data.scores, data.offsets, ties, counts, n_threads);
  std::vector<Numbers> all;
  for (const PairCounts& each : counts) all.push_back(numbers(each));
  return all;
}

Numbers counted(std::vector<double> labels, std::vector<double> scores, Ties ties) {
  const auto n = static_cast<std::int64_t>(labels.size());
  return counted({std::move(labels), std::move(scores), {0, n}}, ties)[0];
}

// Slow and obvious: all pairs with different labels. Of equal scores, the first row, the last row, the higher label or the
// lower label is ranked above, or the pair is tied.
Numbers expected_counts(std::span<const double> labels, std::span<const double> scores, Ties ties) {
  PairCounts counts;
  for (std::size_t high = 0; high < labels.size(); ++high) {
    for (std::size_t low = 0; low < labels.size(); ++low) {
      if (labels[high] <= labels[low]) continue;
      const double weight = labels[high] - labels[low];
      counts.all += 1;
      counts.all_weight += weight;
      const bool equal = scores[high] == scores[low];
      if (equal && ties == Ties::average) {
        counts.tied += 1;
        counts.tied_weight += weight;
      } else if (equal
                     ? (ties == Ties::worst || (ties == Ties::stable && low < high) || (ties == Ties::reverse && high < low))
                     : scores[low] > scores[high]) {
        counts.wrong += 1;
        counts.wrong_weight += weight;
      }
    }
  }
  return numbers(counts);
}

// Labels are multiples of 1/4, so that every sum is exact in any order.
Data drawn(unsigned seed, std::size_t n_docs, unsigned n_levels, unsigned n_scores) {
  std::mt19937 random(seed);
  Data data;
  while (data.labels.size() < n_docs) {
    const std::size_t n = random() % 10 == 0 ? 0 : random() % 60;
    for (std::size_t i = 0; i < n; ++i) {
      data.labels.push_back(static_cast<double>(random() % n_levels) / 4 - 1);
      data.scores.push_back(static_cast<double>(random() % n_scores));
    }
    data.offsets.push_back(static_cast<std::int64_t>(data.labels.size()));
  }
  return data;
}

constexpr std::array kAllTies{Ties::average, Ties::stable, Ties::reverse, Ties::best, Ties::worst};

}  // namespace

TEST(short_lists_have_the_counts_found_by_hand) {
  // Ranked 1, 2, 0, 0, 1: (1 above 2) and twice (0 above 1) are wrong; pairs weigh 1, or 2 for (2, 0).
  CHECK_EQ(counted({1, 2, 0, 0, 1}, {5, 4, 3, 2, 1}, Ties::stable), (Numbers{3, 0, 8, 3, 0, 10}));
  // Labels 0 and 2 have the same score: one pair of weight 2.
  CHECK_EQ(counted({0, 2}, {1, 1}, Ties::average), (Numbers{0, 1, 1, 0, 2, 2}));
  CHECK_EQ(counted({0, 2}, {1, 1}, Ties::stable), (Numbers{1, 0, 1, 2, 0, 2}));
  CHECK_EQ(counted({0, 2}, {1, 1}, Ties::reverse), (Numbers{0, 0, 1, 0, 0, 2}));
  CHECK_EQ(counted({0, 2}, {1, 1}, Ties::best), (Numbers{0, 0, 1, 0, 0, 2}));
  CHECK_EQ(counted({2, 0}, {1, 1}, Ties::worst), (Numbers{1, 0, 1, 2, 0, 2}));
}

TEST(random_lists_have_the_counts_of_an_enumeration_of_pairs) {
  for (const auto& [n_levels, n_scores] : {std::pair(2U, 3U), std::pair(5U, 1000U), std::pair(40U, 8U), std::pair(9U, 1U)}) {
    const Data data = drawn(n_levels, 3000, n_levels, n_scores);
    for (const Ties ties : kAllTies) {
      const auto counts = counted(data, ties);
      for (std::size_t q = 0; q + 1 < data.offsets.size(); ++q) {
        const auto first = static_cast<std::size_t>(data.offsets[q]);
        const std::size_t n = static_cast<std::size_t>(data.offsets[q + 1]) - first;
        CHECK_EQ(counts[q],
                 expected_counts(std::span(data.labels).subspan(first, n), std::span(data.scores).subspan(first, n), ties));
      }
    }
  }
}

TEST(labels_that_are_all_equal_and_lists_of_one_or_none_have_no_pairs) {
  for (const Ties ties : kAllTies) {
    CHECK_EQ(counted({3, 3, 3}, {1, 2, 2}, ties), Numbers{});
    CHECK_EQ(counted({3}, {1}, ties), Numbers{});
    CHECK_EQ(counted({}, {}, ties), Numbers{});
  }
}

TEST(labels_far_from_zero_weigh_by_their_difference_alone) {
  constexpr double far = 0x1p52;
  CHECK_EQ(counted({far, far + 1, far + 3}, {3, 2, 1}, Ties::stable), (Numbers{3, 0, 3, 6, 0, 6}));
}

TEST(counts_have_the_same_bits_on_any_number_of_threads) {
  Data data = drawn(7, 120'000, 40, 100);
  std::mt19937 random(8);
  for (double& label : data.labels) label = std::exp2(static_cast<double>(random() % 1000) / 100);
  for (const Ties ties : kAllTies) {
    const auto expected = counted(data, ties, 1);
    for (const int n_threads : {2, 4}) CHECK_EQ(counted(data, ties, n_threads), expected);
  }
}

TEST(a_score_that_is_not_finite_is_refused_with_its_query_and_row) {
  const Data data{{1, 0, 2}, {1, 2, HUGE_VAL}, {0, 1, 3}};
  const auto error = check::thrown<data_error>([&] { counted(data, Ties::stable); });
  CHECK(error.has_value());
  if (!error) return;
  CHECK_EQ(error->query, 1);
  CHECK_EQ(error->row, 2);
}
