// The test framework: TEST(sentence) { CHECK(...); }, and a main that runs every TEST of the file.
// Checks must be on the main thread, since they count without a lock.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace check {

// A floating-point number that equals another only if all bits are equal; any NaN equals any other.
struct Bits {
  double value;
  friend bool operator==(Bits a, Bits b) {
    if (a.value != a.value) return b.value != b.value;
    return std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
  }
};

template <class T>
std::string show(const T& value) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (std::same_as<T, Bits>) {
    text << value.value << " (" << std::hexfloat << value.value << ")";
  } else if constexpr (requires { text << value; }) {
    text << value;
  } else if constexpr (std::ranges::range<T>) {
    std::size_t n = 0;
    for (const auto& item : value) {
      if (n < 20) text << (n > 0 ? ", " : "[") << show(item);
      ++n;
    }
    text << (n == 0 ? "[" : n > 20 ? ", ..." : "") << "] (" << n << " items)";
  } else {
    text << "(a value that cannot be shown)";
  }
  return text.str();
}

// Literals in such a list need no suffix.
using Sizes = std::initializer_list<std::size_t>;

struct Case {
  const char* name;
  void (*run)();
};
inline std::vector<Case> cases;
inline int n_failures = 0;

inline void fail(const char* file, int line, const std::string& what) {
  // A failing loop would otherwise print a line for each of a million items.
  if (++n_failures <= 20) std::cerr << file << ':' << line << ": " << what << '\n';
}

template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  bool same = false;
  if constexpr (std::integral<A> && std::integral<B> && !std::same_as<A, bool> && !std::same_as<B, bool> &&
                !std::same_as<A, char> && !std::same_as<B, char>) {
    same = std::cmp_equal(a, b);
  } else {
    same = a == b;
  }
  if (!same) fail(file, line, std::string(text) + "\n    left:  " + show(a) + "\n    right: " + show(b));
}

// The exception that the call throws, if it is an E; nothing if it throws nothing. Any other exception propagates.
template <class E, class Call>
std::optional<E> thrown(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const E& error) {
    return error;
  }
  return std::nullopt;
}

struct Register {
  Register(const char* name, void (*run)()) { cases.push_back({name, run}); }
};

}  // namespace check

#define TEST(name)                                           \
  static void name();                                        \
  static const check::Register register_##name(#name, name); \
  static void name()

#define CHECK(condition) ((condition) ? void() : check::fail(__FILE__, __LINE__, "CHECK(" #condition ")"))

#define CHECK_EQ(a, b) check::equal((a), (b), "CHECK_EQ(" #a ", " #b ")", __FILE__, __LINE__)

#define CHECK_THROWS(Error, ...)                      \
  (check::thrown<Error>([&] { (void)(__VA_ARGS__); }) \
       ? void()                                       \
       : check::fail(__FILE__, __LINE__, "CHECK_THROWS(" #Error ", " #__VA_ARGS__ ") threw nothing"))

// With arguments, runs only the tests whose names contain one of them.
int main(int n_arguments, char** arguments) {
  for (const auto& [name, run] : check::cases) {
    const std::string sentence = name;
    const bool wanted = n_arguments == 1 || std::any_of(arguments + 1, arguments + n_arguments, [&](const char* word) {
                          return sentence.find(word) != std::string::npos;
                        });
    if (!wanted) continue;
    const int before = check::n_failures;
    try {
      run();
    } catch (const std::exception& error) {
      check::fail(name, 0, std::string("threw ") + error.what());
    }
    std::cout << (check::n_failures == before ? "ok      " : "FAILED  ") << name << '\n';
  }
  if (check::n_failures > 0) std::cerr << check::n_failures << " checks failed\n";
  return check::n_failures > 0 ? 1 : 0;
}
