#include "idealrank/text/trec.hpp"

#include <map>
#include <random>
#include <string>

#include "check.hpp"
#include "trec_outcome.hpp"

using blocks::Error;
using blocks::read_trec;
using blocks::Trec;
using idealrank::TrecFile;

namespace {

using Strings = std::vector<std::string>;
using Rows = std::vector<std::int64_t>;

Trec qrels(std::string_view text, const std::vector<std::size_t>& cuts = {}) {
  return read_trec<TrecFile::qrels>(text, cuts);
}
Trec run(std::string_view text, const std::vector<std::size_t>& cuts = {}) { return read_trec<TrecFile::run>(text, cuts); }

std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> all;
  for (const double number : numbers) all.push_back(std::bit_cast<std::uint64_t>(number));
  return all;
}

Error error_in(const Trec& read) { return read.error.value_or(Error{"no error", 0, 0}); }

const std::string kQrels = "a qrels line has 4 fields, 'query iteration document label'";
const std::string kRun = "a run's line has 6 fields, 'query Q0 document rank score tag'";

}  // namespace

TEST(judgments_are_grouped_by_query_in_the_files_order) {
  const Trec read = qrels("q2 0 d1 1\nq1\t0\td#2  -2.5\r\n# no\n\n  q2 Q0 d3 0\n");
  CHECK_EQ(read.query_ids, (Strings{"q2", "q1"}));
  CHECK_EQ(read.offsets, (Rows{0, 2, 3}));
  CHECK_EQ(read.docs, (Strings{"d1", "d3", "d#2"}));
  CHECK_EQ(read.values, bits({1, 0, -2.5}));
  CHECK_EQ(read.tag, "");
}

TEST(a_run_has_the_tag_of_its_last_line_and_anything_after_the_tag_is_ignored) {
  const Trec read = run("# c\nq1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 x 7e-1 other and more\n");
  CHECK_EQ(read.docs, (Strings{"d1", "d2"}));
  CHECK_EQ(read.values, bits({9.5, 0.7}));
  CHECK_EQ(read.tag, "other");
}

TEST(an_empty_file_has_no_rows) {
  for (const char* text : {"", "\n", "# only\n \n"}) {
    CHECK_EQ(qrels(text).offsets, Rows{0});
    CHECK_EQ(run(text).docs, Strings{});
  }
}

TEST(too_few_or_too_many_fields_are_refused_where_the_line_goes_wrong) {
  CHECK_EQ(error_in(qrels("q 0 d 1\nq 0 d\n")), (Error{kQrels + ", got the end of the line", 2, 6}));
  CHECK_EQ(error_in(qrels("q 0 d 1 extra\n")), (Error{kQrels + ", got 'extra'", 1, 9}));
  CHECK_EQ(error_in(qrels("q \r\n")), (Error{kQrels + ", got the end of the line", 1, 2}));
  CHECK_EQ(error_in(run("q Q0 d 1 2.5")), (Error{kRun + ", got the end of the line", 1, 13}));
  CHECK_EQ(error_in(run("q Q0 d 1")), (Error{kRun + ", got the end of the line", 1, 9}));
}

TEST(a_value_must_be_a_finite_number) {
  CHECK_EQ(error_in(qrels("q 0 d x")), (Error{"a label must be a finite number, got 'x'", 1, 7}));
  CHECK_EQ(error_in(run("a Q0 b 1 1 t\nq Q0 d 1 1e999 t")), (Error{"a score must be a finite number, got '1e999'", 2, 10}));
  for (const char* bad : {"nan", "inf", "-inf", "1x", "+", "0x1", "1_0", "1e", "NULL", "1#"}) {
    CHECK(error_in(qrels(std::string("q 0 d ") + bad)).what.starts_with("a label must be"));
    CHECK(error_in(run(std::string("q Q0 d 1 ") + bad + " t")).what.starts_with("a score must be"));
  }
}

TEST(blocks_cut_anywhere_give_the_same_as_one_block) {
  for (const std::string text : {"q1 0 a 1\r\nq2 0 b 2\n# c\n\nq1 0 c 3", "q1 0 a 1\nq2 0 b\n", "q1 0 a x\n", "#\n"}) {
    for (std::size_t first = 0; first <= text.size(); ++first) {
      for (std::size_t second = first; second <= text.size(); ++second) CHECK(qrels(text, {first, second}) == qrels(text));
    }
  }
  for (const std::string text : {"q1 Q0 a 1 3.5 t\nq2 Q0 b 1 2 u\n# c\nq1 Q0 c 2 1 t", "# c\n\nq 0 a 1 1 t\nq 0 a 1 1\n"}) {
    for (std::size_t first = 0; first <= text.size(); ++first) {
      for (std::size_t second = first; second <= text.size(); ++second) CHECK(run(text, {first, second}) == run(text));
    }
  }
}

TEST(a_long_shuffled_run_is_the_same_on_any_number_of_threads) {
  std::mt19937 random(1);
  std::string text;
  std::map<std::string, std::vector<std::pair<std::string, double>>> expected;
  Strings order;
  for (int i = 0; i < 80'000; ++i) {
    const std::string query = "q" + std::to_string(random() % 3000), doc = "doc-" + std::to_string(i);
    const double score = static_cast<double>(random() % 1'000'000) / 1024;
    if (!expected.contains(query)) order.push_back(query);
    expected[query].emplace_back(doc, score);
    text += query + " Q0 " + doc + " 1 " + std::to_string(score) + " tag\n";
  }
  const Trec read = read_trec<TrecFile::run>(text, {}, 1);
  CHECK(!read.error);
  CHECK(read.query_ids == order);
  for (std::size_t q = 0, row = 0; q < order.size(); ++q) {
    for (const auto& [doc, score] : expected[order[q]]) {
      CHECK_EQ(read.docs[row], doc);
      CHECK_EQ(check::Bits{std::bit_cast<double>(read.values[row])},
               check::Bits{std::strtod(std::to_string(score).c_str(), nullptr)});
      ++row;
    }
    CHECK_EQ(read.offsets[q + 1], row);
  }
  for (const int n_threads : {2, 4}) {
    CHECK((read_trec<TrecFile::run>(text, {text.size() / 3, text.size() / 2}, n_threads) == read));
  }
}
