#include "idealrank/text/ids.hpp"

#include <map>
#include <random>
#include <string>

#include "blocks.hpp"
#include "check.hpp"

using namespace idealrank;
using blocks::strings;

namespace {

using Strings = std::vector<std::string>;

Ids ids_of(const Strings& texts) {
  Ids ids;
  for (const std::string& text : texts) ids.push_back(text);
  return ids;
}

Strings random_ids(std::mt19937& random, std::size_t n, unsigned distinct) {
  Strings ids;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<unsigned>(random() % distinct);
    ids.push_back(std::string(k % 20, 'x') + std::to_string(k / 20));
  }
  return ids;
}

// The largest number of ids that share a slot in a table of twice their number, the size that IdIndex
// uses. It is small if they scatter.
std::size_t most_in_a_slot(const Strings& ids) {
  const std::size_t mask = std::bit_ceil(2 * ids.size()) - 1;
  std::map<std::size_t, std::size_t> counts;
  std::size_t most = 0;
  for (const std::string& id : ids) most = std::max(most, ++counts[hash_id(id) & mask]);
  return most;
}

// An id of two words, where the second undoes the effect of the first on the hash: with a given seed, the hash is always the
// same. Uses the 128-bit product that standard C++ lacks.
std::string id_with_one_hash(std::uint64_t first, std::uint64_t seed) {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{0x9E3779B97F4A7C15 ^ seed ^ 16 ^ first} * 0xD6E8FEB86659FD93;
  const std::uint64_t second = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  std::string id(16, '\0');
  std::memcpy(id.data(), &first, 8);
  std::memcpy(id.data() + 8, &second, 8);
  return id;
}

}  // namespace

TEST(ids_come_back_as_they_were_pushed) {
  const Strings texts{"q1", "", "a longer id than eight bytes", std::string("nul\0byte", 8), "\xff\xfe", ""};
  const Ids ids = ids_of(texts);
  CHECK_EQ(ids.size(), 6);
  CHECK_EQ(strings(ids.view()), texts);
}

TEST(appended_ids_follow_the_others) {
  Ids ids = ids_of({"a", ""});
  ids.append(ids_of({}));
  ids.append(ids_of({"", "bc"}));
  CHECK_EQ(strings(ids.view()), (Strings{"a", "", "", "bc"}));
  ids.clear();
  CHECK_EQ(ids.size(), 0);
  ids.append(ids_of({"d"}));
  CHECK_EQ(strings(ids.view()), Strings{"d"});
}

TEST(a_hash_depends_on_every_byte_and_on_the_length) {
  std::mt19937 random(1);
  for (std::size_t n = 1; n <= 40; ++n) {
    std::string id(n, '\0');
    for (char& c : id) c = static_cast<char>(random());
    const std::uint64_t hash = hash_id(id);
    for (std::size_t i = 0; i < n; ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string other = id;
        other[i] = static_cast<char>(other[i] ^ (1 << bit));
        CHECK(hash_id(other) != hash);
      }
    }
    CHECK(hash_id(id + '\0') != hash);
  }
  CHECK(hash_id("") != hash_id(std::string(1, '\0')));
  CHECK_EQ(hash_id(std::string_view()), hash_id(""));
}

TEST(a_hash_reads_no_byte_beyond_the_id) {
  for (std::size_t n = 0; n <= 40; ++n) {
    const std::vector<char> exact(n, 'a');
    const std::string longer(n + 8, 'a');
    CHECK_EQ(hash_id({exact.data(), n}), hash_id(std::string_view(longer).substr(0, n)));
  }
}

TEST(ids_numbered_in_common_ways_scatter_over_the_table) {
  constexpr int kN = 1 << 15;
  Strings plain, padded, prefixed, suffixed, long_prefix, binary, high;
  for (int i = 0; i < kN; ++i) {
    const std::string number = std::to_string(i);
    plain.push_back(number);
    padded.push_back(std::string(10 - number.size(), '0') + number);
    prefixed.push_back("q" + number);
    suffixed.push_back(number + "-clueweb09-en0000");
    long_prefix.push_back("GX000-00-" + padded.back());
    binary.emplace_back(reinterpret_cast<const char*>(&i), sizeof i);
    high.push_back(std::string(4, '\0') + binary.back());
  }
  for (const Strings* ids : {&plain, &padded, &prefixed, &suffixed, &long_prefix, &binary, &high}) {
    CHECK(most_in_a_slot(*ids) < 12);
  }
}

TEST(ids_made_to_share_one_hash_do_not_share_it_in_an_index) {
  std::mt19937_64 random(5);
  Strings ids;
  for (int i = 0; i < 2000; ++i) ids.push_back(id_with_one_hash(random(), 0));
  for (const std::string& id : ids) CHECK_EQ(hash_id(id), hash_id(ids[0]));

  std::int64_t n_compared = 0;
  auto id_of = [&](std::int64_t k) {
    ++n_compared;
    return std::string_view(ids[static_cast<std::size_t>(k)]);
  };
  IdIndex index;
  for (std::int64_t k = 0; k < 2000; ++k) index.find_or_insert(ids[static_cast<std::size_t>(k)], k, id_of);
  CHECK(n_compared < 10);
}

TEST(ids_that_do_share_a_hash_are_told_apart_by_their_text) {
  IdIndex index;
  const std::uint64_t seed = std::uint64_t{reinterpret_cast<std::uintptr_t>(&index)} * 0xA0761D6478BD642F;
  Strings ids;
  for (std::uint64_t first = 0; first < 50; ++first) ids.push_back(id_with_one_hash(first, seed));
  for (const std::string& id : ids) CHECK_EQ(hash_id(id, seed), hash_id(ids[0], seed));
  std::int64_t n_compared = 0;
  auto id_of = [&](std::int64_t k) {
    ++n_compared;
    return std::string_view(ids[static_cast<std::size_t>(k)]);
  };
  for (std::int64_t k = 0; k < 50; ++k) CHECK_EQ(index.find_or_insert(ids[static_cast<std::size_t>(k)], k, id_of), k);
  for (std::int64_t k = 0; k < 50; ++k) CHECK_EQ(index.find(ids[static_cast<std::size_t>(k)], id_of), k);
  CHECK(n_compared > 1000);
}

TEST(a_set_numbers_ids_in_order_of_first_appearance) {
  std::mt19937 random(2);
  for (const unsigned distinct : {1U, 2U, 10U, 1000U, 1'000'000U}) {
    IdSet set;
    std::map<std::string, std::int64_t> expected;
    Strings order;
    for (const std::string& id : random_ids(random, 5000, distinct)) {
      const auto [entry, is_new] = expected.emplace(id, static_cast<std::int64_t>(expected.size()));
      if (is_new) order.push_back(id);
      CHECK_EQ(set.insert(id), entry->second);
    }
    CHECK_EQ(strings(set.ids().view()), order);
  }
}

TEST(a_set_can_be_cleared_or_emptied_and_filled_again) {
  IdSet set;
  for (const bool take : {false, true, false, true}) {
    CHECK_EQ(set.insert("a"), 0);
    CHECK_EQ(set.insert("b"), 1);
    CHECK_EQ(set.insert("a"), 0);
    if (take) {
      CHECK_EQ(strings(set.take().view()), (Strings{"a", "b"}));
    } else {
      set.clear();
    }
    CHECK_EQ(set.ids().size(), 0);
  }
}

TEST(the_empty_id_is_an_id_like_any_other) {
  IdSet set;
  CHECK_EQ(set.insert(std::string_view()), 0);
  CHECK_EQ(set.insert(""), 0);
  CHECK_EQ(set.insert("a"), 1);
  CHECK_EQ(set.insert(""), 0);
}

TEST(an_index_that_never_saw_an_id_finds_nothing) {
  IdIndex index;
  CHECK_EQ(index.find("a", [](std::int64_t) { return std::string_view(); }), -1);
  index.reset(0);
  CHECK_EQ(index.find("a", [](std::int64_t) { return std::string_view(); }), -1);
}

TEST(an_index_grows_beyond_the_ids_it_was_made_for) {
  const Strings texts = [] {
    Strings all;
    for (int i = 0; i < 5000; ++i) all.push_back("d" + std::to_string(i));
    return all;
  }();
  auto id_of = [&](std::int64_t k) { return std::string_view(texts[static_cast<std::size_t>(k)]); };
  IdIndex index;
  for (const std::size_t expected : check::Sizes{0, 1, 7, 8, 5000}) {
    index.reset(expected);
    for (std::int64_t k = 0; k < 5000; ++k) CHECK_EQ(index.find_or_insert(id_of(k), k, id_of), k);
    for (std::int64_t k = 0; k < 5000; ++k) CHECK_EQ(index.find(id_of(k), id_of), k);
    CHECK_EQ(index.find("d5000", id_of), -1);
  }
}

TEST(taken_ids_are_those_at_the_rows) {
  const Ids ids = ids_of({"a", "", "ccc"});
  CHECK_EQ(strings(take(ids.view(), std::vector<std::int64_t>{2, 2, 1, 0}).view()), (Strings{"ccc", "ccc", "", "a"}));
  CHECK_EQ(strings(take(ids.view(), {}).view()), Strings{});
  CHECK_EQ(strings(take(ids_of({"", ""}).view(), std::vector<std::int64_t>{1, 0}).view()), (Strings{"", ""}));
}

TEST(a_match_is_the_first_occurrence_of_an_id) {
  const Ids wanted = ids_of({"b", "x", "", "a"}), ids = ids_of({"a", "b", "a", "b", ""});
  std::vector<std::int64_t> numbers(4);
  match(wanted.view(), ids.view(), numbers);
  CHECK_EQ(numbers, (std::vector<std::int64_t>{1, -1, 4, 0}));
  match(wanted.view(), ids_of({}).view(), numbers);
  CHECK_EQ(numbers, (std::vector<std::int64_t>{-1, -1, -1, -1}));
}

TEST(first_rows_are_found_query_by_query_on_any_number_of_threads) {
  std::mt19937 random(3);
  const std::size_t n = 150'000;
  const Strings texts = random_ids(random, n, 300);
  const Ids ids = ids_of(texts);
  std::vector<std::int64_t> offsets{0};
  while (offsets.back() < static_cast<std::int64_t>(n)) {
    offsets.push_back(std::min(offsets.back() + static_cast<std::int64_t>(random() % 400), static_cast<std::int64_t>(n)));
  }
  std::vector<std::int64_t> expected(n);
  for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
    std::map<std::string, std::int64_t> seen;
    for (std::int64_t row = offsets[q]; row < offsets[q + 1]; ++row) {
      const auto r = static_cast<std::size_t>(row);
      expected[r] = seen.emplace(texts[r], row).first->second;
    }
  }
  for (const int n_threads : {1, 2, 4}) {
    std::vector<std::int64_t> first(n, -7);
    first_rows(ids.view(), offsets, first, n_threads);
    CHECK(first == expected);
  }
}

TEST(a_retrieved_document_has_the_label_it_was_judged_with) {
  // Judged: query 0 has a=1, b=2, a=3 (the first a counts); query 1 has a=4; query 2 is not in the run.
  const Ids judged = ids_of({"a", "b", "a", "a", "z"});
  const std::vector<std::int64_t> judged_offsets{0, 3, 4, 5}, run_query{1, 0, -1};
  const std::vector<double> judgments{1, 2, 3, 4, 5};
  const Ids retrieved = ids_of({"b", "a", "b", "x", "a", "z"});
  const std::vector<std::int64_t> retrieved_offsets{0, 2, 6};
  std::vector<double> labels(6, -1);
  judge(judged.view(), judged_offsets, judgments, retrieved.view(), retrieved_offsets, run_query, labels, 1);
  CHECK_EQ(labels, (std::vector<double>{-1, 4, 2, -1, 1, -1}));
}

TEST(judging_gives_the_same_labels_on_any_number_of_threads) {
  std::mt19937 random(4);
  const std::size_t n_queries = 400, n_per_query = 300;
  const Strings judged_texts = random_ids(random, n_queries * n_per_query, 1000);
  const Strings retrieved_texts = random_ids(random, n_queries * n_per_query, 1000);
  const Ids judged = ids_of(judged_texts), retrieved = ids_of(retrieved_texts);
  std::vector<std::int64_t> offsets, run_query;
  for (std::size_t q = 0; q <= n_queries; ++q) offsets.push_back(static_cast<std::int64_t>(q * n_per_query));
  for (std::size_t q = 0; q < n_queries; ++q)
    run_query.push_back(q % 7 == 0 ? -1 : static_cast<std::int64_t>(n_queries - 1 - q));
  std::vector<double> judgments(judged_texts.size());
  for (double& judgment : judgments) judgment = static_cast<double>(random() % 5);

  std::vector<double> expected(retrieved_texts.size(), -1);
  for (std::size_t q = 0; q < n_queries; ++q) {
    if (run_query[q] < 0) continue;
    std::map<std::string, double> known;
    for (std::size_t row = q * n_per_query; row < (q + 1) * n_per_query; ++row)
      known.emplace(judged_texts[row], judgments[row]);
    const auto other = static_cast<std::size_t>(run_query[q]);
    for (std::size_t row = other * n_per_query; row < (other + 1) * n_per_query; ++row) {
      if (known.contains(retrieved_texts[row])) expected[row] = known[retrieved_texts[row]];
    }
  }
  for (const int n_threads : {1, 2, 4}) {
    std::vector<double> labels(retrieved_texts.size(), -1);
    judge(judged.view(), offsets, judgments, retrieved.view(), offsets, run_query, labels, n_threads);
    CHECK(labels == expected);
  }
}
