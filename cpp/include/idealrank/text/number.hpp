// Parses decimal text to double exactly as Python's float() does, except for underscores and surrounding blanks.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace idealrank {

inline constexpr double kPowersOf10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

namespace detail {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the text at p begins with `word`, which must be in lower case. Ignores case.
inline bool begins_with(const char* p, const char* end, std::string_view word) {
  if (static_cast<std::size_t>(end - p) < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if ((p[i] | 0x20) != word[i]) return false;
  }
  return true;
}

// For a number that is too large or too small for a double: the position of its leading digit tells which of the two it is.
inline double out_of_range(const char* p, const char* end) {
  std::int64_t exponent = 0;
  bool point = false, leading = false;
  for (; p < end && (*p | 0x20) != 'e'; ++p) {
    if (*p == '.') {
      point = true;
    } else {
      leading = leading || *p != '0';
      if (leading && !point) ++exponent;
      if (!leading && point) --exponent;
    }
  }
  if (p < end) {
    ++p;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    std::int64_t written = 0;
    for (; p < end && written < 1'000'000'000'000; ++p) written = 10 * written + (*p - '0');
    exponent += negative ? -written : written;
  }
  return exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

#ifdef __wasi__
// The standard library of WASI has no from_chars for doubles. Its strtod rounds correctly and ignores
// locales, but would accept more forms.
inline std::from_chars_result decimal_from_chars(const char* p, const char* end, double& value) {
  const char* last = p;
  bool has_digit = false;
  auto digits = [&] {
    const char* const start = last;
    while (last < end && is_digit(*last)) ++last;
    return last > start;
  };
  has_digit = digits();
  if (last < end && *last == '.') {
    ++last;
    has_digit = digits() || has_digit;
  }
  if (!has_digit) return {p, std::errc::invalid_argument};
  if (const char* const mantissa_end = last; last < end && (*last | 0x20) == 'e') {
    ++last;
    if (last < end && (*last == '-' || *last == '+')) ++last;
    if (!digits()) last = mantissa_end;
  }
  value = std::strtod(std::string(p, last).c_str(), nullptr);
  return {last, std::errc()};
}
#else
inline std::from_chars_result decimal_from_chars(const char* p, const char* end, double& value) {
  return std::from_chars(p, end, value, std::chars_format::general);
}
#endif

inline const char* parse_magnitude_slowly(const char* p, const char* end, double& value) {
  if (begins_with(p, end, "inf")) {
    value = std::numeric_limits<double>::infinity();
    return p + (begins_with(p, end, "infinity") ? 8 : 3);
  }
  if (begins_with(p, end, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
    return p + 3;
  }
  if (p == end || !(is_digit(*p) || *p == '.')) return nullptr;  // from_chars would accept a sign or nan(1) here
  const auto [stop, status] = decimal_from_chars(p, end, value);
  if (status == std::errc::invalid_argument) return nullptr;
  if (status == std::errc::result_out_of_range) value = out_of_range(p, stop);
  return stop;
}

}  // namespace detail

// Parses the number at p and returns where it ends, or nullptr if there is none. The caller
// decides what may follow a number.
inline const char* parse_double(const char* p, const char* end, double& value) {
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;

  // Up to 15 digits are an integer below 2^53, and powers up to 10^22 are exact, so one division rounds once, and correctly.
  const char* const start = p;
  std::uint64_t digits = 0;
  while (p < end && detail::is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t n_digits = p - start, n_decimals = 0;
  if (p < end && *p == '.') {
    const char* const point = p++;
    while (p < end && detail::is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
    n_decimals = p - point - 1;
    n_digits += n_decimals;
  }
  if (n_digits >= 1 && n_digits <= 15 && (p == end || (*p | 0x20) != 'e')) {
    value = static_cast<double>(digits) / kPowersOf10[n_decimals];
  } else {
    p = detail::parse_magnitude_slowly(start, end, value);
    if (p == nullptr) return nullptr;
  }
  if (negative) value = -value;
  return p;
}

}  // namespace idealrank
