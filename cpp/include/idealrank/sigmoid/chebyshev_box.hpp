// Interpolation at 8 Chebyshev points of [-1, 1], and the conversion from values to polynomials.
#pragma once

#include <array>
#include <cstddef>

namespace idealrank {

inline constexpr std::size_t kNodes = 8;

// cos((2 j + 1) pi / 16), ascending.
inline constexpr std::array<double, kNodes> kChebyshevNodes{-0.9807852804032304,  -0.8314696123025452, -0.5555702330196022,
                                                            -0.19509032201612828, 0.19509032201612828, 0.5555702330196022,
                                                            0.8314696123025452,   0.9807852804032304};

// kLagrange[k][j]: coefficient of u^k in the polynomial of degree 7 that is 1 at node j and 0 at the others.
inline constexpr std::array<std::array<double, kNodes>, kNodes> kLagrange = [] {
  std::array<std::array<double, kNodes>, kNodes> table{};
  for (std::size_t j = 0; j < kNodes; ++j) {
    std::array<double, kNodes> polynomial{1};  // product of (u - node) / (node_j - node) over all other nodes
    std::size_t degree = 0;
    for (std::size_t m = 0; m < kNodes; ++m) {
      if (m == j) continue;
      const double scale = 1 / (kChebyshevNodes[j] - kChebyshevNodes[m]);
      ++degree;
      for (std::size_t k = degree + 1; k-- > 0;) {
        polynomial[k] = ((k > 0 ? polynomial[k - 1] : 0) - kChebyshevNodes[m] * polynomial[k]) * scale;
      }
    }
    for (std::size_t k = 0; k < kNodes; ++k) table[k][j] = polynomial[k];
  }
  return table;
}();

}  // namespace idealrank
