#include "idealrank/sort/top.hpp"

#include <limits>
#include <numeric>
#include <random>

#include "check.hpp"

using idealrank::data_error;
using idealrank::TopRanker;

namespace {

using Scores = std::vector<double>;
using Order = std::vector<std::uint32_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Order top(TopRanker& rank, const Scores& scores, std::size_t k) {
  const auto order = rank(scores, k, 0, 0);
  return {order.begin(), order.end()};
}

// Slow and obvious: all documents in stable order, up to k, and those that tie with the last.
Order expected_top(const Scores& scores, std::size_t k) {
  Order order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  if (k < order.size()) {
    std::size_t end = k;
    while (k > 0 && end < order.size() && scores[order[end]] == scores[order[k - 1]]) ++end;
    order.resize(end);
  }
  return order;
}

template <class Draw>
void check_random(unsigned seed, Draw&& draw) {
  std::mt19937_64 random(seed);
  TopRanker rank;
  for (const std::size_t n : check::Sizes{0, 1, 2, 3, 8, 20, 23, 24, 25, 63, 64, 65, 100, 500, 2047, 2048, 2049, 5000}) {
    Scores scores(n);
    for (double& score : scores) score = draw(random);
    for (const std::size_t k :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{6}, std::size_t{10}, std::size_t{32},
          std::size_t{64}, std::size_t{65}, std::size_t{100}, n / 2, n - n / 10, n, n + 1, std::size_t{1'000'000}}) {
      CHECK_EQ(top(rank, scores, k), expected_top(scores, k));
    }
  }
}

}  // namespace

TEST(random_scores_give_the_head_of_a_stable_order) {
  check_random(1, [](auto& random) { return std::normal_distribution<>()(random); });
}

TEST(the_head_includes_all_ties_with_its_last_score) {
  check_random(2, [](auto& random) { return static_cast<double>(random() % 3); });
  check_random(3, [](auto& random) { return static_cast<double>(random() % 50); });
  check_random(4, [](auto&) { return 0.5; });
}

TEST(scores_that_differ_in_their_last_bits_are_told_apart) {
  check_random(5, [](auto& random) { return 1 + static_cast<double>(random() % 9000) * 0x1p-52; });
  check_random(6, [](auto& random) { return -static_cast<double>(random() % 100) * 0x1p-1074; });
}

TEST(scores_whose_best_all_fall_into_one_lane_are_ranked) {
  for (const std::size_t stride : check::Sizes{8, 16, 32, 64, 128}) {
    TopRanker rank;
    Scores scores(3000);
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = i % stride == 3 ? 1e6 - static_cast<double>(i) : static_cast<double>(i % 11);
    for (const std::size_t k : check::Sizes{1, 10, 20, 64}) CHECK_EQ(top(rank, scores, k), expected_top(scores, k));
  }
}

TEST(sorted_and_nearly_sorted_scores_are_ranked) {
  TopRanker rank;
  for (const std::size_t n : check::Sizes{1, 2, 30, 200, 3000}) {
    Scores scores(n);
    for (std::size_t i = 0; i < n; ++i) scores[i] = -static_cast<double>(i / 3);
    for (const std::size_t k : check::Sizes{1, 2, 4, 10, 100, 5000}) CHECK_EQ(top(rank, scores, k), expected_top(scores, k));
    scores.back() = 1;
    for (const std::size_t k : check::Sizes{1, 2, 4, 10, 100, 5000}) CHECK_EQ(top(rank, scores, k), expected_top(scores, k));
  }
}

TEST(minus_zero_ties_with_zero) {
  check_random(7, [](auto& random) { return random() % 2 == 0 ? 0.0 : -0.0; });
}

TEST(the_first_score_that_is_not_finite_is_refused_with_its_row_whatever_the_cutoff) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (const std::size_t n : check::Sizes{3, 100, 3000}) {
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{40}, n}) {
        Scores scores(n, 1.0);
        scores[n - 2] = bad;
        scores[n - 1] = kNan;
        TopRanker rank;
        const auto error = check::thrown<data_error>([&] { rank(scores, k, 7, 100); });
        CHECK(error.has_value());
        if (!error) continue;
        CHECK_EQ(error->query, 7);
        CHECK_EQ(error->row, 100 + static_cast<std::int64_t>(n) - 2);
      }
    }
  }
}

TEST(a_released_order_stays_valid_and_the_ranker_can_be_used_again) {
  TopRanker rank;
  const Scores scores{0.2, 0.9, 0.5};
  rank(scores, 3, 0, 0);
  const Order kept = rank.release();
  CHECK_EQ(kept, (Order{1, 2, 0}));
  CHECK_EQ(top(rank, {1, 2}, 2), (Order{1, 0}));
  CHECK_EQ(kept, (Order{1, 2, 0}));
}
