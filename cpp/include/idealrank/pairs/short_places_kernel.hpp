// Places in a short list by counting: comparing all pairs of so few values is faster than sorting them,
// and no branch depends on a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "idealrank/isa/lanes.hpp"

#include "idealrank/isa/isa_begin.hpp"

// The place of a value is the number of greater values, plus the number of equal values before it. Both arrays are
// padded to a multiple of kLanes.
inline void count_places(const double* values, std::size_t n, double* places) {
  static constexpr std::array<double, 2 * kLanes> kOnes{0, 0, 0, 0, 1, 1, 1, 1};
  const Lanes zero = broadcast(0), one = broadcast(1);
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Lanes own = load(values + i);
    const std::size_t end = std::min(n, i + kLanes);
    Lanes above = zero, also_above = zero;
    std::size_t j = 0;
    for (; j < i; j += 2) {  // kLanes is even
      above += where(values[j] < own, zero, one);
      also_above += where(values[j + 1] < own, zero, one);
    }
    for (; j < end; ++j) {
      const Lanes later = load(kOnes.data() + (kLanes - 1 - (j - i)));  // 1 in the lanes after that of j
      above += where(values[j] > own, one, where(values[j] < own, zero, later));
    }
    for (; j < n; ++j) above += where(values[j] > own, one, zero);
    store(places + i, above + also_above);
  }
}

#include "idealrank/isa/isa_end.hpp"
