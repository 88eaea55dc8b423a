#include "idealrank/sort/id_order.hpp"

#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "check.hpp"

using namespace idealrank;

namespace {

struct Run {
  std::vector<double> scores;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::string> docs;
};

using Rows = std::vector<std::int64_t>;

Rows ordered(const Run& run, bool descending, int n_threads = 1) {
  Ids ids;
  for (const std::string& doc : run.docs) ids.push_back(doc);
  Rows rows(run.docs.size(), -1);
  order_by_id(run.scores, run.offsets, ids.view(), descending, rows, n_threads);
  return rows;
}

// Slow and obvious: the rows of each query, sorted by score and then by id. Equal ids stay in row order.
Rows expected_order(const Run& run, bool descending) {
  Rows rows(run.docs.size());
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t q = 0; q + 1 < run.offsets.size(); ++q) {
    std::stable_sort(rows.begin() + run.offsets[q], rows.begin() + run.offsets[q + 1], [&](auto left, auto right) {
      const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
      if (run.scores[a] != run.scores[b]) return run.scores[a] > run.scores[b];
      return descending ? run.docs[a] > run.docs[b] : run.docs[a] < run.docs[b];
    });
  }
  return rows;
}

// Few scores and few ids, so that both have many ties.
Run drawn(unsigned seed, std::size_t n_docs) {
  std::mt19937 random(seed);
  Run run;
  while (run.docs.size() < n_docs) {
    const std::size_t n = random() % 10 == 0 ? 0 : random() % 300;
    for (std::size_t i = 0; i < n; ++i) {
      run.scores.push_back(static_cast<double>(random() % 20));
      run.docs.push_back(std::string(random() % 3, 'd') + std::to_string(random() % 100));
    }
    run.offsets.push_back(static_cast<std::int64_t>(run.docs.size()));
  }
  return run;
}

}  // namespace

TEST(equal_scores_are_ordered_by_id_within_their_query) {
  const Run run{{1, 2, 2, 1, 1, 1}, {0, 3, 6}, {"a", "b", "c", "z", "y", "x"}};
  CHECK_EQ(ordered(run, true), (Rows{2, 1, 0, 3, 4, 5}));
  CHECK_EQ(ordered(run, false), (Rows{1, 2, 0, 5, 4, 3}));
}

TEST(ids_compare_by_bytes_not_by_number_or_letter) {
  const Run run{{1, 1, 1, 1, 1}, {0, 5}, {"d10", "d2", "\xc3\xa9", "Z", ""}};
  CHECK_EQ(ordered(run, false), (Rows{4, 3, 0, 1, 2}));
  CHECK_EQ(ordered(run, true), (Rows{2, 1, 0, 3, 4}));
}

TEST(equal_ids_keep_the_order_of_their_rows) {
  const Run run{{1, 1, 1}, {0, 3}, {"a", "b", "a"}};
  CHECK_EQ(ordered(run, false), (Rows{0, 2, 1}));
  CHECK_EQ(ordered(run, true), (Rows{1, 0, 2}));
}

TEST(random_runs_come_out_as_a_stable_sort_orders_them_on_any_number_of_threads) {
  for (const auto& [seed, n_docs] : {std::pair(1U, 2000U), std::pair(2U, 120'000U)}) {
    const Run run = drawn(seed, n_docs);
    for (const bool descending : {false, true}) {
      const Rows expected = expected_order(run, descending);
      for (const int n_threads : {1, 2, 4}) CHECK_EQ(ordered(run, descending, n_threads), expected);
    }
  }
}

TEST(empty_data_and_queries_without_documents_are_valid) {
  CHECK_EQ(ordered({{}, {0}, {}}, true), Rows{});
  CHECK_EQ(ordered({{}, {0, 0, 0}, {}}, true), Rows{});
  CHECK_EQ(ordered({{1}, {0, 0, 1, 1}, {"a"}}, true), Rows{0});
}

TEST(a_score_that_is_not_finite_is_refused_with_its_query_and_row) {
  const Run run{{1, 2, std::numeric_limits<double>::quiet_NaN()}, {0, 1, 3}, {"a", "b", "c"}};
  const auto error = check::thrown<data_error>([&] { ordered(run, true); });
  CHECK(error.has_value());
  if (!error) return;
  CHECK_EQ(error->query, 1);
  CHECK_EQ(error->row, 2);
}
