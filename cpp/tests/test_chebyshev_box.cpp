#include "idealrank/sigmoid/chebyshev_box.hpp"

#include <cmath>

#include "check.hpp"

using idealrank::kChebyshevNodes;
using idealrank::kLagrange;
using idealrank::kNodes;

namespace {

double basis(std::size_t j, double u) {
  double value = 0;
  for (std::size_t k = kNodes; k-- > 0;) value = value * u + kLagrange[k][j];
  return value;
}

}  // namespace

TEST(the_nodes_are_those_of_chebyshev) {
  for (std::size_t j = 0; j < kNodes; ++j) {
    CHECK(std::fabs(kChebyshevNodes[j] + std::cos((2 * static_cast<double>(j) + 1) * std::acos(-1.0) / 16)) < 1e-15);
  }
}

TEST(each_basis_polynomial_is_one_at_its_node_and_zero_at_the_others) {
  for (std::size_t j = 0; j < kNodes; ++j) {
    for (std::size_t m = 0; m < kNodes; ++m) CHECK(std::fabs(basis(j, kChebyshevNodes[m]) - (j == m ? 1 : 0)) < 1e-13);
  }
}

TEST(polynomials_of_degree_7_are_interpolated_exactly) {
  for (const double u : {-1.0, -0.3, 0.0, 0.7, 1.0}) {
    double value = 0;
    for (std::size_t j = 0; j < kNodes; ++j) value += std::pow(kChebyshevNodes[j], 7) * basis(j, u);
    CHECK(std::fabs(value - std::pow(u, 7)) < 1e-13);
  }
}
