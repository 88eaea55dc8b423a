#include "idealrank/text/grouping.hpp"

#include <map>
#include <random>
#include <string>

#include "blocks.hpp"
#include "check.hpp"

using idealrank::group;
using idealrank::Grouping;
using idealrank::QueryColumn;

namespace {

using Rows = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

struct Grouped {
  Strings ids;
  Rows offsets, order;
  friend bool operator==(const Grouped&, const Grouped&) = default;
};

Grouped grouped(QueryColumn& column) {
  const Grouping grouping = column.grouping();
  return {blocks::strings(column.take_ids().view()), blocks::values(grouping.offsets), blocks::values(grouping.order)};
}

// Slow and obvious: the rows of each id, with ids in order of first appearance.
Grouped expected_groups(const Strings& rows) {
  Grouped expected;
  std::map<std::string, Rows> rows_of;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows_of.contains(rows[i])) expected.ids.push_back(rows[i]);
    rows_of[rows[i]].push_back(static_cast<std::int64_t>(i));
  }
  expected.offsets.push_back(0);
  bool moved = false;
  for (const std::string& id : expected.ids) {
    for (const std::int64_t row : rows_of[id]) {
      moved = moved || row != static_cast<std::int64_t>(expected.order.size());
      expected.order.push_back(row);
    }
    expected.offsets.push_back(static_cast<std::int64_t>(expected.order.size()));
  }
  if (!moved) expected.order.clear();
  return expected;
}

Strings random_rows(std::mt19937& random, std::size_t n, unsigned distinct, bool runs) {
  Strings rows;
  while (rows.size() < n) {
    const std::size_t length = runs ? 1 + random() % 5 : 1;
    const std::string id = "q" + std::to_string(random() % distinct);
    for (std::size_t i = 0; i < length && rows.size() < n; ++i) rows.push_back(id);
  }
  return rows;
}

}  // namespace

TEST(contiguous_rows_need_no_order) {
  const Grouping grouping = group(Rows{0, 0, 1, 2, 2}, 3);
  CHECK_EQ(blocks::values(grouping.offsets), (Rows{0, 2, 3, 5}));
  CHECK_EQ(grouping.order.size(), 0);
}

TEST(scattered_rows_are_grouped_by_query_in_input_order) {
  const Grouping grouping = group(Rows{0, 1, 0, 2, 1, 0}, 3);
  CHECK_EQ(blocks::values(grouping.offsets), (Rows{0, 3, 5, 6}));
  CHECK_EQ(blocks::values(grouping.order), (Rows{0, 2, 5, 1, 4, 3}));
}

TEST(no_rows_give_no_groups) {
  const Grouping grouping = group({}, 0);
  CHECK_EQ(blocks::values(grouping.offsets), Rows{0});
  CHECK_EQ(grouping.order.size(), 0);
}

TEST(a_column_groups_rows_by_id) {
  std::mt19937 random(1);
  for (const std::size_t n : check::Sizes{0, 1, 2, 50, 5000}) {
    for (const unsigned distinct : {1U, 2U, 30U, 100'000U}) {
      for (const bool runs : {false, true}) {
        const Strings rows = random_rows(random, n, distinct, runs);
        QueryColumn column;
        for (const std::string& id : rows) column.push_back(id);
        CHECK_EQ(column.size(), n);
        CHECK(grouped(column) == expected_groups(rows));
      }
    }
  }
}

TEST(columns_appended_one_to_another_group_as_one) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const Strings rows = random_rows(random, 100, 12, true);
    QueryColumn whole, part;
    std::size_t next = 0;
    while (next < rows.size()) {
      part.clear();
      const std::size_t stop = std::min(rows.size(), next + random() % 40);
      for (; next < stop; ++next) part.push_back(rows[next]);
      whole.append(part);
      if (next < rows.size() && random() % 2 == 0) whole.push_back(rows[next++]);
    }
    CHECK(grouped(whole) == expected_groups(rows));
  }
}

TEST(a_cleared_column_forgets_the_last_id) {
  QueryColumn column;
  column.push_back("a");
  column.push_back("b");
  column.clear();
  CHECK_EQ(column.size(), 0);
  column.push_back("b");
  CHECK(grouped(column) == expected_groups({"b"}));
}

TEST(a_column_whose_ids_were_taken_is_empty) {
  QueryColumn column;
  for (const char* id : {"a", "b", "a"}) column.push_back(id);
  CHECK(grouped(column) == expected_groups({"a", "b", "a"}));
  CHECK_EQ(column.size(), 0);
  CHECK(grouped(column) == expected_groups({}));
  column.push_back("b");
  CHECK(grouped(column) == expected_groups({"b"}));
}
