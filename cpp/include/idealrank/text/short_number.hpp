// Parses numbers of up to 15 characters without a branch on their lengths: in a file of features these are nearly random,
// and a mispredicted branch costs more than parsing a number.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "idealrank/text/number.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace idealrank {

#if defined(__SSE2__)

// parse_short_number may read this many bytes before p, and from p on.
inline constexpr std::ptrdiff_t kShortNumberBefore = 17, kShortNumberRoom = 17;

// Parses the number at p like parse_double if it is short, has plain decimal digits, and is followed by a
// blank; otherwise returns nullptr.
inline const char* parse_short_number(const char* p, double& value) {
  const auto load = [](const char* from) {
    __m128i bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
  };
  const auto bits = [](__m128i lanes) { return static_cast<unsigned>(_mm_movemask_epi8(lanes)); };
  const __m128i zeros = _mm_set1_epi8('0');

  const __m128i text = load(p);
  const __m128i from_zero = _mm_sub_epi8(text, zeros);
  const unsigned are_digits = bits(_mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero));
  const unsigned are_points = bits(_mm_cmpeq_epi8(text, _mm_set1_epi8('.')));
  const unsigned negative = *p == '-' ? 1 : 0;
  const auto size = static_cast<unsigned>(std::countr_one(are_digits | are_points | negative));  // length, up to 16
  const unsigned inside = (1U << size) - 1;
  const unsigned points = are_points & inside;
  const bool plain =
      (p[size] == ' ' || p[size] == '\t') && size < 16 && (points & (points - 1)) == 0 && (are_digits & inside) != 0;
  if (!plain) return nullptr;

  const unsigned has_point = points != 0 ? 1 : 0;
  const unsigned n_digits = size - negative - has_point;
  const unsigned n_decimals = size - 1 - static_cast<unsigned>(std::countr_zero(points | (1U << (size - 1))));

  // Right-align the digits in 16 lanes: decimals as they are, and the other digits one lane to
  // the right if there is a point.
  alignas(32) static constexpr unsigned char kRamp[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                                          0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                                          255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const auto last = [&](unsigned n) { return load(reinterpret_cast<const char*>(kRamp) + n); };  // the last n lanes
  const char* const end = p + size;
  const __m128i decimals = _mm_and_si128(_mm_sub_epi8(load(end - 16), zeros), last(n_decimals));
  const __m128i others =
      _mm_and_si128(_mm_sub_epi8(load(end - 16 - has_point), zeros), _mm_andnot_si128(last(n_decimals), last(n_digits)));
  const __m128i digits = _mm_or_si128(decimals, others);

  // Join neighbors four times: 1, 2, 4, 8, 16 digits per lane.
  const __m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xFF)), _mm_set1_epi16(10));
  const __m128i by_2 = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8));
  const __m128i by_4 = _mm_madd_epi16(by_2, _mm_set1_epi32(100 | 1 << 16));
  const __m128i by_8 = _mm_madd_epi16(_mm_packs_epi32(by_4, by_4), _mm_set1_epi32(10000 | 1 << 16));
  std::uint32_t halves[4];
  std::memcpy(halves, &by_8, sizeof halves);
  const std::int64_t whole = std::int64_t{halves[0]} * 100'000'000 + halves[1];

  // As in parse_double, both are exact, so that the division rounds only once.
  constexpr double kSigns[] = {1, -1};
  value = kSigns[negative] * (static_cast<double>(whole) / kPowersOf10[n_decimals]);
  return end;
}

#else

inline constexpr std::ptrdiff_t kShortNumberBefore = 0, kShortNumberRoom = 0;

inline const char* parse_short_number(const char*, double&) { return nullptr; }

#endif

}  // namespace idealrank
