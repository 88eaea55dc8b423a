#include "idealrank/sort/small_sort.hpp"

#include <random>

#include "check.hpp"

using idealrank::SmallSort;

namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

Words sorted(SmallSort& sort, Words words) {
  sort(words);
  return words;
}

Words expected_order(Words words) {
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

TEST(all_zeros_and_ones_of_one_run_are_sorted) {
  // A sorting network that sorts all of these sorts everything (the 0-1 principle).
  SmallSort sort;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    Words words;
    for (unsigned i = 0; i < 8; ++i) words.push_back(pattern >> i & 1);
    CHECK_EQ(sorted(sort, words), expected_order(words));
  }
}

TEST(random_words_of_every_length_are_sorted) {
  std::mt19937_64 random(1);
  SmallSort sort;
  for (std::size_t n = 0; n <= 300; ++n) {
    for (const std::uint64_t range : {std::uint64_t{2}, std::uint64_t{50}, kMost}) {
      Words words(n);
      for (std::uint64_t& word : words) word = random() % range;
      CHECK_EQ(sorted(sort, words), expected_order(words));
    }
  }
  for (const std::size_t n : check::Sizes{1023, 1024, 1025, 2047, 5000, 3, 0}) {
    Words words(n);
    for (std::uint64_t& word : words) word = random();
    CHECK(sorted(sort, words) == expected_order(words));
  }
}

TEST(sorted_and_reversed_words_are_sorted) {
  SmallSort sort;
  for (const std::size_t n : check::Sizes{7, 8, 9, 15, 16, 17, 100, 1000}) {
    Words words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = i;
    CHECK_EQ(sorted(sort, words), expected_order(words));
    std::reverse(words.begin(), words.end());
    CHECK_EQ(sorted(sort, words), expected_order(words));
  }
}

TEST(the_highest_word_is_sorted_like_any_other) {
  SmallSort sort;
  for (std::size_t n = 1; n <= 40; ++n) {
    Words words(n, kMost);
    words[n / 2] = 5;
    CHECK_EQ(sorted(sort, words), expected_order(words));
  }
}
