// Feeds texts to a parser in blocks, like files, and gives the outcome in a form that can be compared.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "idealrank/errors.hpp"
#include "idealrank/text/grouping.hpp"
#include "idealrank/text/ids.hpp"

namespace blocks {

struct Error {
  std::string what;
  std::int64_t line, column;
  friend bool operator==(const Error&, const Error&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Error& e) {
    return out << e.line << ':' << e.column << ": " << e.what;
  }
};

// Feeds text[0, cuts[0]), text[.., cuts[1]), ..., and the rest as the last block; `cuts` must be ascending. What a
// block leaves unconsumed is passed again with the next one. Each block is a copy of exactly its size, so that a
// read past its end is detected.
template <class Feed>
void feed_in_blocks(std::string_view text, const std::vector<std::size_t>& cuts, Feed&& feed) {
  std::size_t used = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const bool last = i == cuts.size();
    const std::size_t stop = last ? text.size() : cuts[i];
    const std::vector<char> block(text.begin() + static_cast<std::ptrdiff_t>(used),
                                  text.begin() + static_cast<std::ptrdiff_t>(stop));
    used += feed(std::string_view(block.data(), block.size()), last);
  }
}

// The position and text of the parse_error that the call throws, if any.
template <class Call>
std::optional<Error> error_of(Call&& call) {
  try {
    call();
  } catch (const idealrank::parse_error& e) {
    return Error{e.what(), e.line, e.column};
  }
  return std::nullopt;
}

inline std::vector<std::string> strings(const idealrank::IdsView& ids) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < ids.size(); ++i) all.emplace_back(ids[i]);
  return all;
}

template <class T>
std::vector<T> values(const idealrank::Buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

// Bits, so that NaN and -0.0 can be compared.
inline std::vector<std::uint64_t> bits(const idealrank::Buffer<double>& buffer) {
  std::vector<std::uint64_t> all;
  for (const double value : buffer.span()) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}
inline std::vector<std::uint32_t> bits(const idealrank::Buffer<float>& buffer) {
  std::vector<std::uint32_t> all;
  for (const float value : buffer.span()) all.push_back(std::bit_cast<std::uint32_t>(value));
  return all;
}

}  // namespace blocks
