// Sorts up to several hundred 64-bit words without a branch that depends on them: lists are short, and a mispredicted branch
// costs as much as ten comparisons.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace idealrank {

class SmallSort {
 public:
  // Sorts `words` in ascending order.
  void operator()(std::vector<std::uint64_t>& words) {
    const std::size_t n = words.size();
    const std::size_t padded = (n + kRun - 1) / kRun * kRun;
    words.resize(padded, std::numeric_limits<std::uint64_t>::max());
    spare_.resize(padded);
    for (std::size_t i = 0; i < padded; i += kRun) sort_run(words.data() + i);

    std::uint64_t* from = words.data();
    std::uint64_t* to = spare_.data();
    for (std::size_t width = kRun; width < padded; width *= 2) {
      std::size_t i = 0;
      for (; i + 2 * width <= padded; i += 2 * width) merge_equal(from + i, width, to + i);
      if (i + width < padded) {
        std::merge(from + i, from + i + width, from + i + width, from + padded, to + i);
      } else {
        std::copy(from + i, from + padded, to + i);
      }
      std::swap(from, to);
    }
    if (from != words.data()) words.swap(spare_);
    words.resize(n);
  }

 private:
  static constexpr std::size_t kRun = 8;

  static void order(std::uint64_t& a, std::uint64_t& b) {
    const std::uint64_t low = a < b ? a : b, high = a < b ? b : a;
    a = low;
    b = high;
  }

  // Batcher's odd-even network for 8 words: 19 exchanges.
  static void sort_run(std::uint64_t* w) {
    constexpr unsigned char kPairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
                                             {0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
    for (const auto& pair : kPairs) order(w[pair[0]], w[pair[1]]);
  }

  // Merges two sorted runs of the same width from both ends at once, so that neither run can be exhausted early.
  static void merge_equal(const std::uint64_t* from, std::size_t width, std::uint64_t* to) {
    const std::uint64_t *left = from, *right = from + width, *left_end = right - 1, *right_end = right + width - 1;
    std::uint64_t* to_end = to + 2 * width - 1;
    for (std::size_t i = 0; i < width; ++i) {
      const bool take_right = *right < *left;
      *to++ = take_right ? *right : *left;
      right += take_right;
      left += !take_right;
      const bool take_left = *right_end < *left_end;
      *to_end-- = take_left ? *left_end : *right_end;
      left_end -= take_left;
      right_end -= !take_left;
    }
  }

  std::vector<std::uint64_t> spare_;
};

}  // namespace idealrank
