#include "idealrank/text/short_number.hpp"

#include <random>
#include <string>
#include <vector>

#include "check.hpp"

using check::Bits;

namespace {

// Parses the number after a prefix, in memory that holds exactly the bytes that may be read. `n_read` is the number of
// characters parsed, 0 if the parser declined.
struct Read {
  explicit Read(const std::string& text) {
    const auto before = static_cast<std::size_t>(idealrank::kShortNumberBefore);
    std::string line(before, '7');  // a digit in every lane before the number
    line += text;
    line.resize(std::max(line.size(), before + static_cast<std::size_t>(idealrank::kShortNumberRoom)), '8');
    const std::vector<char> memory(line.begin(), line.end());
    const char* const start = memory.data() + before;
    const char* const stop = idealrank::parse_short_number(start, value);
    n_read = stop == nullptr ? 0 : stop - start;
  }
  double value = -1234.5;
  std::ptrdiff_t n_read = 0;
};

double expected(const std::string& text) {
  double value = 0;
  idealrank::parse_double(text.data(), text.data() + text.size(), value);
  return value;
}

// Without these instructions, every number is left to parse_double.
constexpr bool kReads = idealrank::kShortNumberRoom > 0;

}  // namespace

TEST(every_split_of_up_to_15_characters_has_the_bits_of_parse_double) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> digit('0', '9');
  for (const std::string sign : {"", "-"}) {
    for (std::size_t n_digits = 1; n_digits <= 15; ++n_digits) {
      for (std::size_t point = 0; point <= n_digits + 1; ++point) {  // the last value: no point
        if (sign.size() + n_digits + (point <= n_digits ? 1 : 0) > 15) continue;
        for (int i = 0; i < 50; ++i) {
          std::string text;
          while (text.size() < n_digits) text += static_cast<char>(i == 0 ? '0' : i == 1 ? '9' : digit(random));
          if (point <= n_digits) text.insert(point, ".");
          text.insert(0, sign);
          for (const char* blank : {" ", "\t"}) {
            const Read read(text + blank + "1:1 2:2");
            CHECK_EQ(read.n_read, kReads ? static_cast<std::ptrdiff_t>(text.size()) : 0);
            if (kReads) CHECK_EQ(Bits{read.value}, Bits{expected(text)});
          }
        }
      }
    }
  }
}

TEST(long_or_unusual_numbers_are_left_to_parse_double) {
  for (const char* text : {"",
                           " ",
                           ".",
                           ". ",
                           "- ",
                           "-. ",
                           "1.2.3 ",
                           "..1 ",
                           "1-2 ",
                           "+1 ",
                           "1e5 ",
                           "1E5 ",
                           "nan ",
                           "NULL ",
                           "1",
                           "1#",
                           "1\n",
                           "1\r",
                           "1,5 ",
                           "--1 ",
                           "1234567890123456 ",
                           "0.12345678901234 ",
                           "12345678901234567 ",
                           "0x10 ",
                           "1\xB0 ",
                           "\xFF "}) {
    CHECK_EQ(Read(text).n_read, 0);
  }
}
