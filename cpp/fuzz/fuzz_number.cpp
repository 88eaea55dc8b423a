// Parses arbitrary bytes as a number: the result has the same bits as strtod's, and a number
// that is written parses to itself.
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "idealrank/text/short_number.hpp"
#include "idealrank/text/text_out.hpp"
#include "require.hpp"

namespace {

using idealrank::parse_double;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

double read_back(const std::string& text) {
  double value = 0;
  REQUIRE(parse_double(text.data(), text.data() + text.size(), value) == text.data() + text.size());
  return value;
}

void check_written(double value) {
  std::string text;
  idealrank::append_number(text, value);
  REQUIRE(same(read_back(text), value));
}

void check_feature(float feature) {
  if (std::isnan(feature)) return;  // written as NULL, which parse_double does not accept
  std::string text;
  idealrank::append_feature(text, feature);
  REQUIRE(std::bit_cast<std::uint32_t>(static_cast<float>(read_back(text))) == std::bit_cast<std::uint32_t>(feature));
}

// The parser of short numbers may decline a number, but must not return a different one.
void check_short(std::string_view text, const char* stop, double value) {
  std::string line(static_cast<std::size_t>(idealrank::kShortNumberBefore), '7');
  line += text;
  line.resize(line.size() + static_cast<std::size_t>(idealrank::kShortNumberRoom), '8');
  const char* const start = line.data() + idealrank::kShortNumberBefore;
  double short_value = 0;
  const char* const short_stop = idealrank::parse_short_number(start, short_value);
  if (short_stop == nullptr) return;
  REQUIRE(stop != nullptr && short_stop - start == stop - text.data());
  REQUIRE(same(short_value, value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> exact(data, data + size);  // ends with the text, so that a read past the end is detected
  const char* const begin = exact.data();
  const char* const end = begin + size;
  double value = -1;
  const char* const stop = parse_double(begin, end, value);
  if (stop != nullptr) {
    REQUIRE(stop > begin && stop <= end);
    const std::string number(begin, stop);
    char* number_end = nullptr;
    const double expected = std::strtod(number.c_str(), &number_end);
    REQUIRE(number_end == number.c_str() + number.size());
    REQUIRE(same(value, expected));
    check_written(value);
    check_feature(static_cast<float>(value));
  }

  check_short({begin, size}, stop, value);

  // What strtod parses completely we parse completely, except for forms that only it accepts: leading
  // blanks, hexadecimal, nan(...).
  const std::string text(begin, end);
  const bool besides = text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0 ||
                       text.find_first_of("xX(") != std::string::npos || text.find('\0') != std::string::npos;
  if (!besides) {
    char* text_end = nullptr;
    std::strtod(text.c_str(), &text_end);
    REQUIRE((text_end == text.c_str() + text.size()) == (stop == end));
  }

  if (size >= sizeof(double)) {
    double any = 0;
    std::memcpy(&any, data, sizeof any);
    check_written(any);
    float feature = 0;
    std::memcpy(&feature, data, sizeof feature);
    check_feature(feature);
  }
  return 0;
}
