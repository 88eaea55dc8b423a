// The full 128-bit product of two 64-bit words.
#pragma once

#include <cstdint>

namespace idealrank {

struct WideProduct {
  std::uint64_t high, low;
};

inline WideProduct wide_product(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
  const std::uint64_t a_low = a & 0xFFFFFFFF, a_high = a >> 32, b_low = b & 0xFFFFFFFF, b_high = b >> 32;
  const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
  const std::uint64_t carry = a_low * b_high + (middle & 0xFFFFFFFF);
  return {a_high * b_high + (middle >> 32) + (carry >> 32), a * b};
#endif
}

}  // namespace idealrank
