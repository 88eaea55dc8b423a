// Rows back to text that reads as the same numbers.
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

// The shortest text that a reader who goes through double turns into the same float again. The shortest for float alone
// could lie so close to the middle of two floats that rounding twice goes astray.
inline void append_feature(std::string& text, float value) {
  const std::size_t start = text.size();
  append_number(text, value);
  double again = 0;
  if (parse_double(text.data() + start, text.data() + text.size(), again) == nullptr || static_cast<float>(again) != value) {
    text.resize(start);
    append_number(text, static_cast<double>(value));
  }
}

// ` id:value` of the feature in `column`, counted from 0; NaN as NULL.
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
