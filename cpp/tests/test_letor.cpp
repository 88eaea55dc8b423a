#include "idealrank/text/letor.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "check.hpp"
#include "letor_outcome.hpp"

using blocks::Error;
using blocks::Letor;
using blocks::read_letor;

namespace {

using Strings = std::vector<std::string>;
using Rows = std::vector<std::int64_t>;
using Cells = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Parses the text as dense and as sparse rows, which must agree, and returns the dense result.
Letor read(std::string_view text, std::int64_t n_features_max = 1000) {
  const Letor dense = read_letor(text, false, {}, 1, n_features_max), sparse = read_letor(text, true, {}, 1, n_features_max);
  CHECK_EQ(dense.broken, "");
  CHECK(dense.same_but_for_entries(sparse));
  return dense;
}

Error error_in(std::string_view text, std::int64_t n_features_max = 1000) {
  return read(text, n_features_max).error.value_or(Error{"no error", 0, 0});
}

std::vector<std::uint32_t> bits(const Cells& cells) {
  std::vector<std::uint32_t> all;
  for (const float cell : cells) all.push_back(std::bit_cast<std::uint32_t>(cell));
  return all;
}

std::vector<double> labels(const Letor& read) {
  std::vector<double> all;
  for (const std::uint64_t label : read.labels) all.push_back(std::bit_cast<double>(label));
  return all;
}

// Random rows, as text and as the expected result.
struct Random {
  explicit Random(unsigned seed) : random(seed) {}

  void add_row(unsigned n_queries, unsigned width) {
    const double label = static_cast<double>(random() % 5);
    const std::string query = std::to_string(random() % n_queries);
    std::map<unsigned, float> row;
    const unsigned n = below(width + 1);
    for (unsigned i = 0; i < n; ++i) row[below(width)] = static_cast<float>(random() % 10'000) / 16;
    if (random() % 3 == 0) {
      for (unsigned column = 0; column < width; ++column) row[column] = static_cast<float>(column);
    }
    std::vector<std::string> entries;
    for (const auto& [column, value] : row) entries.push_back(std::to_string(column + 1) + ":" + std::to_string(value));
    if (random() % 4 == 0) std::shuffle(entries.begin(), entries.end(), random);

    text += std::to_string(label) + " qid:" + query;
    for (const std::string& entry : entries) text += " " + entry;
    const std::string doc = random() % 2 == 0 ? "" : "doc" + std::to_string(random());
    if (!doc.empty()) text += " #docid = " + doc + " inc = 1";
    text += '\n';
    if (random() % 20 == 0) text += "# comment\n\n";
    expected_labels.push_back(label);
    expected_docs.push_back(doc);
    expected_rows.push_back(row);
  }

  void check(const Letor& got) const {
    CHECK(!got.error);
    CHECK_EQ(got.broken, "");
    CHECK(labels(got) == expected_labels);
    CHECK(got.docs == expected_docs);
    std::vector<std::uint32_t> cells(got.cells.size(), 0);
    const auto width = static_cast<std::size_t>(got.width);
    CHECK_EQ(cells.size(), width * expected_rows.size());
    for (std::size_t i = 0; i < expected_rows.size(); ++i) {
      for (const auto& [column, value] : expected_rows[i])
        cells.at(i * width + column) = std::bit_cast<std::uint32_t>(value);
    }
    CHECK(got.cells == cells);
  }

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }

  std::mt19937 random;
  std::string text;
  std::vector<double> expected_labels;
  Strings expected_docs;
  std::vector<std::map<unsigned, float>> expected_rows;
};

}  // namespace

TEST(a_file_becomes_labels_queries_features_and_document_ids) {
  const Letor got =
      read("2 qid:10 1:0.5 3:-1e2 #docid = GX-1 inc = 1\n\n# no\n0\tqid:7\t2:.25 \r\n-1.5 qid:10 #docid=GX-3\n");
  CHECK_EQ(labels(got), (std::vector<double>{2, 0, -1.5}));
  CHECK_EQ(got.query_ids, (Strings{"10", "7"}));
  CHECK_EQ(got.offsets, (Rows{0, 2, 3}));
  CHECK_EQ(got.order, (Rows{0, 2, 1}));
  CHECK_EQ(got.width, 3);
  CHECK_EQ(got.cells, bits({0.5F, 0, -100, 0, 0.25F, 0, 0, 0, 0}));
  CHECK_EQ(got.docs, (Strings{"GX-1", "", "GX-3"}));
  CHECK_EQ(got.n_docs_named, 2);
  CHECK_EQ(got.n_lines, 5);
}

TEST(a_file_without_qid_has_no_queries) {
  const Letor got = read("1 1:2\n0\n");
  CHECK_EQ(got.query_ids, Strings{});
  CHECK_EQ(got.offsets, Rows{0});
  CHECK_EQ(got.cells, bits({2, 0}));
}

TEST(a_file_without_documents_or_without_features_is_read) {
  for (const char* text : {"", "\n", "# c\n", "  # c"}) {
    CHECK_EQ(read(text).labels.size(), 0);
    CHECK_EQ(read(text).cells.size(), 0);
  }
  CHECK_EQ(read("1 qid:1\n2 qid:1\n").width, 0);
}

TEST(null_and_nan_are_missing_values_and_counted) {
  const Letor got = read("1 qid:1 1:NULL 2:nan 3:NaN 4:inf#c\n");
  CHECK_EQ(got.n_nan, 3);
  CHECK_EQ(got.cells, bits({kNan, kNan, kNan, std::numeric_limits<float>::infinity()}));
}

TEST(values_too_large_for_a_float_are_infinite_and_counted) {
  const Letor got =
      read("1 qid:1 1:1e300 2:-1e999 3:3.5e38 4:3.4e38 5:340000000000000000000000000000000000000\n1 qid:1 1:-inf\n");
  CHECK_EQ(got.n_infinite, 4);
  CHECK_EQ(got.n_nan, 0);
}

TEST(unsorted_features_are_put_in_order) {
  CHECK_EQ(read("1 qid:1 3:3 1:1 2:2\n").cells, bits({1, 2, 3}));
  CHECK_EQ(read("1 qid:1 5:5 2:2\n0 qid:1 1:1 2:2 3:3 4:4 5:5\n").cells, bits({0, 2, 0, 0, 5, 1, 2, 3, 4, 5}));
}

TEST(feature_ids_may_have_leading_zeros) { CHECK_EQ(read("1 qid:1 01:1 000000000000000002:2\n").cells, bits({1, 2})); }

TEST(errors_name_line_and_column) {
  CHECK_EQ(error_in("1 qid:1\nx qid:1\n"), (Error{"a label must be a finite number, got 'x'", 2, 1}));
  CHECK_EQ(error_in(" 1x qid:1"), (Error{"a label must be a finite number, got '1x'", 1, 2}));
  CHECK_EQ(error_in("nan qid:1"), (Error{"a label must be a finite number, got 'nan'", 1, 1}));
  CHECK_EQ(error_in("1e999 qid:1"), (Error{"a label must be a finite number, got '1e999'", 1, 1}));
  CHECK_EQ(error_in("1 qid: 1:2"), (Error{"qid: without a query id", 1, 3}));
  CHECK_EQ(error_in("1 qid:1 x"), (Error{"a feature must be id:value, got 'x'", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 1"), (Error{"a feature must be id:value, got '1'", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 :5"), (Error{"a feature must be id:value, got ':5'", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 -1:5"), (Error{"a feature must be id:value, got '-1:5'", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 0:5"), (Error{"a feature id must be 1 or more, got '0:5'", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 1:2 2:x"), (Error{"the value of feature 2 must be a number or NULL, got 'x'", 1, 15}));
  CHECK_EQ(error_in("1 qid:1 1:"),
           (Error{"the value of feature 1 must be a number or NULL, got the end of the line", 1, 11}));
  CHECK_EQ(error_in("1 qid:1 1:NULLX"), (Error{"the value of feature 1 must be a number or NULL, got 'NULLX'", 1, 11}));
  CHECK_EQ(error_in("1 qid:1 1:1:2"), (Error{"the value of feature 1 must be a number or NULL, got '1:2'", 1, 11}));
  CHECK_EQ(error_in("1 qid:1 3:1 2:2 3:4"), (Error{"feature 3 is repeated in one line", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 2:1 2:2"), (Error{"feature 2 is repeated in one line", 1, 9}));
}

TEST(a_feature_id_above_the_limit_is_refused_however_long) {
  CHECK_EQ(error_in("1 qid:1 4:1", 3), (Error{"a feature id above n_features_max=3, got '4:1'", 1, 9}));
  CHECK_EQ(error_in("1 qid:1 1:1 2:1 3:1 4:1 5:1 6:1", 3), (Error{"a feature id above n_features_max=3, got '4:1'", 1, 21}));
  CHECK(!read("1 qid:1 3:1", 3).error);
  CHECK(error_in("1 qid:1 " + std::string(100'000, '9') + ":1").what.starts_with("a feature id above"));
  CHECK(error_in("1 qid:1 18446744073709551617:1").what.starts_with("a feature id above"));
  CHECK(error_in("1 qid:1 2147483648:1", 2147483647).what.starts_with("a feature id above"));

  // After the largest id, no other is guessed: its successor would overflow.
  const Letor widest = read_letor("1 qid:1 2147483647:1 5:0.123456789\n", true, {}, 1, 2147483647);
  CHECK_EQ(widest.broken, "");
  CHECK_EQ(widest.width, 2147483647);
  CHECK(widest.entries == (std::vector<blocks::Entry>{{0, 4, std::bit_cast<std::uint32_t>(0.123456789F)},
                                                      {0, 2147483646, std::bit_cast<std::uint32_t>(1.0F)}}));
}

TEST(an_id_that_would_fill_the_memory_is_refused_dense_and_read_sparse) {
  const std::string text = "1 qid:1 2147483647:1\n";
  const Letor dense = read_letor(text, false, {}, 1, 2147483647);
  CHECK(dense.error && dense.error->what.find("read them with sparse=True") != std::string::npos);
  idealrank::LetorFile sparse(true, 2147483647);
  CHECK_EQ(sparse.feed(text, true, 1), text.size());
  CHECK_EQ(sparse.rows.columns[0], 2147483646);
  CHECK_EQ(sparse.rows.width, 2147483647);
}

TEST(lines_with_and_without_qid_do_not_mix_and_the_line_is_named) {
  CHECK_EQ(error_in("1 qid:1 1:1\n1 1:1\n"),
           (Error{"a line without qid: in a file whose other lines have one, got '1:1'", 2, 3}));
  CHECK_EQ(error_in("1 qid:1\n\n2"),
           (Error{"a line without qid: in a file whose other lines have one, got the end of the line", 3, 2}));
  CHECK_EQ(error_in("1 1:1\n1 qid:1 1:1\n"),
           (Error{"a line with qid: in a file whose other lines have none, got 'qid:1'", 2, 3}));
}

TEST(blocks_cut_anywhere_give_the_same_as_one_block) {
  for (const std::string text : {
           "1 qid:1 1:2 #docid = a\r\n0 qid:2 3:1 2:2\n# c\n\n2 qid:1 9:NULL",
           "# c\n1 1:2\n0 2:3\n\n1 4:5\n",
           "# c\n\n1 qid:1 1:2\n#\n0 2:3\n1 qid:1 x\n",
           "1 1:2\n  \n0 qid:1 x\n",
           "1 qid:1 1:2\n1 qid:1 1:x\nbad\n",
           "x",
           "1 qid:1 1:1\nx 1:1\n",
       }) {
    for (const bool sparse : {false, true}) {
      const Letor expected = read_letor(text, sparse);
      for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
          const Letor got = read_letor(text, sparse, {first, second});
          CHECK_EQ(got.error.value_or(Error{}), expected.error.value_or(Error{}));
          CHECK(got == expected);
        }
      }
    }
  }
}

TEST(random_files_are_read_as_they_were_written) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random file(seed);
    for (int i = 0; i < 30; ++i) file.add_row(5, 1 + seed % 12);
    file.check(read(file.text));
    const std::size_t cut = file.text.size() * (seed + 1) / 61;
    file.check(read_letor(file.text, false, {cut / 2, cut}));
    file.check(read_letor(file.text, true, {cut}));
  }
}

TEST(rows_keep_their_values_while_the_array_widens) {
  Random file(1);
  std::vector<std::size_t> cuts;
  for (unsigned width = 1; width <= 300; width += 1 + width / 7) {
    for (int i = 0; i < 20; ++i) file.add_row(5, width);
    cuts.push_back(file.text.size());
  }
  file.check(read_letor(file.text, false, cuts));
  file.check(read(file.text));
}

TEST(a_long_file_is_the_same_on_any_number_of_threads) {
  Random file(2);
  for (unsigned i = 0; file.text.size() < 2'000'000; ++i) file.add_row(500, 1 + i / 300);
  const std::vector<std::size_t> cuts{file.text.size() / 2};
  for (const bool sparse : {false, true}) {
    const Letor one = read_letor(file.text, sparse, cuts, 1);
    file.check(one);
    CHECK(read_letor(file.text, sparse, cuts, 4) == one);
    CHECK(read_letor(file.text, sparse, {}, 4) == one);
  }
}

TEST(the_first_of_errors_in_several_chunks_is_reported) {
  const std::string good = "1 qid:1 1:1" + std::string(28, ' ') + "\n";
  std::string text;
  for (int i = 1; i <= 50'000; ++i)
    text += i == 30'001 ? "1 1:1\n" : i == 40'000 ? "1 qid:1 1:x\n" : i == 50'000 ? "x\n" : good;
  for (const int n_threads : {1, 4}) {
    for (const std::vector<std::size_t>& cuts : {std::vector<std::size_t>{}, {text.size() / 2}, {100'000, 1'000'000}}) {
      const Letor got = read_letor(text, false, cuts, n_threads);
      CHECK(got.error.has_value());
      CHECK_EQ(got.error.value_or(Error{}).line, 30'001);
      CHECK_EQ(got.error.value_or(Error{}).column, 3);
    }
  }
}

TEST(hostile_shapes_are_read_in_linear_time) {
  std::string descending = "1 qid:1";
  for (int id = 100'000; id > 0; --id) descending += " " + std::to_string(id) + ":1";
  CHECK_EQ(read_letor(descending, true, {}, 1, 100'000).entries.size(), 100'000);

  std::string many_queries, many_widths;
  for (int i = 1; i <= 100'000; ++i) many_queries += "1 qid:" + std::to_string(i) + "\n";
  for (int i = 1; i <= 1000; ++i) many_widths += "1 qid:1 " + std::to_string(i) + ":1\n";
  CHECK_EQ(read(many_queries).query_ids.size(), 100'000);
  std::vector<std::size_t> every_line;
  for (std::size_t i = 0; i < many_widths.size(); ++i) {
    if (many_widths[i] == '\n') every_line.push_back(i + 1);
  }
  CHECK(read_letor(many_widths, false, every_line) == read(many_widths));
  CHECK(error_in("1 qid:1 #" + std::string(1'000'000, 'd')).what == "no error");
  CHECK(error_in(std::string(1'000'000, '1') + " qid:1").what.starts_with("a label must be"));
}

TEST(taking_the_array_leaves_it_empty) {
  idealrank::LetorFile file(false, 10);
  const std::string text = "1 qid:1 1:1\n", wider = "1 qid:1 2:1\n", widest = "1 qid:1 3:1\n1 qid:1 4:1\n";
  file.feed(text, false, 1);
  file.feed(wider, false, 1);
  file.feed(widest, true, 1);
  CHECK_EQ(file.dense.take().size(), 16);
  CHECK_EQ(file.dense.take().size(), 0);
  CHECK_EQ(file.dense.n_rows(), 0);
}
