#include "idealrank/text/text.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "blocks.hpp"
#include "check.hpp"

using blocks::Error;
using idealrank::BlockParser;
using idealrank::Line;

namespace {

using Strings = std::vector<std::string>;

// The fields of every line, joined by '|'. A field that begins with '!' is an error at its second byte.
template <bool every_line>
struct Fields {
  static constexpr bool kEveryLine = every_line;
  Strings rows;

  void clear() { rows.clear(); }
  void read(Line& line) {
    std::string row;
    while (!line.at_end()) {
      const char* const start = line.position();
      const std::string_view field = line.field();
      if (field.starts_with("!")) line.fail_at(start + 1, "refused");
      if (!row.empty()) row += '|';
      row += field;
    }
    rows.push_back(row);
  }
  std::size_t make_room(const Fields& other) {
    rows.resize(rows.size() + other.rows.size());
    return rows.size() - other.rows.size();
  }
  void put(std::size_t first, const Fields& other) {
    std::ranges::copy(other.rows, rows.begin() + static_cast<std::ptrdiff_t>(first));
  }
};

struct Outcome {
  Strings rows;
  std::optional<Error> error;
  std::int64_t n_lines = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <bool every_line = false>
Outcome parse(std::string_view text, const std::vector<std::size_t>& cuts = {}, int n_threads = 1) {
  BlockParser<Fields<every_line>> parser;
  Fields<every_line> all;
  Outcome outcome;
  outcome.error = blocks::error_of([&] {
    blocks::feed_in_blocks(text, cuts, [&](std::string_view block, bool last) {
      return parser.feed(
          block, last, n_threads,
          [&](const Fields<every_line>& chunk, std::int64_t n_before) {
            CHECK_EQ(n_before, parser.n_lines());
            return all.make_room(chunk);
          },
          [&](std::size_t first, const Fields<every_line>& chunk) { all.put(first, chunk); });
    });
  });
  // How much was read before an error does not matter: the caller discards it.
  if (!outcome.error) {
    outcome.rows = all.rows;
    outcome.n_lines = parser.n_lines();
  }
  return outcome;
}

Strings rows_of(std::string_view text) { return parse(text).rows; }

Error error_in(std::string_view text) { return parse(text).error.value_or(Error{"no error", 0, 0}); }

const Strings kTexts{
    "",
    "\n",
    "a",
    "a b\nc\n",
    "a b\r\nc\r\n\r\nd",
    "# comment\n\n  a  b \t c \t\n#x\n   \n\tlast line",
    "one\ntwo\nthree !bad four\nfive !worse\n",
    "one\r\n  \t!bad\r\n",
    "x\n\n\n\n!\n",
    "\r\r\n#\n \r\n a\rb \r\r\n",
};

}  // namespace

TEST(lines_are_cut_into_fields_at_spaces_and_tabs) { CHECK_EQ(rows_of("a b\tc\n  d \t e  \n"), (Strings{"a|b|c", "d|e"})); }

TEST(empty_lines_and_comments_are_skipped) {
  CHECK_EQ(rows_of("# no\na\n\n \t \n#no\n\r\nb # yes\n #yes\n"), (Strings{"a", "b|#|yes", "#yes"}));
  CHECK_EQ(rows_of(""), Strings{});
  CHECK_EQ(rows_of("\n\n#\n"), Strings{});
}

TEST(empty_lines_reach_a_reader_that_wants_every_line) {
  CHECK_EQ(parse<true>("a\n\n# no\n  \nb\n").rows, (Strings{"a", "", "", "b"}));
}

TEST(the_last_line_needs_no_line_end) {
  CHECK_EQ(rows_of("a\nb"), (Strings{"a", "b"}));
  CHECK_EQ(rows_of("a\nb\n"), (Strings{"a", "b"}));
  CHECK_EQ(rows_of("a\n#"), Strings{"a"});
}

TEST(lines_may_end_in_crlf) { CHECK_EQ(rows_of("a b\r\nc\r\n\r\nd\r"), (Strings{"a|b", "c", "d"})); }

TEST(all_lines_are_counted) {
  CHECK_EQ(parse("").n_lines, 0);
  CHECK_EQ(parse("a").n_lines, 1);
  CHECK_EQ(parse("a\n").n_lines, 1);
  CHECK_EQ(parse("a\n\n#x\n").n_lines, 3);
  CHECK_EQ(parse("\n\nb").n_lines, 3);
}

TEST(an_error_names_the_line_and_column_counted_from_1_in_bytes) {
  CHECK_EQ(error_in("!x"), (Error{"refused, got 'x'", 1, 2}));
  CHECK_EQ(error_in("a\n# c\n\nb  \xC3\xBC !x y\n"), (Error{"refused, got 'x'", 4, 8}));
  CHECK_EQ(error_in("a\r\n\t!x\r\n"), (Error{"refused, got 'x'", 2, 3}));
  CHECK_EQ(error_in("ok\n!a\n!b\n"), (Error{"refused, got 'a'", 2, 2}));
}

TEST(an_error_quotes_the_text_shortened_and_printable) {
  CHECK_EQ(error_in("a !").what, "refused, got the end of the line");
  CHECK_EQ(error_in("a ! b").what, "refused, got ''");
  CHECK_EQ(error_in("!\x01\x1f\x7f~").what, "refused, got '\\x01\\x1f\\x7f~'");
  CHECK_EQ(error_in("!" + std::string(40, 'x')).what, "refused, got '" + std::string(40, 'x') + "'");
  CHECK_EQ(error_in("!" + std::string(41, 'x')).what, "refused, got '" + std::string(40, 'x') + "...'");
  CHECK_EQ(error_in(std::string("!a\0b", 4)).what, "refused, got 'a\\x00b'");
}

TEST(blocks_cut_anywhere_give_the_same_as_one_block) {
  for (const std::string& text : kTexts) {
    const Outcome expected = parse(text), expected_every = parse<true>(text);
    for (std::size_t first = 0; first <= text.size(); ++first) {
      for (std::size_t second = first; second <= text.size(); ++second) {
        CHECK(parse(text, {first, second}) == expected);
        CHECK(parse<true>(text, {first, second}) == expected_every);
      }
    }
  }
}

TEST(a_block_that_is_not_the_last_consumes_complete_lines_only) {
  BlockParser<Fields<false>> parser;
  Fields<false> all;
  CHECK_EQ(parser.feed("a b", false, 1, all), 0);
  CHECK_EQ(parser.feed("a b\nc\nd e", false, 1, all), 6);
  CHECK_EQ(all.rows, (Strings{"a|b", "c"}));
  CHECK_EQ(parser.feed("", false, 1, all), 0);
  CHECK_EQ(parser.feed("d e f", true, 1, all), 5);
  CHECK_EQ(all.rows, (Strings{"a|b", "c", "d|e|f"}));
  CHECK_EQ(parser.n_lines(), 3);
}

TEST(long_texts_come_out_the_same_on_any_number_of_threads) {
  std::mt19937 random(1);
  std::string text;
  Strings expected;
  while (text.size() < 2'000'000) {
    const std::string word = std::to_string(random());
    if (random() % 10 == 0) text += "# comment\n";
    if (random() % 20'000 == 0) {
      text += std::string(random() % 700'000, ' ');  // longer than the piece that one thread parses
    }
    text += word + " \t" + word + "\r\n";
    expected.push_back(word + "|" + word);
  }
  for (const int n_threads : {1, 2, 4}) {
    const Outcome outcome = parse(text, {text.size() / 3, text.size() / 2}, n_threads);
    CHECK(!outcome.error);
    CHECK(outcome.rows == expected);
  }
}

TEST(the_first_of_errors_in_several_chunks_is_reported) {
  const std::string good = "a b" + std::string(37, ' ') + "\n", bad = "a !b" + std::string(36, ' ') + "\n";
  std::string text;
  for (int i = 1; i <= 50'000; ++i) text += i == 30'001 || i == 40'000 || i == 50'000 ? bad : good;
  for (const int n_threads : {1, 2, 4}) {
    CHECK_EQ(parse(text, {}, n_threads).error.value_or(Error{}), (Error{"refused, got 'b'", 30'001, 4}));
    CHECK_EQ(parse(text, {1'000'001}, n_threads).error.value_or(Error{}), (Error{"refused, got 'b'", 30'001, 4}));
  }
}
