// The discount of each rank of one list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "idealrank/measure/measure.hpp"

namespace idealrank {

// discounts[r - 1] = D(r) for a list of discounts.size() documents; 0 beyond the first `depth` ranks
// and beyond the end of a table.
inline void fill_discounts(const Discount& discount, std::int64_t depth, std::span<double> discounts) {
  const std::size_t n = discounts.size();
  const std::size_t end = std::min({n, static_cast<std::size_t>(depth), discount.linear ? n : discount.weights.size()});
  for (std::size_t p = 0; p < end; ++p)
    discounts[p] = discount.linear ? static_cast<double>(n - 1 - p) : discount.weights[p];
  std::fill(discounts.begin() + static_cast<std::ptrdiff_t>(end), discounts.end(), 0.0);
}

}  // namespace idealrank
