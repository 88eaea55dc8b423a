// Parses arbitrary bytes as LETOR text: dense and sparse results agree, wherever blocks are cut and whatever the limit on
// feature ids. The first two bytes choose the cuts, and the third the largest limit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "../tests/letor_outcome.hpp"
#include "require.hpp"

namespace {

using blocks::Letor;

// Few features, so that an input cannot waste time on zeros.
constexpr std::int64_t kFew = 40;

void check_place(const Letor& read, std::string_view text) {
  if (!read.error) return;
  REQUIRE(read.error->line >= 1 && read.error->line <= 1 + std::count(text.begin(), text.end(), '\n'));
  REQUIRE(read.error->column >= 1 && read.error->column <= 1 + static_cast<std::int64_t>(text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  std::size_t first = data[0] * (text.size() + 1) / 256, second = data[1] * (text.size() + 1) / 256;
  if (first > second) std::swap(first, second);

  const Letor dense = blocks::read_letor(text, false, {}, 1, kFew), sparse = blocks::read_letor(text, true, {}, 1, kFew);
  REQUIRE(dense.broken.empty());
  REQUIRE(sparse.broken.empty());
  REQUIRE(dense.same_but_for_entries(sparse));
  REQUIRE(blocks::read_letor(text, false, {first, second}, 1, kFew) == dense);
  REQUIRE(blocks::read_letor(text, true, {first, second}, 1, kFew) == sparse);
  check_place(dense, text);

  // Up to the largest feature ids: the width of a sparse row costs nothing.
  constexpr std::int64_t kLimits[] = {999, 1000, 100'000, std::numeric_limits<std::int32_t>::max()};
  const std::int64_t limit = kLimits[data[2] % std::size(kLimits)];
  const Letor wide = blocks::read_letor(text, true, {}, 1, limit);
  REQUIRE(wide.broken.empty());
  REQUIRE(blocks::read_letor(text, true, {first, second}, 1, limit) == wide);
  check_place(wide, text);
  if (!sparse.error) REQUIRE(wide == sparse);
  if (sparse.error && !wide.error) REQUIRE(wide.width > kFew && wide.width <= limit);
  return 0;
}
