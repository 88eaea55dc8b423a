// Ends the run if a fuzzed input violates a requirement; libFuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                          \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: REQUIRE(%s)\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                 \
    }                                                                               \
  } while (false)
