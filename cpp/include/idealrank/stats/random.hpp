// Random numbers for resampling. Each resample has its own stream, so that results do not depend on the threads.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "idealrank/wide_product.hpp"

namespace idealrank {

// SplitMix64's step: each bit of the result depends on all bits.
inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// xoshiro256++ (Blackman and Vigna 2021). SplitMix64 fills its state from a seed and the number of the stream.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t x = mixed(seed) ^ mixed(~stream);
    for (std::uint64_t& word : state_) word = mixed(x += 0x9E3779B97F4A7C15);
  }

  std::uint64_t operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // A uniformly distributed number below n (Lemire 2019).
  std::uint64_t below(std::uint64_t n) {
    WideProduct product = wide_product((*this)(), n);
    if (product.low < n) {
      const std::uint64_t least = (0 - n) % n;
      while (product.low < least) product = wide_product((*this)(), n);
    }
    return product.high;
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace idealrank
