// Parses arbitrary bytes as TREC judgments and as a run: the result is that of a slow parser, wherever blocks are cut. The
// first two bytes choose the cuts.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>

#include "../tests/trec_outcome.hpp"
#include "require.hpp"

namespace {

using blocks::Trec;
using idealrank::TrecFile;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::string field;
  for (const char c : line + " ") {
    if (c != ' ' && c != '\t') {
      field += c;
    } else if (!field.empty()) {
      fields.push_back(std::exchange(field, {}));
    }
  }
  return fields;
}

// Parses a decimal number with strtod, without the forms that only strtod accepts: blanks, hexadecimal, nan(...).
std::optional<double> number(const std::string& text) {
  if (text.find_first_not_of("+-.0123456789eE") != std::string::npos || text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Slow and obvious. Returns nothing if a line is invalid.
template <TrecFile kind>
std::optional<Trec> read_slowly(std::string_view text, bool has_comments) {
  constexpr bool kIsRun = kind == TrecFile::run;
  struct Row {
    std::string doc;
    double value;
  };
  std::map<std::string, std::vector<Row>> rows_of;
  Trec read;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t stop = std::min(text.find('\n', start), text.size());
    std::string line(text.substr(start, stop - start));
    start = stop + 1;
    ++read.n_lines;
    if (has_comments && line.starts_with("#")) {
      ++read.n_comments;
      continue;
    }
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
    const std::vector<std::string> fields = fields_of(line);
    if (fields.empty()) continue;
    if (kIsRun ? fields.size() < 6 : fields.size() != 4) return std::nullopt;
    const std::optional<double> value = number(fields[kIsRun ? 4 : 3]);
    if (!value) return std::nullopt;
    if (kIsRun) read.tag = fields[5];
    if (!rows_of.contains(fields[0])) read.query_ids.push_back(fields[0]);
    rows_of[fields[0]].push_back({fields[2], *value});
  }
  read.offsets.push_back(0);
  for (const std::string& query : read.query_ids) {
    for (const auto& [doc, value] : rows_of[query]) {
      read.docs.push_back(doc);
      read.values.push_back(std::bit_cast<std::uint64_t>(value));
    }
    read.offsets.push_back(static_cast<std::int64_t>(read.docs.size()));
  }
  return read;
}

template <TrecFile kind>
void check(std::string_view text, const std::vector<std::size_t>& cuts, bool has_comments) {
  const Trec read = blocks::read_trec<kind>(text, {}, 1, has_comments);
  REQUIRE(blocks::read_trec<kind>(text, cuts, 1, has_comments) == read);
  const std::optional<Trec> expected = read_slowly<kind>(text, has_comments);
  REQUIRE(expected.has_value() == !read.error.has_value());
  if (expected) REQUIRE(read == *expected);
  if (read.error) {
    REQUIRE(read.error->line >= 1 && read.error->line <= 1 + std::count(text.begin(), text.end(), '\n'));
    REQUIRE(read.error->column >= 1 && read.error->column <= 1 + static_cast<std::int64_t>(text.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::size_t first = data[0] * (text.size() + 1) / 256, second = data[1] * (text.size() + 1) / 256;
  if (first > second) std::swap(first, second);
  for (const bool has_comments : {true, false}) {
    check<TrecFile::qrels>(text, {first, second}, has_comments);
    check<TrecFile::run>(text, {first, second}, has_comments);
  }
  return 0;
}
