// Documents by score: stable descending order, and runs of equal scores.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// A score's bits, arranged so that smaller keys are higher scores; 0.0 and -0.0 have the same key.
inline std::uint64_t descending_key(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
  const std::uint64_t ascending = (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
  return ~ascending;
}

// The score of a key.
inline double score_of(std::uint64_t descending) {
  const std::uint64_t ascending = ~descending;
  return std::bit_cast<double>((ascending >> 63) != 0 ? ascending & ~(std::uint64_t{1} << 63) : ~ascending);
}

// Sorts long lists, one after the other, without allocating again.
class RadixOrder {
 public:
  explicit RadixOrder(const Stop& stop = {}) : stop_(stop) {}

  // order[r] becomes the index, in [0, n), of the document at rank r + 1; equal scores stay in input order.
  void operator()(std::span<const double> scores, std::span<std::uint32_t> order) {
    const std::size_t n = scores.size();
    stoppable_resize(items_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) items_[i] = {descending_key(scores[i]), static_cast<std::uint32_t>(i)};
    });
    if (n > 1) radix_sort();
    for_each_part(n, stop_, [&](std::size_t r, std::size_t last) {
      for (; r < last; ++r) order[r] = items_[r].index;
    });
  }

 private:
  struct Item {
    std::uint64_t key;
    std::uint32_t index;
  };
  static constexpr int kDigitBits = 11;
  static constexpr int kDigits = 6;
  static constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

  static std::size_t digit(std::uint64_t key, int d) { return (key >> (d * kDigitBits)) & (kBuckets - 1); }

  // Least significant digit first, which is stable. A digit that all keys share is skipped.
  void radix_sort() {
    const std::size_t n = items_.size();
    stoppable_resize(spare_, n, stop_);
    counts_.assign(kDigits * kBuckets, 0);
    for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        for (int d = 0; d < kDigits; ++d) ++counts_[static_cast<std::size_t>(d) * kBuckets + digit(items_[i].key, d)];
      }
    });
    for (int d = 0; d < kDigits; ++d) {
      const std::span<std::uint32_t> counts(counts_.data() + static_cast<std::size_t>(d) * kBuckets, kBuckets);
      if (counts[digit(items_[0].key, d)] == n) continue;
      std::uint32_t start = 0;
      for (std::uint32_t& count : counts) start += std::exchange(count, start);
      for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) spare_[counts[digit(items_[i].key, d)]++] = items_[i];
      });
      items_.swap(spare_);
    }
  }

  Stop stop_;
  std::vector<Item> items_;
  std::vector<Item> spare_;
  std::vector<std::uint32_t> counts_;
};

// Calls run(first, last) for every maximal run of equal scores, as ranks [first, last) counted from 0.
template <class Run>
void for_each_tie_run(std::span<const double> scores, std::span<const std::uint32_t> order, Run&& run) {
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && scores[order[last]] == scores[order[first]]) ++last;
    run(first, last);
    first = last;
  }
}

}  // namespace idealrank
