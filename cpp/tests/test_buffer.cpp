#include "idealrank/buffer.hpp"

#include <cstdint>
#include <limits>
#include <new>

#include "check.hpp"

using idealrank::Buffer;

namespace {

std::vector<int> values(const Buffer<int>& buffer) { return {buffer.data(), buffer.data() + buffer.size()}; }

Buffer<int> counted(int n) {
  Buffer<int> buffer;
  for (int i = 0; i < n; ++i) buffer.push_back(i);
  return buffer;
}

}  // namespace

TEST(a_new_buffer_is_empty) {
  Buffer<int> buffer;
  CHECK_EQ(buffer.size(), 0);
  CHECK(buffer.data() == nullptr);
  CHECK(buffer.span().empty());
}

TEST(pushed_elements_stay_while_the_buffer_grows) {
  const Buffer<int> buffer = counted(100'000);
  CHECK_EQ(buffer.size(), 100'000);
  bool same = true;
  for (int i = 0; i < 100'000; ++i) same = same && buffer[static_cast<std::size_t>(i)] == i;
  CHECK(same);
}

TEST(an_element_can_be_pushed_onto_its_own_buffer) {
  Buffer<int> buffer = counted(3);
  for (int i = 0; i < 1000; ++i) buffer.push_back(buffer[2]);
  CHECK_EQ(buffer[1002], 2);
}

TEST(append_takes_spans_of_any_length_and_empty_ones) {
  Buffer<int> buffer;
  buffer.append({});
  CHECK_EQ(buffer.size(), 0);
  const std::vector<int> three{1, 2, 3};
  buffer.append(three);
  buffer.append({});
  buffer.append(std::span(three).first(2));
  CHECK_EQ(values(buffer), (std::vector<int>{1, 2, 3, 1, 2}));
}

TEST(resize_keeps_the_elements_that_remain) {
  Buffer<int> buffer = counted(5);
  buffer.resize(2);
  buffer.resize(4);
  CHECK_EQ(buffer.size(), 4);
  CHECK_EQ(buffer[1], 1);
}

TEST(shrinking_keeps_the_elements) {
  Buffer<int> buffer = counted(1000);
  buffer.resize(3);
  buffer.shrink_to_fit();
  CHECK_EQ(values(buffer), (std::vector<int>{0, 1, 2}));
  buffer.resize(0);
  buffer.shrink_to_fit();
  buffer.shrink_to_fit();
  CHECK_EQ(buffer.size(), 0);
  buffer.push_back(7);
  CHECK_EQ(values(buffer), std::vector<int>{7});
}

TEST(an_empty_buffer_shrinks_without_allocating) {
  Buffer<int> buffer;
  buffer.shrink_to_fit();
  CHECK(buffer.data() == nullptr);
}

TEST(a_moved_buffer_gives_its_elements_away_and_can_be_filled_again) {
  Buffer<int> from = counted(3);
  Buffer<int> to = std::move(from);
  CHECK_EQ(values(to), (std::vector<int>{0, 1, 2}));
  CHECK_EQ(from.size(), 0);  // NOLINT: a moved-from buffer is empty, and this says so
  from.push_back(9);
  to = std::move(from);
  CHECK_EQ(values(to), std::vector<int>{9});
}

TEST(released_memory_belongs_to_the_caller) {
  Buffer<int> buffer = counted(3);
  int* const memory = buffer.release();
  CHECK_EQ(memory[2], 2);
  CHECK_EQ(buffer.size(), 0);
  CHECK(buffer.data() == nullptr);
  buffer.push_back(1);
  CHECK_EQ(values(buffer), std::vector<int>{1});
  std::free(memory);
}

TEST(a_size_beyond_all_memory_is_bad_alloc_and_changes_nothing) {
  Buffer<int> buffer = counted(3);
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {kMost, kMost / 2, kMost / 4, kMost / 8 + 1}) {
    CHECK_THROWS(std::bad_alloc, buffer.resize(size));
    CHECK_EQ(values(buffer), (std::vector<int>{0, 1, 2}));
  }
}
