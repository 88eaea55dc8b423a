#include "idealrank/sort/word_sort.hpp"

#include <algorithm>
#include <random>

#include "check.hpp"

using idealrank::WordSort;

TEST(words_are_sorted_by_their_keys_and_then_by_their_indices) {
  std::mt19937_64 random(3);
  WordSort sort;
  for (const std::size_t n : check::Sizes{0, 1, 2, 9, 1000, 1024, 1025, 5000}) {
    for (const int n_bits : {1, 2, 11, 12, 22, 23, 31, 32}) {
      std::vector<std::uint64_t> words(n);
      for (std::size_t i = 0; i < n; ++i) words[i] = ((random() >> (64 - n_bits)) << 32) | i;
      std::vector<std::uint64_t> expected = words;
      std::sort(expected.begin(), expected.end());
      sort(words, n_bits);
      CHECK(words == expected);
    }
  }
}
