// Four doubles at once: one vector register, two, or a plain loop, depending on the instruction set and the compiler. Plain
// loops do not support the operations on bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "idealrank/isa/isa_begin.hpp"

inline constexpr std::size_t kLanes = 4;

#if (defined(__GNUC__) || defined(__clang__)) && !defined(IDEALRANK_PLAIN_LANES)
#define IDEALRANK_VECTORS
#define IDEALRANK_INLINE inline __attribute__((always_inline))
#else
#define IDEALRANK_INLINE inline
#endif

#if defined(IDEALRANK_VECTORS) && defined(IDEALRANK_V3)

typedef double Lanes __attribute__((vector_size(32)));
typedef std::int64_t LaneBits __attribute__((vector_size(32)));

IDEALRANK_INLINE Lanes four(double a, double b, double c, double d) { return Lanes{a, b, c, d}; }
IDEALRANK_INLINE Lanes where(LaneBits condition, Lanes yes, Lanes no) { return condition ? yes : no; }
IDEALRANK_INLINE LaneBits bits_of(Lanes x) { return reinterpret_cast<LaneBits>(x); }
IDEALRANK_INLINE Lanes with_bits(LaneBits bits) { return reinterpret_cast<Lanes>(bits); }

// Shifts in zeros from above.
template <int by>
IDEALRANK_INLINE LaneBits shifted_right(LaneBits bits) {
  typedef std::uint64_t Unsigned __attribute__((vector_size(32)));
  return reinterpret_cast<LaneBits>(reinterpret_cast<Unsigned>(bits) >> by);
}

// Lanes a, b, c, d of x (0 to 3) and y (4 to 7).
template <int a, int b, int c, int d>
IDEALRANK_INLINE Lanes shuffled(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, a, b, c, d);
}

#elif defined(IDEALRANK_VECTORS)

// Two vectors of 16 bytes, as these instruction sets have them. A vector of 32 bytes would mean the same, but compilers then
// go through memory at every other step.
template <class Half>
struct TwoOf {
  Half low, high;
  auto operator[](std::size_t i) const { return i < 2 ? low[i] : high[i - 2]; }
};
typedef double HalfLanes __attribute__((vector_size(16)));
typedef std::int64_t HalfBits __attribute__((vector_size(16)));
using Lanes = TwoOf<HalfLanes>;
using LaneBits = TwoOf<HalfBits>;

#define IDEALRANK_LANE_OPERATOR(Result, Given, Number, op)                                             \
  IDEALRANK_INLINE Result operator op(Given x, Given y) { return {x.low op y.low, x.high op y.high}; } \
  IDEALRANK_INLINE Result operator op(Given x, Number y) { return {x.low op y, x.high op y}; }         \
  IDEALRANK_INLINE Result operator op(Number x, Given y) { return {x op y.low, x op y.high}; }
IDEALRANK_LANE_OPERATOR(Lanes, Lanes, double, +)
IDEALRANK_LANE_OPERATOR(Lanes, Lanes, double, -)
IDEALRANK_LANE_OPERATOR(Lanes, Lanes, double, *)
IDEALRANK_LANE_OPERATOR(Lanes, Lanes, double, /)
IDEALRANK_LANE_OPERATOR(LaneBits, Lanes, double, <)
IDEALRANK_LANE_OPERATOR(LaneBits, Lanes, double, >)
IDEALRANK_LANE_OPERATOR(LaneBits, LaneBits, std::int64_t, +)
IDEALRANK_LANE_OPERATOR(LaneBits, LaneBits, std::int64_t, -)
IDEALRANK_LANE_OPERATOR(LaneBits, LaneBits, std::int64_t, &)
IDEALRANK_LANE_OPERATOR(LaneBits, LaneBits, std::int64_t, |)
IDEALRANK_LANE_OPERATOR(LaneBits, LaneBits, std::int64_t, <<)
#undef IDEALRANK_LANE_OPERATOR

IDEALRANK_INLINE Lanes four(double a, double b, double c, double d) { return {HalfLanes{a, b}, HalfLanes{c, d}}; }
IDEALRANK_INLINE Lanes operator-(Lanes x) { return {-x.low, -x.high}; }
IDEALRANK_INLINE Lanes& operator+=(Lanes& x, Lanes y) { return x = x + y; }
IDEALRANK_INLINE Lanes& operator*=(Lanes& x, Lanes y) { return x = x * y; }
IDEALRANK_INLINE Lanes where(LaneBits condition, Lanes yes, Lanes no) {
  return {condition.low ? yes.low : no.low, condition.high ? yes.high : no.high};
}
IDEALRANK_INLINE LaneBits bits_of(Lanes x) {
  return {reinterpret_cast<HalfBits>(x.low), reinterpret_cast<HalfBits>(x.high)};
}
IDEALRANK_INLINE Lanes with_bits(LaneBits bits) {
  return {reinterpret_cast<HalfLanes>(bits.low), reinterpret_cast<HalfLanes>(bits.high)};
}

template <int by>
IDEALRANK_INLINE LaneBits shifted_right(LaneBits bits) {
  typedef std::uint64_t Unsigned __attribute__((vector_size(16)));
  return {reinterpret_cast<HalfBits>(reinterpret_cast<Unsigned>(bits.low) >> by),
          reinterpret_cast<HalfBits>(reinterpret_cast<Unsigned>(bits.high) >> by)};
}

template <int a, int b, int c, int d>
IDEALRANK_INLINE Lanes shuffled(Lanes x, Lanes y) {
  const HalfLanes halves[] = {x.low, x.high, y.low, y.high};
  return {__builtin_shufflevector(halves[a / 2], halves[b / 2], a % 2, 2 + b % 2),
          __builtin_shufflevector(halves[c / 2], halves[d / 2], c % 2, 2 + d % 2)};
}

#else

template <class T>
struct FourOf {
  T lane[kLanes];
  T& operator[](std::size_t i) { return lane[i]; }
  const T& operator[](std::size_t i) const { return lane[i]; }
};
using Lanes = FourOf<double>;
using LaneBits = FourOf<bool>;

inline Lanes four(double a, double b, double c, double d) { return {{a, b, c, d}}; }

#define IDEALRANK_LANE_OPERATOR(Result, op)                                             \
  inline Result operator op(const Lanes& x, const Lanes& y) {                           \
    return {{x[0] op y[0], x[1] op y[1], x[2] op y[2], x[3] op y[3]}};                  \
  }                                                                                     \
  inline Result operator op(const Lanes& x, double y) { return x op four(y, y, y, y); } \
  inline Result operator op(double x, const Lanes& y) { return four(x, x, x, x) op y; }
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

IDEALRANK_INLINE Lanes broadcast(double x) { return four(x, x, x, x); }

IDEALRANK_INLINE Lanes load(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

IDEALRANK_INLINE void store(double* to, Lanes x) { std::memcpy(to, &x, sizeof x); }

// Loads the first `n` of four lanes, and sets the others to `rest`.
IDEALRANK_INLINE Lanes load_some(const double* from, std::size_t n, double rest) {
  Lanes x = broadcast(rest);
  std::memcpy(&x, from, n * sizeof(double));
  return x;
}

IDEALRANK_INLINE void store_some(double* to, Lanes x, std::size_t n) { std::memcpy(to, &x, n * sizeof(double)); }

IDEALRANK_INLINE double sum(Lanes x) { return (x[0] + x[2]) + (x[1] + x[3]); }

// Rounds to the nearest whole numbers; requires |x| < 2^51.
IDEALRANK_INLINE Lanes rounded(Lanes x) {
  constexpr double kRound = 0x1.8p52;
  return (x + kRound) - kRound;
}

// Turns rows into columns.
IDEALRANK_INLINE void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab0 = shuffled<0, 4, 2, 6>(a, b), ab1 = shuffled<1, 5, 3, 7>(a, b);
  const Lanes cd0 = shuffled<0, 4, 2, 6>(c, d), cd1 = shuffled<1, 5, 3, 7>(c, d);
  a = shuffled<0, 1, 4, 5>(ab0, cd0);
  b = shuffled<0, 1, 4, 5>(ab1, cd1);
  c = shuffled<2, 3, 6, 7>(ab0, cd0);
  d = shuffled<2, 3, 6, 7>(ab1, cd1);
}

// The lanes of the result are the sums of a, b, c and d.
IDEALRANK_INLINE Lanes sums(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = shuffled<0, 4, 2, 6>(a, b) + shuffled<1, 5, 3, 7>(a, b);
  const Lanes cd = shuffled<0, 4, 2, 6>(c, d) + shuffled<1, 5, 3, 7>(c, d);
  return shuffled<0, 1, 4, 5>(ab, cd) + shuffled<2, 3, 6, 7>(ab, cd);
}

#include "idealrank/isa/isa_end.hpp"
