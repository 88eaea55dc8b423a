#include "idealrank/text/number.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "check.hpp"

using check::Bits;
using idealrank::parse_double;

namespace {

// Copies the text to memory of exactly its size, so that a read past the end is detected.
struct Read {
  explicit Read(const std::string& text) : memory(text.begin(), text.end()) {
    stop = parse_double(memory.data(), memory.data() + memory.size(), value);
  }
  bool whole() const { return stop != nullptr && stop == memory.data() + memory.size(); }
  std::vector<char> memory;
  double value = -1234.5;
  const char* stop = nullptr;
};

// glibc's strtod rounds correctly and shares no code with the parser.
void check_against_strtod(const std::string& text) {
  char* end = nullptr;
  const double expected = std::strtod(text.c_str(), &end);
  const Read read(text);
  if (end != text.c_str() + text.size()) check::fail(__FILE__, __LINE__, "the test's own text is no number: " + text);
  if (!read.whole()) check::fail(__FILE__, __LINE__, "not read to its end: " + text);
  if (!(Bits{read.value} == Bits{expected})) {
    check::fail(__FILE__, __LINE__,
                text + " read as " + check::show(Bits{read.value}) + ", not " + check::show(Bits{expected}));
  }
}

using Random = std::mt19937_64;

int between(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

std::string random_digits(Random& random, int n) {
  std::string digits;
  const bool few = between(random, 0, 3) == 0;  // runs of 0 and 9, where carries are long
  for (int i = 0; i < n; ++i)
    digits += few ? (between(random, 0, 1) != 0 ? '9' : '0') : static_cast<char>('0' + between(random, 0, 9));
  return digits;
}

std::string random_exponent(Random& random, int most) {
  static constexpr const char* kMarks[] = {"e", "E", "e+", "E+", "e-", "E-"};
  return kMarks[between(random, 0, 5)] + std::string(static_cast<std::size_t>(between(random, 0, 2)), '0') +
         std::to_string(between(random, 0, most));
}

std::string random_decimal(Random& random) {
  static constexpr const char* kSigns[] = {"", "", "-", "+"};
  const int whole = between(random, 0, 20), decimals = between(random, whole == 0 ? 1 : 0, 20);
  std::string text = kSigns[between(random, 0, 3)] + random_digits(random, whole);
  if (decimals > 0 || between(random, 0, 3) == 0) text += '.';
  text += random_digits(random, decimals);
  if (between(random, 0, 2) == 0) text += random_exponent(random, 340);
  return text;
}

}  // namespace

TEST(random_decimals_of_all_shapes_have_the_bits_that_strtod_gives) {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) check_against_strtod(random_decimal(random));
}

TEST(numbers_of_every_count_of_digits_and_decimals_are_rounded_correctly) {
  Random random(2);
  for (int digits = 1; digits <= 40; ++digits) {
    for (int decimals = 0; decimals <= digits; ++decimals) {
      for (int i = 0; i < 20; ++i) {
        std::string text = random_digits(random, digits);
        text.insert(text.size() - static_cast<std::size_t>(decimals), ".");
        check_against_strtod(text);
        check_against_strtod("-" + text + random_exponent(random, 30));
      }
    }
  }
}

TEST(every_double_reads_back_from_its_shortest_text_and_from_17_digits) {
  Random random(3);
  for (int i = 0; i < 50'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (value != value) continue;
    char text[64];
    const auto shortest = std::to_chars(text, text + sizeof text, value);
    CHECK_EQ(Bits{Read(std::string(text, shortest.ptr)).value}, Bits{value});
    CHECK(std::snprintf(text, sizeof text, "%.16e", value) > 0);
    CHECK_EQ(Bits{Read(text).value}, Bits{value});
  }
}

TEST(the_midpoint_of_two_doubles_rounds_to_even_and_anything_above_it_rounds_up) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    // Between 2^53 and 2^54 doubles are 2 apart, so every odd integer is a midpoint.
    const std::uint64_t middle = ((std::uint64_t{1} << 53) + (random() >> 11)) | 1;
    const std::string text = std::to_string(middle);
    check_against_strtod(text);
    check_against_strtod(text + "." + std::string(100, '0') + "1");
    check_against_strtod(text + ".0");
    check_against_strtod(std::to_string(middle - 1) + "." + std::string(900, '9'));
    check_against_strtod("0." + text + "e16");
  }
}

TEST(the_ends_of_the_range_are_where_strtod_has_them) {
  for (const char* text : {"1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1.797693134862315807e308",
                           "1.7976931348623159077e308",
                           "1e308",
                           "1e309",
                           "-1e309",
                           "2e308",
                           "1e400",
                           "1e+999999999999999999999999",
                           "-1e99999",
                           "2.2250738585072014e-308",
                           "2.2250738585072011e-308",
                           "2.2250738585072009e-308",
                           "4.9406564584124654e-324",
                           "5e-324",
                           "2.4703282292062328e-324",
                           "2.4703282292062327e-324",
                           "2.47e-324",
                           "1e-324",
                           "-1e-324",
                           "1e-400",
                           "1e-999999999999999999999999",
                           "0e999999999999999999999",
                           "0.0e-99999999999999999999",
                           "-0e5",
                           "0",
                           "-0",
                           "+0",
                           "0.000",
                           "00000000000000000000000000000001",
                           "0000000000000000000000000000.5",
                           "1.",
                           ".5",
                           "-.5",
                           "+.5e1",
                           "1.e2",
                           "1e00000000001",
                           "9007199254740992",
                           "9007199254740993",
                           "999999999999999",
                           "9999999999999999",
                           "0.999999999999999",
                           "0.0000000000000001",
                           "123456789012345.",
                           "1e22",
                           "1e23",
                           "123456789012345e-22"}) {
    check_against_strtod(text);
  }
}

TEST(zeros_before_an_exponent_do_not_hide_whether_a_number_overflows_or_underflows) {
  const std::string zeros(400, '0');
  check_against_strtod("1" + zeros);
  check_against_strtod("0." + zeros + "1");
  check_against_strtod("1" + zeros + "e-400");
  check_against_strtod("1" + zeros + "e-800");
  check_against_strtod("0." + zeros + "1e401");
  check_against_strtod("0." + zeros + "1e800");
  check_against_strtod("0." + zeros + zeros + "1e400");
  check_against_strtod("1" + zeros + zeros + "e-400");
  check_against_strtod(zeros + zeros + ".5e-10");
}

TEST(infinity_and_nan_are_words_in_any_case) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const char* text : {"inf", "Inf", "INF", "iNf", "infinity", "Infinity", "INFINITY", "+inf", "+Infinity"}) {
    CHECK(Read(text).whole());
    CHECK_EQ(Read(text).value, kInfinity);
  }
  for (const char* text : {"-inf", "-INFINITY"}) CHECK_EQ(Read(text).value, -kInfinity);
  for (const char* text : {"nan", "NaN", "NAN", "-nan", "+nan"}) {
    CHECK(Read(text).whole());
    CHECK(Read(text).value != Read(text).value);
  }
}

TEST(text_that_is_not_a_number_is_not_read_to_its_end) {
  for (const char* text : {"",     "+",    "-",    ".",        "+.",     "-.",      "e5",    ".e5", "+e5",   "1e",  "1e+",
                           "1e-",  "1.5E", "0x10", "0x1p3",    "nan(1)", "nan()",   "1_0",   "1,5", "1.2.3", "--1", "+-1",
                           "-+1",  "++1",  " 1",   "1 ",       "\t1",    "infinit", "in",    "i",   "na",    "n",   "null",
                           "NULL", "1f",   "1d5",  "\xd9\xa1", "\xff",   "1e5.5",   "1e1e1", "+ 1"}) {
    CHECK_EQ(std::string(Read(text).whole() ? "read: " : "refused: ") + text, std::string("refused: ") + text);
  }
  CHECK(!Read(std::string("1\0", 2)).whole());
}

TEST(where_there_is_no_number_the_result_is_null) {
  for (const char* text : {"", "+", "-", ".", "-.", "e5", "x", "+-1", "in", "na"}) CHECK(Read(text).stop == nullptr);
}

TEST(reading_stops_at_what_does_not_belong_to_the_number) {
  const std::pair<const char*, int> expected[] = {{"1 2", 1},   {"1.5#c", 3},  {"0x10", 1}, {"1_0", 1},       {"1e", 1},
                                                  {"1e+", 1},   {"nan(1)", 3}, {"infx", 3}, {"infinityx", 8}, {"1.2.3", 3},
                                                  {"-1e5 ", 4}, {"1e400:", 5}, {"+1:", 2}};
  for (const auto& [text, length] : expected) {
    const Read read(text);
    CHECK_EQ(read.stop - read.memory.data(), length);
  }
}

TEST(a_number_of_a_million_digits_is_read_in_linear_time) {
  check_against_strtod(std::string(1'000'000, '3') + "e-1000000");
  check_against_strtod("0." + std::string(1'000'000, '3'));
  check_against_strtod("0." + std::string(1'000'000, '0') + "1e1000001");
  check_against_strtod("1e" + std::string(1'000'000, '9'));
}
