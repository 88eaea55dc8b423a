// One number per line: scores, or the group sizes that LightGBM and XGBoost store next to a file without query ids.
#pragma once

#include <algorithm>
#include <cmath>

#include "idealrank/buffer.hpp"
#include "idealrank/text/number.hpp"
#include "idealrank/text/text.hpp"

namespace idealrank {

template <bool kCounts>
struct NumberLines {
  // An empty line is a missing number, hence an error.
  static constexpr bool kEveryLine = true;

  Buffer<double> values;

  void clear() { values.resize(0); }

  void read(Line& line) {
    double value = 0;
    const char* const stop = parse_double(line.position(), line.end(), value);
    const bool valid = kCounts ? value >= 0 && value == std::floor(value) && value <= 0x1p53 : std::isfinite(value);
    if (stop != line.end() || !valid) {
      line.fail_at(line.position(), kCounts ? "a line must be one group size, a whole number from 0"
                                            : "a line must be one score, a finite number");
    }
    values.push_back(value);
  }

  // Like Ids::make_room and put.
  std::size_t make_room(const NumberLines& other) {
    const std::size_t first = values.size();
    values.resize(first + other.values.size());
    return first;
  }
  void put(std::size_t first, const NumberLines& other) { std::ranges::copy(other.values.span(), values.data() + first); }
};

}  // namespace idealrank
