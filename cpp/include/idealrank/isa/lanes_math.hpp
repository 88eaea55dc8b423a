// exp and log of four doubles at once, accurate to a few units in the last place.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "idealrank/isa/lanes.hpp"

#include "idealrank/isa/isa_begin.hpp"

#ifdef IDEALRANK_VECTORS

// e^x for x <= 709; 0 if x < -708, where results would not be normal numbers.
IDEALRANK_INLINE Lanes exp(Lanes x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;  // 32 + 53 bits: k kLn2High is exact
  constexpr double kRound = 0x1.8p52;  // the low bits of the sum are the nearest integer
  const Lanes bounded = where(x > -709.0, x, broadcast(-709.0));
  const Lanes shifted = bounded * kLog2E + kRound;
  const Lanes k = shifted - kRound;
  const Lanes r = (bounded - k * kLn2High) - k * kLn2Low;  // |r| <= ln(2) / 2
  const Lanes r2 = r * r, r4 = r2 * r2;
  // Taylor series up to r^13, with a remainder below 5e-18, by Estrin's scheme.
  const Lanes low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const Lanes middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Lanes high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800)) +
                     r4 * (1.0 / 479001600 + r * (1.0 / 6227020800));
  const Lanes series = low + r4 * (middle + r4 * high);
  const LaneBits power = (bits_of(shifted) + 1023) << 52;
  return where(x < -708.0, broadcast(0), series * with_bits(power));
}

// The natural logarithm of positive normal numbers.
IDEALRANK_INLINE Lanes log(Lanes x) {
  constexpr std::int64_t kSqrtHalf = std::bit_cast<std::int64_t>(0.7071067811865476);
  constexpr std::int64_t kExponent = std::int64_t{0xFFF} << 52;
  // x = 2^e m, sqrt(1/2) <= m < sqrt(2)
  const LaneBits exponent = (bits_of(x) - kSqrtHalf) & kExponent;
  const Lanes m = with_bits(bits_of(x) - exponent);
  // Computes e by shifting it into the low bits of a double near 2^52, since integer vectors have no conversion.
  constexpr std::int64_t kLowest = std::int64_t{1024} << 52;
  constexpr double kTwo52 = 0x1p52;
  const Lanes e = with_bits(shifted_right<52>(exponent + kLowest) | std::bit_cast<std::int64_t>(kTwo52)) - (kTwo52 + 1024);
  // log m = 2 atanh(s), s = (m - 1) / (m + 1), s^2 < 0.0295
  const Lanes s = (m - 1.0) / (m + 1.0), s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
  const Lanes tail =
      ((1.0 / 3 + s2 * (1.0 / 5)) + s4 * (1.0 / 7 + s2 * (1.0 / 9))) +
      s8 * ((1.0 / 11 + s2 * (1.0 / 13)) + s4 * (1.0 / 15 + s2 * (1.0 / 17)) + s8 * (1.0 / 19 + s2 * (1.0 / 21)));
  return e * 0.6931471805599453 + 2.0 * (s + s * s2 * tail);
}

#else

inline Lanes exp(const Lanes& x) {
  Lanes y;
  for (std::size_t i = 0; i < kLanes; ++i) y[i] = x[i] < -708.0 ? 0.0 : std::exp(x[i]);
  return y;
}

inline Lanes log(const Lanes& x) {
  Lanes y;
  for (std::size_t i = 0; i < kLanes; ++i) y[i] = std::log(x[i]);
  return y;
}

#endif

#include "idealrank/isa/isa_end.hpp"
