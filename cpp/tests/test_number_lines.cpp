#include "idealrank/text/number_lines.hpp"

#include <random>
#include <string>

#include "blocks.hpp"
#include "check.hpp"

using blocks::Error;
using idealrank::BlockParser;
using idealrank::NumberLines;

namespace {

struct Outcome {
  std::vector<std::uint64_t> values;
  std::optional<Error> error;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <bool kCounts>
Outcome parse(std::string_view text, const std::vector<std::size_t>& cuts = {}, int n_threads = 1) {
  BlockParser<NumberLines<kCounts>> parser;
  NumberLines<kCounts> lines;
  Outcome outcome;
  outcome.error = blocks::error_of([&] {
    blocks::feed_in_blocks(text, cuts,
                           [&](std::string_view block, bool last) { return parser.feed(block, last, n_threads, lines); });
  });
  if (!outcome.error) outcome.values = blocks::bits(lines.values);
  return outcome;
}

std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> all;
  for (const double number : numbers) all.push_back(std::bit_cast<std::uint64_t>(number));
  return all;
}

template <bool kCounts>
Error error_in(std::string_view text) {
  return parse<kCounts>(text).error.value_or(Error{"no error", 0, 0});
}

const std::string kScore = "a line must be one score, a finite number";
const std::string kCount = "a line must be one group size, a whole number from 0";

}  // namespace

TEST(every_line_is_one_score) {
  CHECK_EQ(parse<false>("1\n-2.5\r\n  +3e2 \n# no\n-0\n.5").values, bits({1, -2.5, 300, -0.0, 0.5}));
  CHECK_EQ(parse<false>("").values, bits({}));
}

TEST(group_sizes_are_whole_numbers_from_0) {
  CHECK_EQ(parse<true>("3\n0\n1e3\n2.0\n9007199254740992\n").values, bits({3, 0, 1000, 2, 9007199254740992.0}));
  for (const char* bad : {"-1", "1.5", "nan", "inf", "9007199254740994", "1e300", "x", "1 2", "1,"}) {
    CHECK_EQ(error_in<true>(std::string("7\n") + bad + "\n").line, 2);
    CHECK(error_in<true>(bad).what.starts_with(kCount));
  }
}

TEST(a_line_that_is_not_a_score_is_refused_where_it_begins) {
  CHECK_EQ(error_in<false>("1\n 2x\n"), (Error{kScore + ", got '2x'", 2, 2}));
  CHECK_EQ(error_in<false>("1\nnan\n"), (Error{kScore + ", got 'nan'", 2, 1}));
  CHECK_EQ(error_in<false>("1\n2 3\n"), (Error{kScore + ", got '2'", 2, 1}));
  for (const char* bad : {"inf", "-inf", "1e999", "+", "NULL", "0x10", "1_0", "1e", " # x"})
    CHECK_EQ(error_in<false>(bad).line, 1);
}

TEST(an_empty_line_is_a_missing_number) {
  CHECK_EQ(error_in<false>("1\n\n2\n"), (Error{kScore + ", got the end of the line", 2, 1}));
  CHECK_EQ(error_in<true>("1\n  \t\r\n2\n").line, 2);
  CHECK_EQ(error_in<false>("\n").line, 1);
}

TEST(blocks_cut_anywhere_give_the_same_as_one_block) {
  for (const std::string text : {"1\n-2.5\r\n# no\n+3e2\n4", "1\n2\n\n3", "12\n13x\n", "-0\r\n\r\n"}) {
    for (std::size_t first = 0; first <= text.size(); ++first) {
      for (std::size_t second = first; second <= text.size(); ++second) {
        CHECK(parse<false>(text, {first, second}) == parse<false>(text));
        CHECK(parse<true>(text, {first, second}) == parse<true>(text));
      }
    }
  }
}

TEST(many_scores_are_the_same_on_any_number_of_threads) {
  std::mt19937_64 random(1);
  std::string text;
  std::vector<double> expected;
  for (int i = 0; i < 200'000; ++i) {
    expected.push_back(static_cast<double>(random() % 1'000'000) / 64);
    text += std::to_string(expected.back()) + "\n";
  }
  for (const int n_threads : {1, 4}) CHECK(parse<false>(text, {text.size() / 2}, n_threads).values == bits(expected));
}
