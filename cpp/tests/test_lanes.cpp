// Compiled three times: for the base instruction set, for x86-64-v3, and with plain loops as lanes.
#include "idealrank/isa/lanes.hpp"

#include <cmath>
#include <random>

#include "check.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/isa/lanes_math.hpp"

#include "idealrank/isa/isa_begin.hpp"

struct Four {
  double x[4];
  friend bool operator==(const Four& a, const Four& b) { return std::equal(a.x, a.x + 4, b.x); }
};

inline Four stored(Lanes x) {
  Four four;
  store(four.x, x);
  return four;
}

inline void check_arithmetic() {
  const double a[4] = {1, -2, 3, 0.5}, b[4] = {4, 0.5, -1, 2};
  const Lanes x = load(a), y = load(b);
  CHECK(stored(x + y) == (Four{5, -1.5, 2, 2.5}));
  CHECK(stored(x - 1.0) == (Four{0, -3, 2, -0.5}));
  CHECK(stored(2.0 * x / y) == (Four{0.5, -8, -6, 0.5}));
  CHECK(stored(-x) == (Four{-1, 2, -3, -0.5}));
  CHECK(stored(where(x < y, x, y)) == (Four{1, -2, -1, 0.5}));
  CHECK(stored(where(x > 0.75, x, broadcast(9))) == (Four{1, 9, 3, 9}));
  CHECK(stored(shuffled<3, 4, 0, 7>(x, y)) == (Four{0.5, 4, 1, 2}));
  CHECK_EQ(sum(x), 2.5);
  CHECK(stored(sums(x, y, x + y, x - y)) == (Four{2.5, 5.5, 8, -3}));
}

inline void check_parts() {
  const double a[3] = {1, 2, 3};
  CHECK(stored(load_some(a, 3, 7)) == (Four{1, 2, 3, 7}));
  CHECK(stored(load_some(a, 0, 7)) == (Four{7, 7, 7, 7}));
  double to[4] = {9, 9, 9, 9};
  store_some(to, load_some(a, 3, 7), 2);
  CHECK_EQ(to[1], 2);
  CHECK_EQ(to[2], 9);
}

inline double relative(double got, long double expected) {
  return static_cast<double>(std::fabs((static_cast<long double>(got) - expected) / expected));
}

inline void check_exp_and_log() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> wide(-708, 709), small(-1, 1);
  double worst_exp = 0, worst_log = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x[4] = {wide(random), small(random), small(random) * 1e-8, wide(random) / 20};
    const Four e = stored(exp(load(x)));
    const double y[4] = {std::exp(x[0]), 1 + std::exp(x[3]), std::exp(x[1]), 1 + x[2]};
    const Four l = stored(log(load(y)));
    for (int lane = 0; lane < 4; ++lane) {
      worst_exp = std::max(worst_exp, relative(e.x[lane], std::exp(static_cast<long double>(x[lane]))));
      worst_log = std::max(worst_log, relative(l.x[lane], std::log(static_cast<long double>(y[lane]))));
    }
  }
  CHECK(worst_exp < 6e-16);
  CHECK(worst_log < 6e-16);
  CHECK(stored(exp(load(Four{0, -0.0, -709, -1e308}.x))) == (Four{1, 1, 0, 0}));
  CHECK(stored(log(broadcast(1))) == (Four{0, 0, 0, 0}));
}

#include "idealrank/isa/isa_end.hpp"

#ifdef IDEALRANK_V3
using namespace idealrank::v3;
#define CHECK_LANES(check) (idealrank::has_v3() ? check() : void())
#else
using namespace idealrank::base;
#define CHECK_LANES(check) check()
#endif

TEST(lanes_compute_what_doubles_do) { CHECK_LANES(check_arithmetic); }
TEST(parts_of_four_leave_the_rest_alone) { CHECK_LANES(check_parts); }
TEST(exp_and_log_are_accurate_to_a_few_units_in_the_last_place) { CHECK_LANES(check_exp_and_log); }
