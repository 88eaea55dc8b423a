// Ranks of short lists by counting: all pairs of so few are compared faster than they are sorted, and without a branch that
// depends on a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace idealrank {

inline constexpr std::size_t kShortList = 24;

// Into counts, how many of the values are less than each of them, where less(a, b) says whether a is less than b.
template <class Less>
void count_less(std::span<const double> values, std::array<std::uint32_t, kShortList>& counts, Less less) {
  const std::size_t n = values.size(), whole = (n + 3) / 4 * 4;
  // Counts are floating-point numbers, so that compilers compare and count whole vectors.
  std::array<double, kShortList> own{}, n_less{};
  std::copy(values.begin(), values.end(), own.begin());
  for (std::size_t j = 0; j < n; ++j) {
    const double one = own[j];
    for (std::size_t i = 0; i < whole; ++i) n_less[i] += less(one, own[i]) ? 1.0 : 0.0;
  }
  for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<std::uint32_t>(n_less[i]);
}

}  // namespace idealrank
