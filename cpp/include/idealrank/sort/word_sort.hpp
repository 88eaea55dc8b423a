// Sorts 64-bit words by some of their high bits: a key in the high half, with an index attached in the low half.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "idealrank/sort/small_sort.hpp"
#include "idealrank/stop.hpp"

namespace idealrank {

class WordSort {
 public:
  explicit WordSort(const Stop& stop = {}) : stop_(stop) {}

  // Ascending by the `n_bits` <= 32 bits above the low 32, which hold an index. Equal keys keep their
  // order, or are ordered by index.
  void operator()(std::vector<std::uint64_t>& words, int n_bits) {
    if (words.size() <= kSmallUpTo) {
      small_(words);
      return;
    }
    const int n_digits = (n_bits + kDigitBits - 1) / kDigitBits;
    const int digit_bits = (n_bits + n_digits - 1) / n_digits;
    const std::size_t n_buckets = std::size_t{1} << digit_bits;
    auto digit = [&](std::uint64_t word, int d) { return (word >> (32 + d * digit_bits)) & (n_buckets - 1); };
    for (auto& counts : counts_) counts.fill(0);
    for_each_part(words.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        for (int d = 0; d < n_digits; ++d) ++counts_[static_cast<std::size_t>(d)][digit(words[i], d)];
      }
    });
    stoppable_resize(spare_, words.size(), stop_);
    for (int d = 0; d < n_digits; ++d) {
      auto& counts = counts_[static_cast<std::size_t>(d)];
      std::uint32_t start = 0;
      for (std::size_t b = 0; b < n_buckets; ++b) start += std::exchange(counts[b], start);
      for_each_part(words.size(), stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) spare_[counts[digit(words[i], d)]++] = words[i];
      });
      words.swap(spare_);
    }
  }

 private:
  static constexpr std::size_t kSmallUpTo = 1024;
  static constexpr int kDigitBits = 11;

  Stop stop_;
  SmallSort small_;
  std::vector<std::uint64_t> spare_;
  std::array<std::array<std::uint32_t, std::size_t{1} << kDigitBits>, 3> counts_;
};

}  // namespace idealrank
