#include "idealrank/sort/top_items.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "check.hpp"

using namespace idealrank;

namespace {

template <class Score>
void check_rows(std::mt19937_64& random, std::size_t n_items, std::size_t k) {
  const std::size_t n_users = 5;
  std::vector<Score> scores(n_users * n_items);
  for (Score& score : scores) score = static_cast<Score>(static_cast<double>(random() % 1000) - 500);
  for (Score& score : scores) score = random() % 50 == 0 ? -std::numeric_limits<Score>::infinity() : score;
  std::vector<std::int64_t> excluded, starts{0};
  for (std::size_t u = 0; u < n_users; ++u) {
    for (std::size_t i = 0; i < n_items; ++i) {
      if (random() % 5 == 0) excluded.push_back(static_cast<std::int64_t>(i));
    }
    starts.push_back(static_cast<std::int64_t>(excluded.size()));
  }
  const TopItems top = top_items<Score>(scores, n_items, k, excluded, starts, 1);
  for (std::size_t u = 0; u < n_users; ++u) {
    const Score* const row = scores.data() + u * n_items;
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < n_items; ++i) {
      const auto first = excluded.begin() + starts[u], last = excluded.begin() + starts[u + 1];
      if (std::find(first, last, static_cast<std::int64_t>(i)) == last) order.push_back(static_cast<std::int64_t>(i));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return row[a] > row[b]; });
    std::size_t n = std::min(k, order.size());
    while (n > 0 && n < order.size() && row[order[n]] == row[order[n - 1]]) ++n;
    order.resize(n);
    const auto begin = static_cast<std::size_t>(top.offsets[u]), end = static_cast<std::size_t>(top.offsets[u + 1]);
    CHECK_EQ(std::vector<std::int64_t>(top.items.data() + begin, top.items.data() + end), order);
    for (std::size_t r = 0; r < n; ++r) CHECK_EQ(top.scores[begin + r], static_cast<double>(row[order[r]]));
  }
}

}  // namespace

TEST(the_best_items_are_those_of_a_full_sort_without_what_is_excluded) {
  std::mt19937_64 random(1);
  for (const std::size_t n_items : check::Sizes{1, 3, 100, 511, 512, 513, 2000}) {
    for (const std::size_t k : {1U, 5U, 20U, 64U, 65U, 3000U}) {
      check_rows<float>(random, n_items, k);
      check_rows<double>(random, n_items, k);
    }
  }
}

TEST(a_score_that_is_not_finite_is_refused_with_user_and_item) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t n_items : check::Sizes{10, 1000}) {
      std::vector<float> scores(3 * n_items, 1.0F);
      scores[n_items + 7] = bad;
      const std::vector<std::int64_t> starts(4);
      const auto error = check::thrown<data_error>([&] { top_items<float>(scores, n_items, 5, {}, starts, 1); });
      CHECK(error.has_value() && error->query == 1 && error->row == 7);
    }
  }
}

TEST(a_score_of_an_excluded_item_may_be_anything) {
  for (const std::size_t n_items : check::Sizes{10, 1000}) {
    std::vector<float> scores(n_items, 1.0F);
    scores[7] = std::numeric_limits<float>::quiet_NaN();
    scores[3] = 2.0F;
    const std::vector<std::int64_t> excluded{7}, starts{0, 1};
    const TopItems top = top_items<float>(scores, n_items, 1, excluded, starts, 1);
    CHECK_EQ(std::vector<std::int64_t>(top.items.data(), top.items.data() + top.items.size()), (std::vector<std::int64_t>{3}));
  }
}
