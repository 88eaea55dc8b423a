// Documents by score: stable descending order, and runs of equal scores.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// The bits of a score, rearranged so that smaller keys are higher scores. 0.0 and -0.0 have the same key.
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

// A key with an index attached.
struct KeyedIndex {
  std::uint64_t key;
  std::uint32_t index;
};
inline std::uint64_t key_of(std::uint64_t key) { return key; }
inline std::uint64_t key_of(const KeyedIndex& item) { return item.key; }

// Sorts long lists of keys, or of items with keys, reusing its memory.
template <class Item>
class RadixSort {
 public:
  explicit RadixSort(const Stop& stop = {}) : stop_(stop) {}

  // Ascending and stable. Goes from the least significant digit up; a digit that all keys share is skipped.
  void operator()(std::vector<Item>& items) {
    const std::size_t n = items.size();
    if (n < 2) return;
    stoppable_resize(spare_, n, stop_);
    counts_.assign(kDigits * kBuckets, 0);
    for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        for (int d = 0; d < kDigits; ++d) ++counts_[static_cast<std::size_t>(d) * kBuckets + digit(items[i], d)];
      }
    });
    for (int d = 0; d < kDigits; ++d) {
      const std::span<std::uint32_t> counts(counts_.data() + static_cast<std::size_t>(d) * kBuckets, kBuckets);
      if (counts[digit(items[0], d)] == n) continue;
      std::uint32_t start = 0;
      for (std::uint32_t& count : counts) start += std::exchange(count, start);
      for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) spare_[counts[digit(items[i], d)]++] = items[i];
      });
      items.swap(spare_);
    }
  }

 private:
  static constexpr int kDigitBits = 11;
  static constexpr int kDigits = 6;
  static constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

  static std::size_t digit(const Item& item, int d) { return (key_of(item) >> (d * kDigitBits)) & (kBuckets - 1); }

  Stop stop_;
  std::vector<Item> spare_;
  std::vector<std::uint32_t> counts_;
};

// From this many documents on, radix sort is the fastest.
inline constexpr std::size_t kRadixFrom = 2048;

// Orders long lists, reusing its memory.
class RadixOrder {
 public:
  explicit RadixOrder(const Stop& stop = {}) : stop_(stop), sort_(stop) {}

  // Sets order[r] to the index, in [0, n), of the document at rank r + 1. Equal scores stay in input order.
  void operator()(std::span<const double> scores, std::span<std::uint32_t> order) {
    const std::size_t n = scores.size();
    stoppable_resize(items_, n, stop_);
    for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) items_[i] = {descending_key(scores[i]), static_cast<std::uint32_t>(i)};
    });
    sort_(items_);
    for_each_part(n, stop_, [&](std::size_t r, std::size_t last) {
      for (; r < last; ++r) order[r] = items_[r].index;
    });
  }

 private:
  Stop stop_;
  std::vector<KeyedIndex> items_;
  RadixSort<KeyedIndex> sort_;
};

// Sorts numbers, highest first.
class DescendingSort {
 public:
  explicit DescendingSort(const Stop& stop = {}) : stop_(stop), sort_(stop) {}

  void operator()(std::span<double> values) {
    if (values.size() < kRadixFrom) {
      std::sort(values.begin(), values.end(), std::greater<>());
      return;
    }
    stoppable_resize(keys_, values.size(), stop_);
    for_each_part(values.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) keys_[i] = descending_key(values[i]);
    });
    sort_(keys_);
    for_each_part(values.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) values[i] = score_of(keys_[i]);
    });
  }

 private:
  Stop stop_;
  std::vector<std::uint64_t> keys_;
  RadixSort<std::uint64_t> sort_;
};

// Calls run(first, last) for every maximal run of equal scores, with ranks [first, last) counted from 0.
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
