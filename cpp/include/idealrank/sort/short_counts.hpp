// Ranks in short lists by counting: comparing all pairs of so few values is faster than sorting them, and needs no
// branch that depends on a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace idealrank {

inline constexpr std::size_t kShortList = 24;

// Sets counts[i] to the number of values that are less than values[i], where less(a, b) says whether a is less than b.
template <class Less>
void count_less(std::span<const double> values, std::array<std::uint32_t, kShortList>& counts, Less less) {
  const std::size_t n = values.size();
  std::array<double, kShortList> own{};
  std::copy(values.begin(), values.end(), own.begin());
#if defined(__GNUC__) || defined(__clang__)
  typedef double Two __attribute__((vector_size(16)));  // compilers would convert each comparison, or not vectorize
  for (std::size_t i = 0; i < n; i += 4) {
    const Two first{own[i], own[i + 1]}, second{own[i + 2], own[i + 3]};
    auto n_first = less(first, first), n_second = n_first;  // 0: no number is less than itself
    for (std::size_t j = 0; j < n; ++j) {
      const Two one{own[j], own[j]};
      n_first -= less(one, first);  // a true comparison is -1
      n_second -= less(one, second);
    }
    for (std::size_t lane = 0; lane < 2; ++lane) {
      counts[i + lane] = static_cast<std::uint32_t>(n_first[lane]);
      counts[i + 2 + lane] = static_cast<std::uint32_t>(n_second[lane]);
    }
  }
#else
  for (std::size_t i = 0; i < n; ++i) {
    counts[i] = static_cast<std::uint32_t>(
        std::count_if(own.begin(), own.begin() + n, [&](double one) { return less(one, own[i]); }));
  }
#endif
}

}  // namespace idealrank
