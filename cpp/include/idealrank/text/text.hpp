// Files as blocks of lines: a block is cut into pieces at line ends, which are parsed in parallel and then joined in order.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"

namespace idealrank {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A line that is being parsed. `fail` throws; its position is the current one, or the one given.
class Line {
 public:
  struct Failure {
    const char* where;
    std::string what;
  };

  Line(const char* begin, const char* end) : p_(begin), end_(end) {
    while (end_ > p_ && (is_blank(end_[-1]) || end_[-1] == '\r')) --end_;
    skip_blanks();
  }

  const char* position() const { return p_; }
  const char* end() const { return end_; }
  bool at_end() const { return p_ == end_; }
  char peek() const { return *p_; }
  void move_to(const char* p) { p_ = p; }
  void skip_blanks() {
    while (p_ < end_ && is_blank(*p_)) ++p_;
  }

  // Returns the text up to the next blank, and moves past it and the blanks that follow.
  std::string_view field() {
    const char* const start = p_;
    while (p_ < end_ && !is_blank(*p_)) ++p_;
    const std::string_view text(start, static_cast<std::size_t>(p_ - start));
    skip_blanks();
    return text;
  }

  [[noreturn]] void fail(const std::string& what) const { fail(p_, what); }
  [[noreturn]] void fail(const char* where, const std::string& what) const { raise(Failure{where, what}); }

  // Throws "what, got 'text'" with the text at `where` up to the next blank, shortened, and with unprintable bytes as \xNN.
  [[noreturn]] void fail_at(const char* where, const std::string& what) const {
    if (where == end_) fail(where, what + ", got the end of the line");
    std::string shown;
    const char* p = where;
    for (; p < end_ && !is_blank(*p) && shown.size() < 40; ++p) {
      const auto byte = static_cast<unsigned char>(*p);
      if (byte >= 0x20 && byte != 0x7F) {
        shown += *p;
      } else {
        constexpr char kHex[] = "0123456789abcdef";
        shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
    fail(where, what + ", got '" + shown + (p < end_ && !is_blank(*p) ? "...'" : "'"));
  }

 private:
  const char* p_;
  const char* end_;
};

#ifdef __cpp_exceptions
// A Chunk has `void clear()` and `void read(Line&)`. The latter is called for every line that is neither empty nor a
// comment; if Chunk::kEveryLine is set, also for empty lines. Comments are lines that begin with '#', if the format has any.
template <class Chunk>
class BlockParser {
 public:
  explicit BlockParser(
      std::function<Chunk()> make_chunk = [] { return Chunk(); }, bool has_comments = true)
      : make_chunk_(std::move(make_chunk)), has_comments_(has_comments) {}

  // Parses the complete lines of `text`, or all of it if this is the `last` block, and returns the number of bytes consumed;
  // the caller passes the rest again, followed by more. Calls make_room(chunk, lines before it) for each piece in file
  // order, and when all have their place, put(place, chunk) on all threads.
  template <class MakeRoom, class Put>
  std::size_t feed(std::string_view text, bool last, int n_threads, MakeRoom&& make_room, Put&& put) {
    const std::size_t used = last ? text.size() : text.rfind('\n') + 1;
    text = text.substr(0, used);

    std::vector<std::string_view> pieces;
    while (!text.empty()) {
      std::size_t size = text.size();
      if (size > kPieceSize) {
        const std::size_t newline = text.find('\n', kPieceSize);
        if (newline != std::string_view::npos) size = newline + 1;
      }
      pieces.push_back(text.substr(0, size));
      text.remove_prefix(size);
    }
    while (chunks_.size() < pieces.size()) chunks_.emplace_back(make_chunk_());

    for_each_task(static_cast<std::int64_t>(pieces.size()), n_threads, [&] {
      return [&](std::int64_t task) {
        const auto i = static_cast<std::size_t>(task);
        chunks_[i].parse(pieces[i], has_comments_);
      };
    });
    std::vector<decltype(make_room(chunks_[0].chunk, n_lines_))> places;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Parsed& parsed = chunks_[i];
      if (parsed.failure) {
        raise(parse_error(parsed.failure->what, n_lines_ + parsed.failure->line, parsed.failure->column));
      }
      places.push_back(make_room(parsed.chunk, n_lines_));
      n_lines_ += parsed.n_lines;
      n_comments_ += parsed.n_comments;
    }
    for_each_task(static_cast<std::int64_t>(pieces.size()), n_threads, [&] {
      return [&](std::int64_t task) {
        const auto i = static_cast<std::size_t>(task);
        put(places[i], std::as_const(chunks_[i].chunk));
      };
    });
    return used;
  }

  // Collects everything in one chunk, which must have make_room and put itself.
  std::size_t feed(std::string_view text, bool last, int n_threads, Chunk& all) {
    return feed(
        text, last, n_threads, [&](const Chunk& chunk, std::int64_t) { return all.make_room(chunk); },
        [&](const auto& place, const Chunk& chunk) { all.put(place, chunk); });
  }

  // The number of lines read so far, including comments and empty lines.
  std::int64_t n_lines() const { return n_lines_; }
  std::int64_t n_comments() const { return n_comments_; }

 private:
  // Large enough to make threads worthwhile, small enough for a chunk and its results to stay in the cache.
  static constexpr std::size_t kPieceSize = std::size_t{1} << 19;

  struct Failure {
    std::string what;
    std::int64_t line, column;
  };
  struct Parsed {
    explicit Parsed(Chunk made) : chunk(std::move(made)) {}

    Chunk chunk;
    std::int64_t n_lines = 0, n_comments = 0;
    std::optional<Failure> failure;

    void parse(std::string_view text, bool has_comments) {
      chunk.clear();
      n_lines = n_comments = 0;
      failure.reset();
      const char* p = text.data();
      const char* const end = p + text.size();
      while (p < end) {
        const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
        const char* const stop = newline != nullptr ? static_cast<const char*>(newline) : end;
        ++n_lines;
        try {
          if (has_comments && *p == '#') {
            ++n_comments;
          } else {
            Line line(p, stop);
            if (Chunk::kEveryLine || !line.at_end()) chunk.read(line);
          }
        } catch (const Line::Failure& caught) {
          failure = Failure{caught.what, n_lines, caught.where - p + 1};
          return;
        }
        p = stop + 1;
      }
    }
  };

  std::function<Chunk()> make_chunk_;
  bool has_comments_;
  std::vector<Parsed> chunks_;
  std::int64_t n_lines_ = 0, n_comments_ = 0;
};
#endif

}  // namespace idealrank
