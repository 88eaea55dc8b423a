// Any bytes as LETOR text: dense and sparse agree, wherever blocks are cut. The first two bytes choose the cuts.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../tests/letor_outcome.hpp"
#include "require.hpp"

namespace {

// Few features, so that an input cannot spend its time on zeros.
blocks::Letor read(std::string_view text, bool sparse, const std::vector<std::size_t>& cuts) {
  return blocks::read_letor(text, sparse, cuts, 1, 40);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::size_t first = data[0] * (text.size() + 1) / 256, second = data[1] * (text.size() + 1) / 256;
  if (first > second) std::swap(first, second);

  const blocks::Letor dense = read(text, false, {}), sparse = read(text, true, {});
  REQUIRE(dense.broken.empty());
  REQUIRE(sparse.broken.empty());
  REQUIRE(dense.same_but_for_entries(sparse));
  REQUIRE(read(text, false, {first, second}) == dense);
  REQUIRE(read(text, true, {first, second}) == sparse);

  if (dense.error) {
    REQUIRE(dense.error->line >= 1 && dense.error->line <= 1 + std::count(text.begin(), text.end(), '\n'));
    REQUIRE(dense.error->column >= 1 && dense.error->column <= 1 + static_cast<std::int64_t>(text.size()));
  }
  return 0;
}
