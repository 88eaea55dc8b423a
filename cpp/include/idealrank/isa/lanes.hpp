// Four doubles at once: one vector register, or two, or a plain loop, as the instruction set and the compiler have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "idealrank/isa/isa_begin.hpp"

inline constexpr std::size_t kLanes = 4;

#if (defined(__GNUC__) || defined(__clang__)) && !defined(IDEALRANK_PLAIN_LANES)

#define IDEALRANK_INLINE inline __attribute__((always_inline))

typedef double Lanes __attribute__((vector_size(32)));
typedef std::int64_t LaneBits __attribute__((vector_size(32)));

IDEALRANK_INLINE Lanes broadcast(double x) { return Lanes{x, x, x, x}; }
IDEALRANK_INLINE Lanes where(LaneBits condition, Lanes yes, Lanes no) { return condition ? yes : no; }

// Lanes a, b, c, d of x (0 to 3) and y (4 to 7).
template <int a, int b, int c, int d>
IDEALRANK_INLINE Lanes shuffled(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, a, b, c, d);
}

#else

#define IDEALRANK_INLINE inline

template <class T>
struct FourOf {
  T lane[kLanes];
  T& operator[](std::size_t i) { return lane[i]; }
  const T& operator[](std::size_t i) const { return lane[i]; }
};
using Lanes = FourOf<double>;
using LaneBits = FourOf<bool>;

inline Lanes broadcast(double x) { return {{x, x, x, x}}; }

#define IDEALRANK_LANE_OPERATOR(Result, op)                                         \
  inline Result operator op(const Lanes& x, const Lanes& y) {                       \
    return {{x[0] op y[0], x[1] op y[1], x[2] op y[2], x[3] op y[3]}};              \
  }                                                                                 \
  inline Result operator op(const Lanes& x, double y) { return x op broadcast(y); } \
  inline Result operator op(double x, const Lanes& y) { return broadcast(x) op y; }
IDEALRANK_LANE_OPERATOR(Lanes, +)
IDEALRANK_LANE_OPERATOR(Lanes, -)
IDEALRANK_LANE_OPERATOR(Lanes, *)
IDEALRANK_LANE_OPERATOR(Lanes, /)
IDEALRANK_LANE_OPERATOR(LaneBits, <)
IDEALRANK_LANE_OPERATOR(LaneBits, >)
#undef IDEALRANK_LANE_OPERATOR

inline Lanes& operator+=(Lanes& x, const Lanes& y) { return x = x + y; }
inline Lanes& operator*=(Lanes& x, const Lanes& y) { return x = x * y; }
inline Lanes operator-(const Lanes& x) { return 0.0 - x; }

inline Lanes where(const LaneBits& condition, const Lanes& yes, const Lanes& no) {
  Lanes chosen;
  for (std::size_t i = 0; i < kLanes; ++i) chosen[i] = condition[i] ? yes[i] : no[i];
  return chosen;
}

template <std::size_t a, std::size_t b, std::size_t c, std::size_t d>
Lanes shuffled(const Lanes& x, const Lanes& y) {
  auto of = [&](std::size_t i) { return i < kLanes ? x[i] : y[i - kLanes]; };
  return {{of(a), of(b), of(c), of(d)}};
}

#endif

IDEALRANK_INLINE Lanes load(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

IDEALRANK_INLINE void store(double* to, Lanes x) { std::memcpy(to, &x, sizeof x); }

// The first `n` of four; `rest` in the others.
IDEALRANK_INLINE Lanes load_some(const double* from, std::size_t n, double rest) {
  Lanes x = broadcast(rest);
  std::memcpy(&x, from, n * sizeof(double));
  return x;
}

IDEALRANK_INLINE void store_some(double* to, Lanes x, std::size_t n) { std::memcpy(to, &x, n * sizeof(double)); }

IDEALRANK_INLINE double sum(Lanes x) { return (x[0] + x[2]) + (x[1] + x[3]); }

// The nearest whole numbers, |x| < 2^51.
IDEALRANK_INLINE Lanes rounded(Lanes x) {
  constexpr double kRound = 0x1.8p52;
  return (x + kRound) - kRound;
}

// Rows become columns.
IDEALRANK_INLINE void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab0 = shuffled<0, 4, 2, 6>(a, b), ab1 = shuffled<1, 5, 3, 7>(a, b);
  const Lanes cd0 = shuffled<0, 4, 2, 6>(c, d), cd1 = shuffled<1, 5, 3, 7>(c, d);
  a = shuffled<0, 1, 4, 5>(ab0, cd0);
  b = shuffled<0, 1, 4, 5>(ab1, cd1);
  c = shuffled<2, 3, 6, 7>(ab0, cd0);
  d = shuffled<2, 3, 6, 7>(ab1, cd1);
}

// The sums of four.
IDEALRANK_INLINE Lanes sums(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = shuffled<0, 4, 2, 6>(a, b) + shuffled<1, 5, 3, 7>(a, b);
  const Lanes cd = shuffled<0, 4, 2, 6>(c, d) + shuffled<1, 5, 3, 7>(c, d);
  return shuffled<0, 1, 4, 5>(ab, cd) + shuffled<2, 3, 6, 7>(ab, cd);
}

#include "idealrank/isa/isa_end.hpp"
