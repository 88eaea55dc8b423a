// Formats rows as text that parses to the same numbers.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "idealrank/text/ids.hpp"
#include "idealrank/text/number.hpp"

namespace idealrank {

template <class Number>
void append_number(std::string& text, Number value) {
  char digits[64];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Appends the shortest text that parses to the same float, even if parsed as a double first. The shortest text for float
// alone could be so close to the midpoint of two floats that rounding twice gives the wrong one.
inline void append_feature(std::string& text, float value) {
  const std::size_t start = text.size();
  append_number(text, value);
  double again = 0;
  if (parse_double(text.data() + start, text.data() + text.size(), again) == nullptr || static_cast<float>(again) != value) {
    text.resize(start);
    append_number(text, static_cast<double>(value));
  }
}

// Appends ` id:value` for the feature in `column`, counted from 0. NaN is written as NULL.
inline void append_entry(std::string& text, std::size_t column, float value) {
  text += ' ';
  append_number(text, column + 1);
  text += ':';
  if (std::isnan(value)) {
    text += "NULL";
  } else {
    append_feature(text, value);
  }
}

}  // namespace idealrank
