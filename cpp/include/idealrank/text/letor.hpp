// Parses LETOR / SVMlight text, `label qid:Q 1:v 2:v ... #docid = D ...`, into dense or sparse rows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "idealrank/text/grouping.hpp"
#include "idealrank/text/number.hpp"
#include "idealrank/text/short_number.hpp"
#include "idealrank/text/text.hpp"

namespace idealrank {

namespace detail {

// `id:` in the first bytes of a word.
struct SmallId {
  std::uint64_t text = 0, mask = 0;
  std::ptrdiff_t size = 0;
};

inline constexpr std::int32_t kSmallIds = 1000;

constexpr std::array<SmallId, kSmallIds> small_ids() {
  std::array<SmallId, kSmallIds> ids{};
  for (std::int32_t id = 0; id < kSmallIds; ++id) {
    const char digits[] = {static_cast<char>('0' + id / 100), static_cast<char>('0' + id / 10 % 10),
                           static_cast<char>('0' + id % 10), ':'};
    const int n_leading = id < 10 ? 2 : id < 100 ? 1 : 0;
    std::array<unsigned char, 8> text{}, mask{};
    for (int i = n_leading; i < 4; ++i) {
      text[static_cast<std::size_t>(i - n_leading)] = static_cast<unsigned char>(digits[i]);
      mask[static_cast<std::size_t>(i - n_leading)] = 0xFF;
    }
    ids[static_cast<std::size_t>(id)] = {std::bit_cast<std::uint64_t>(text), std::bit_cast<std::uint64_t>(mask),
                                         4 - n_leading};
  }
  return ids;
}

inline constexpr std::array<SmallId, kSmallIds> kSmallIdTexts = small_ids();

}  // namespace detail

// Compressed sparse rows: row i has the entries [row_ends[i - 1], row_ends[i]), with ascending columns counted from 0.
struct LetorRows {
  static constexpr bool kEveryLine = false;

  LetorRows(std::int64_t n_features_max_, const bool& has_queries_)
      : n_features_max(n_features_max_), has_queries(&has_queries_) {}

  std::int64_t n_features_max;
  const bool* has_queries;  // whether every line must have qid:, or none may
  Buffer<double> labels;
  QueryColumn queries;  // empty if no line has a qid
  Ids docs;  // one per row; empty text if a line names none
  std::int64_t n_docs_named = 0;
  Buffer<std::int64_t> row_ends;
  Buffer<std::int32_t> columns;
  Buffer<float> values;
  std::int32_t width = 0;  // highest column + 1
  std::int64_t n_nan = 0;  // values given as NULL or nan
  std::int64_t n_infinite = 0;  // values given as inf, or too large for a float

  void clear() {
    labels.resize(0);
    queries.clear();
    docs.clear();
    n_docs_named = 0;
    row_ends.resize(0);
    columns.resize(0);
    values.resize(0);
    width = 0;
    n_nan = n_infinite = 0;
  }

  // Whether the first row in `text`, after any comments, has qid:.
  static bool first_has_query(std::string_view text) {
    while (!text.empty()) {
      const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
      Line line(text.data(), text.data() + size - (text[size - 1] == '\n' ? 1 : 0));
      if (!line.at_end() && line.peek() != '#') {
        line.field();
        return at_query(line);
      }
      text.remove_prefix(size);
    }
    return false;
  }

  void read(Line& line) {
    if (line.peek() == '#') return;
    labels.push_back(read_label(line));
    read_query(line);
    read_features(line);
    docs.push_back(read_doc(line));
    row_ends.push_back(static_cast<std::int64_t>(values.size()));
  }

 private:
  static bool at_query(const Line& line) {
    return line.end() - line.position() >= 4 && std::memcmp(line.position(), "qid:", 4) == 0;
  }

  static double read_label(Line& line) {
    double label = 0;
    const char* const stop = parse_double(line.position(), line.end(), label);
    if (stop == nullptr || !std::isfinite(label) || (stop < line.end() && !is_blank(*stop))) {
      line.fail_at(line.position(), "a label must be a finite number");
    }
    line.move_to(stop);
    line.skip_blanks();
    return label;
  }

  void read_query(Line& line) {
    const char* const start = line.position();
    if (at_query(line) != *has_queries) {
      line.fail_at(start, *has_queries ? "a line without qid: in a file whose other lines have one"
                                       : "a line with qid: in a file whose other lines have none");
    }
    if (!*has_queries) return;
    const std::string_view id = line.field().substr(4);
    if (id.empty()) line.fail(start, "qid: without a query id");
    queries.push_back(id);
  }

  void read_features(Line& line) {
    const char* p = line.position();
    const char* const end = line.end();
    const char* const features = p;
    // Make room for as many entries as the rest of the line can hold (`1:0` and a blank each),
    // so that the loop need not check.
    const std::size_t first_entry = values.size();
    const std::size_t most = first_entry + static_cast<std::size_t>(end - p) / 4 + 1;
    columns.resize(most);
    values.resize(most);
    std::int32_t* column = columns.data() + first_entry;
    float* feature = values.data() + first_entry;
    std::int32_t last_id = 0, highest_id = 0;
    bool ascending = true;

    while (p < end && *p != '#') {
      const std::int64_t next = std::int64_t{last_id} + 1;  // the largest id has no successor in 32 bits
      const std::int32_t id = begins_with_id(p, end, next) ? static_cast<std::int32_t>(next) : read_feature_id(line, p);
      const bool has_room = p - features >= kShortNumberBefore && end - p >= kShortNumberRoom;
      double value = 0;
      const char* const stop = has_room ? parse_short_number(p, value) : nullptr;
      p = stop != nullptr ? stop : read_value(line, p, id, value);
      if (id <= last_id) ascending = false;
      last_id = id;
      highest_id = std::max(highest_id, id);
      *column++ = id - 1;
      *feature++ = static_cast<float>(value);
      while (p < end && is_blank(*p)) ++p;
    }
    columns.resize(static_cast<std::size_t>(column - columns.data()));
    values.resize(static_cast<std::size_t>(feature - values.data()));
    width = std::max(width, highest_id);
    line.move_to(p);
    if (!ascending) sort_row(line, features, first_entry);
  }

  // Whether `id:` is at p; if so, moves p past the colon. Most files list every feature in turn, and a correct
  // guess costs less than parsing.
  bool begins_with_id(const char*& p, const char* end, std::int64_t id) const {
    if (id >= detail::kSmallIds || id > n_features_max || end - p < 8) return false;
    std::uint64_t text = 0;
    std::memcpy(&text, p, sizeof text);
    const detail::SmallId& wanted = detail::kSmallIdTexts[static_cast<std::size_t>(id)];
    if ((text & wanted.mask) != wanted.text) return false;
    p += wanted.size;
    return true;
  }

  // Parses any value, including NULL, and returns where it ends.
  const char* read_value(const Line& line, const char* p, std::int32_t id, double& value) {
    const char* const end = line.end();
    const char* stop = parse_double(p, end, value);
    if (stop == nullptr && end - p >= 4 && std::memcmp(p, "NULL", 4) == 0) {
      value = std::numeric_limits<double>::quiet_NaN();
      stop = p + 4;
    }
    if (stop == nullptr || (stop < end && !is_blank(*stop) && *stop != '#')) {
      line.fail_at(p, "the value of feature " + std::to_string(id) + " must be a number or NULL");
    }
    if (value != value) ++n_nan;
    if (std::isinf(static_cast<float>(value))) ++n_infinite;
    return stop;
  }

  // Parses `id:` and moves p past the colon.
  std::int32_t read_feature_id(const Line& line, const char*& p) const {
    const char* const start = p;
    const char* const end = line.end();
    std::int64_t id = 0;
    while (p < end && detail::is_digit(*p) && p - start < 18) id = 10 * id + (*p++ - '0');
    const bool has_colon = p > start && p < end && *p == ':';
    const bool too_long = !has_colon && p < end && detail::is_digit(*p);
    if (!has_colon && !too_long) line.fail_at(start, "a feature must be id:value");
    if (has_colon && id == 0) line.fail_at(start, "a feature id must be 1 or more");
    if (too_long || id > n_features_max) {
      line.fail_at(start, "a feature id above n_features_max=" + std::to_string(n_features_max));
    }
    ++p;
    return static_cast<std::int32_t>(id);
  }

  void sort_row(const Line& line, const char* features, std::size_t first_entry) {
    const std::size_t n = values.size() - first_entry;
    std::vector<std::pair<std::int32_t, float>> entries(n);
    for (std::size_t i = 0; i < n; ++i) entries[i] = {columns[first_entry + i], values[first_entry + i]};
    std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && entries[i].first == entries[i - 1].first) {
        line.fail(features, "feature " + std::to_string(entries[i].first + 1) + " is repeated in one line");
      }
      columns[first_entry + i] = entries[i].first;
      values[first_entry + i] = entries[i].second;
    }
  }

  // Returns D of `#docid = D ...`, or an empty text if the comment has none.
  std::string_view read_doc(Line& line) {
    const std::string_view comment(line.position(), static_cast<std::size_t>(line.end() - line.position()));
    const std::size_t word = comment.find("docid");
    if (word == std::string_view::npos) return {};
    line.move_to(line.position() + word + 5);
    line.skip_blanks();
    if (line.at_end() || line.peek() != '=') return {};
    line.move_to(line.position() + 1);
    line.skip_blanks();
    const std::string_view doc = line.field();
    n_docs_named += doc.empty() ? 0 : 1;
    return doc;
  }
};

// A matrix of floats that grows by rows and, rarely, by columns.
class DenseRows {
 public:
  std::int64_t n_rows() const { return n_rows_; }
  std::int32_t width() const { return width_; }

  // Makes room for `n` more rows of up to `width` columns. Their cells are not initialized.
  void grow(std::int64_t n, std::int32_t width) {
    if (width > stride_) {
      // Many files show their full width at once, and then the stride is exact. If the width grows later, the stride grows
      // by half, so that rows are moved a bounded number of times.
      const std::int64_t by_half = std::int64_t{stride_} + stride_ / 2;
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      widen(n_rows_ == 0 ? width : std::max(width, static_cast<std::int32_t>(std::min(by_half, kMost))));
    }
    width_ = std::max(width_, width);
    n_rows_ += n;
    cells_.resize(static_cast<std::size_t>(n_rows_) * static_cast<std::size_t>(stride_));
  }

  // Writes the rows of `chunk`, starting at row `first`. Features that a line omits are 0.
  void put(std::int64_t first, const LetorRows& chunk) {
    std::size_t entry = 0;
    const auto stride = static_cast<std::size_t>(stride_);
    for (std::size_t i = 0; i < chunk.row_ends.size(); ++i) {
      float* const row = cells_.data() + (static_cast<std::size_t>(first) + i) * stride;
      const auto stop = static_cast<std::size_t>(chunk.row_ends[i]);
      if (stop - entry == stride && stride > 0) {  // ascending columns, none omitted
        std::memcpy(row, chunk.values.data() + entry, stride * sizeof(float));
      } else {
        std::fill_n(row, stride, 0.0F);
        for (std::size_t e = entry; e < stop; ++e) row[chunk.columns[e]] = chunk.values[e];
      }
      entry = stop;
    }
  }

  std::size_t bytes_after(std::int64_t n, std::int32_t width) const {
    return static_cast<std::size_t>(n_rows_ + n) * static_cast<std::size_t>(std::max(width, stride_)) * sizeof(float);
  }

  // Returns n_rows x width cells without gaps, and leaves the matrix empty.
  Buffer<float> take(Stop stop = {}) {
    const auto width = static_cast<std::size_t>(width_), stride = static_cast<std::size_t>(stride_);
    if (width < stride) {
      for (std::size_t row = 1; row < static_cast<std::size_t>(n_rows_); ++row) {
        stop.before(width);
        std::memmove(cells_.data() + row * width, cells_.data() + row * stride, width * sizeof(float));
      }
      cells_.resize(static_cast<std::size_t>(n_rows_) * width);
    }
    cells_.shrink_to_fit();
    n_rows_ = 0;
    width_ = stride_ = 0;
    return std::move(cells_);
  }

 private:
  void widen(std::int32_t stride) {
    const auto old = static_cast<std::size_t>(stride_), wide = static_cast<std::size_t>(stride);
    cells_.resize(static_cast<std::size_t>(n_rows_) * wide);
    for (auto row = static_cast<std::size_t>(n_rows_); row-- > 0;) {
      float* const target = cells_.data() + row * wide;
      if (old > 0) std::memmove(target, cells_.data() + row * old, old * sizeof(float));
      std::fill(target + old, target + wide, 0.0F);
    }
    stride_ = stride;
  }

  Buffer<float> cells_;
  std::int64_t n_rows_ = 0;
  std::int32_t width_ = 0, stride_ = 0;
};

// A whole file: takes blocks of text, and produces arrays.
class LetorFile {
 public:
  LetorFile(bool sparse, std::int64_t n_features_max)
      : rows(n_features_max, has_queries_),
        sparse_(sparse),
        parser_([this, n_features_max] { return LetorRows(n_features_max, has_queries_); }) {}
  LetorFile(const LetorFile&) = delete;  // chunks point to has_queries_
  LetorFile& operator=(const LetorFile&) = delete;

  // If `sparse`, `rows` holds everything; otherwise its columns, values and row_ends stay empty,
  // and `dense` holds the features.
  LetorRows rows;
  DenseRows dense;

  std::size_t feed(std::string_view text, bool last, int n_threads) {
    n_bytes_seen_ = n_bytes_used_ + text.size();
    // This is decided before the block is cut into pieces, so that an error does not depend on the cuts.
    if (rows.labels.size() == 0) has_queries_ = LetorRows::first_has_query(text);
    const std::size_t used = parser_.feed(
        text, last, n_threads,
        [&](const LetorRows& chunk, std::int64_t line) {
          append(chunk);
          if (!sparse_) grow_dense(chunk, line);
          return dense.n_rows() - static_cast<std::int64_t>(chunk.labels.size());
        },
        [&](std::int64_t first_row, const LetorRows& chunk) {
          if (!sparse_) dense.put(first_row, chunk);
        });
    n_bytes_used_ += used;
    return used;
  }
  std::int64_t n_lines() const { return parser_.n_lines(); }

 private:
  void append(const LetorRows& chunk) {
    const auto shift = static_cast<std::int64_t>(rows.values.size());
    rows.labels.append(chunk.labels.span());
    rows.queries.append(chunk.queries);
    rows.docs.append(chunk.docs);
    rows.n_docs_named += chunk.n_docs_named;
    rows.n_nan += chunk.n_nan;
    rows.n_infinite += chunk.n_infinite;
    rows.width = std::max(rows.width, chunk.width);
    if (sparse_) {
      for (const std::int64_t end : chunk.row_ends.span()) rows.row_ends.push_back(end + shift);
      rows.columns.append(chunk.columns.span());
      rows.values.append(chunk.values.span());
    }
  }

  void grow_dense(const LetorRows& chunk, std::int64_t line) {
    const auto n = static_cast<std::int64_t>(chunk.labels.size());
    const std::size_t bytes = dense.bytes_after(n, rows.width);
    // Text needs at least 4 bytes per value, so an array of a hundred times its size is at least 99%
    // zeros, and may exhaust the memory.
    if (bytes > kSurelyFine && bytes / 100 > n_bytes_seen_) {
      raise(parse_error("as a dense array the rows up to about this line take " + std::to_string(bytes >> 20) + " MiB for " +
                            std::to_string(n_bytes_seen_ >> 20) + " MiB of text; read them with sparse=True",
                        line + 1, 1));
    }
    dense.grow(n, rows.width);
  }

  static constexpr std::size_t kSurelyFine = std::size_t{1} << 30;

  bool sparse_, has_queries_ = false;
  std::size_t n_bytes_used_ = 0, n_bytes_seen_ = 0;
  BlockParser<LetorRows> parser_;
};

}  // namespace idealrank
