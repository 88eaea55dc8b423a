#include "idealrank/text/text_out.hpp"

#include <limits>
#include <random>
#include <string>

#include "check.hpp"

using check::Bits;
using idealrank::append_entry;
using idealrank::append_feature;
using idealrank::append_number;
using idealrank::parse_double;

namespace {

std::string written(float value) {
  std::string text = "before ";
  append_feature(text, value);
  CHECK(text.starts_with("before "));
  return text.substr(7);
}

void check_round_trip(float value) {
  const std::string text = written(value);
  double again = 0;
  CHECK(parse_double(text.data(), text.data() + text.size(), again) == text.data() + text.size());
  // Compared as floats, including the sign of zero.
  if (std::bit_cast<std::uint32_t>(static_cast<float>(again)) != std::bit_cast<std::uint32_t>(value)) {
    check::fail(__FILE__, __LINE__, check::show(value) + " was written as " + text);
  }
}

std::string entry(std::size_t column, float value) {
  std::string text;
  append_entry(text, column, value);
  return text;
}

}  // namespace

TEST(random_float_bit_patterns_read_back_the_same) {
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (value == value) check_round_trip(value);
  }
}

TEST(denormals_and_the_ends_of_the_range_read_back_the_same) {
  using Limits = std::numeric_limits<float>;
  for (const float value :
       {0.0F, -0.0F, Limits::denorm_min(), -Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest(),
        Limits::epsilon(), Limits::infinity(), -Limits::infinity(), 16777216.0F, 0.1F, 1e10F, 1e-10F}) {
    check_round_trip(value);
  }
  std::mt19937 random(2);
  for (int i = 0; i < 100'000; ++i)
    check_round_trip(std::bit_cast<float>(static_cast<std::uint32_t>(random() & 0x807FFFFF)));
  for (std::uint32_t bits = 0; bits < 0x7F800000; bits += 0x3FFFF) {
    for (std::uint32_t near : {bits, bits + 1, bits + 2}) check_round_trip(std::bit_cast<float>(near));
  }
}

TEST(a_float_whose_shortest_text_would_round_twice_is_written_longer) {
  // 7.038531e-26: parsed as a double, it is exactly the midpoint of two floats. It is the only positive float like this.
  const float value = std::bit_cast<float>(0x15AE43FDU);
  std::string shortest;
  append_number(shortest, value);
  double through = 0;
  CHECK(parse_double(shortest.data(), shortest.data() + shortest.size(), through) != nullptr);
  CHECK(static_cast<float>(through) != value);
  check_round_trip(value);
}

TEST(numbers_are_written_with_as_few_characters_as_possible) {
  CHECK_EQ(written(0.1F), "0.1");
  CHECK_EQ(written(1.0F), "1");
  CHECK_EQ(written(-0.0F), "-0");
  CHECK_EQ(written(1e10F), "1e+10");
}

TEST(random_doubles_read_back_the_same) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (value != value) continue;
    std::string text;
    append_number(text, value);
    double again = 0;
    CHECK(parse_double(text.data(), text.data() + text.size(), again) == text.data() + text.size());
    CHECK_EQ(Bits{again}, Bits{value});
  }
}

TEST(entry_ids_count_from_1_and_nan_is_written_as_null) {
  CHECK_EQ(entry(0, 0.5F), " 1:0.5");
  CHECK_EQ(entry(135, -2.0F), " 136:-2");
  CHECK_EQ(entry(2, std::numeric_limits<float>::quiet_NaN()), " 3:NULL");
  CHECK_EQ(entry(2, -std::numeric_limits<float>::quiet_NaN()), " 3:NULL");
}
