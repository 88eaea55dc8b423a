"""Make cpp/include/idealrank/sigmoid/sigmoid_series.hpp: the logistic sigmoid as a short series in q = exp(-d), d >= 0.

Everything here is exact until a coefficient is rounded to a double. Run it to write the header again.

With T_K the Chebyshev polynomial, T*(q) = T_K(2 q - 1) and r = 2 T_K'(3) / T_K(3),

    e(q) = (-1)^K T*(q) (1 + r (1 + q)) / T_K(3)

has e(-1) = 1 and e'(-1) = 0, so that (1 - e(q)) / (1 + q)^2 is a polynomial: with its coefficients b_1 ... b_K,
sum_k b_k q^k differs from q / (1 + q)^2 by the factor 1 - e(q), and |e| <= (1 + 2 r) / T_K(3) on [0, 1]. This is the
acceleration of alternating series of Cohen, Rodriguez Villegas and Zagier (Experimental Mathematics 9, 2000).
"""

from fractions import Fraction
from pathlib import Path

HEADER = Path(__file__).parents[1] / "include" / "idealrank" / "sigmoid" / "sigmoid_series.hpp"
LENGTHS = (16, 20)

Polynomial = list[Fraction]  # coefficients of 1, q, q^2, ...


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    product = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product


def value(polynomial: Polynomial, q: Fraction) -> Fraction:
    """The value of a polynomial at q."""
    return sum((c * q**k for k, c in enumerate(polynomial)), Fraction(0))


def derivative(polynomial: Polynomial) -> Polynomial:
    """The derivative of a polynomial."""
    return [k * c for k, c in enumerate(polynomial)][1:]


def shifted_chebyshev(degree: int) -> Polynomial:
    """T_degree(2 q - 1)."""
    before, current = [Fraction(1)], [Fraction(-1), Fraction(2)]
    for _ in range(degree - 1):
        doubled = times([Fraction(-2), Fraction(4)], current)
        before, current = current, [c - (before[k] if k < len(before) else 0) for k, c in enumerate(doubled)]
    return current


def error(length: int) -> tuple[Polynomial, Fraction]:
    """The polynomial e(q), and the bound of |e| on [0, 1]."""
    chebyshev = shifted_chebyshev(length)
    at_minus_one = value(chebyshev, Fraction(-1))  # (-1)^K T_K(3)
    r = -value(derivative(chebyshev), Fraction(-1)) / at_minus_one
    e = times(chebyshev, [(1 + r) / at_minus_one, r / at_minus_one])
    return e, (1 + 2 * r) / abs(at_minus_one)


def slope_coefficients(length: int) -> Polynomial:
    """b_1 ... b_K: (1 - e(q)) divided by (1 + q)^2, without remainder."""
    remainder = [-c for c in error(length)[0]]
    remainder[0] += 1
    for _ in range(2):
        quotient: Polynomial = []
        carry = Fraction(0)
        for c in reversed(remainder):  # synthetic division by q + 1
            carry = c - carry
            quotient.append(carry)
        assert quotient.pop() == 0
        remainder = quotient[::-1]
    return remainder


def table(length: int) -> str:
    """The three columns of one length, in C++."""
    b = slope_coefficients(length)
    bound = float(error(length)[1])

    def column(name: str, numbers: Polynomial) -> str:
        rows = "\n".join(f"      {float(c)!r}," for c in numbers)
        return f"  static constexpr std::array<double, {length}> {name}{{\n{rows}\n  }};\n"

    return (
        f"template <>\nstruct SigmoidSeries<{length}> {{\n"
        f"  static constexpr double relative_error = {bound:.2g};\n"
        + column("slope", b)
        + column("tail", [c / k for k, c in enumerate(b, 1)])
        + column("softplus", [c / k**2 for k, c in enumerate(b, 1)])
        + "};\n"
    )


def header() -> str:
    """The whole file."""
    return (
        "// The logistic sigmoid as a short series in q = exp(-d), d >= 0; made by cpp/tables/sigmoid_series.py.\n"
        "#pragma once\n\n#include <array>\n#include <cstddef>\n\nnamespace idealrank {\n\n"
        "// For all d >= 0, to a relative error of `relative_error`; each is minus the derivative of the next by d:\n"
        "//   sigma'(d) = q / (1 + q)^2    = sum_k slope[k - 1] q^k\n"
        "//   sigma(-d) = q / (1 + q)      = sum_k tail[k - 1] q^k\n"
        "//   log(1 + exp(-d))             = sum_k softplus[k - 1] q^k\n"
        "// A power of q is an exponential of d, so that a sum over a sorted list follows from that of the neighbour.\n"
        "template <std::size_t K>\nstruct SigmoidSeries;\n\n"
        + "\n".join(table(length) for length in LENGTHS)
        + "\n}  // namespace idealrank\n"
    )


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
