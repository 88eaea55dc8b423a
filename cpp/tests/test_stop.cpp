#include "idealrank/stop.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/pairs/label_levels.hpp"
#include "idealrank/sort/order.hpp"
#include "idealrank/sort/top.hpp"
#include "idealrank/text/grouping.hpp"
#include "idealrank/text/ids.hpp"

using namespace idealrank;

namespace {

struct Pressed : std::runtime_error {
  Pressed() : std::runtime_error("Ctrl-C") {}
};

// A poll has no arguments, so its state is global.
std::atomic<int> n_polls{0};
std::atomic<bool> pressed{false};
std::atomic<std::thread::id> polled_by{};

void poll() {
  ++n_polls;
  polled_by = std::this_thread::get_id();
  if (pressed) throw Pressed();
}

void begin(bool is_pressed) {
  n_polls = 0;
  pressed = is_pressed;
}

// Work that never ends by itself.
void work_until_stopped(Stop& stop) {
  while (true) stop.before(100);
}

}  // namespace

TEST(a_stop_without_a_poll_ends_nothing) {
  Stop stop;
  for (int i = 0; i < 1000; ++i) stop.before(10'000'000);
}

TEST(what_the_poll_throws_reaches_the_caller) {
  begin(true);
  Stop stop(poll);
  CHECK_THROWS(Pressed, work_until_stopped(stop));
  CHECK_EQ(n_polls.load(), 1);
}

TEST(copies_share_the_time_that_has_passed) {
  begin(true);
  const Stop stop(poll);
  std::this_thread::sleep_for(Stop::kBetweenPolls);
  Stop of_a_part = stop;
  CHECK_THROWS(Pressed, of_a_part.before(10'000'000));
}

TEST(short_work_is_never_polled) {
  begin(true);
  Stop stop(poll);
  for (int i = 0; i < 100; ++i) stop.before(10);
  CHECK_EQ(n_polls.load(), 0);
}

TEST(the_calling_thread_polls_and_all_threads_end) {
  for (const int n_threads : {1, 2, 4}) {
    begin(true);
    std::atomic<int> n_ended{0}, n_begun{0};
    CHECK_THROWS(Pressed, for_each_task(n_threads, Threads(n_threads, poll), [&](const Stop& given) {
                   return [&, stop = given](std::int64_t) mutable {
                     ++n_begun;
                     try {
                       work_until_stopped(stop);
                     } catch (...) {
                       ++n_ended;
                       throw;
                     }
                   };
                 }));
    CHECK(n_begun >= 1);
    CHECK_EQ(n_ended.load(), n_begun.load());
    CHECK(polled_by.load() == std::this_thread::get_id());
  }
}

TEST(threads_are_stopped_when_the_calling_thread_has_no_work_left) {
  begin(true);
  const auto caller = std::this_thread::get_id();
  CHECK_THROWS(Pressed, for_each_task(2, Threads(2, poll), [&](const Stop& given) {
                 const bool is_caller = std::this_thread::get_id() == caller;
                 return [&, is_caller, stop = given](std::int64_t task) mutable {
                   if (!is_caller || task == 1) work_until_stopped(stop);
                 };
               }));
  CHECK_EQ(n_polls.load(), 1);
}

TEST(an_interrupt_takes_precedence_over_failures_of_other_threads) {
  begin(true);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> caller_works{false};
  CHECK_THROWS(Pressed, for_each_task(2, Threads(2, poll), [&](const Stop& given) {
                 const bool is_caller = std::this_thread::get_id() == caller;
                 return [&, is_caller, stop = given](std::int64_t) mutable {
                   if (is_caller) {
                     caller_works = true;
                     work_until_stopped(stop);
                   }
                   while (!caller_works) std::this_thread::yield();
                   throw std::runtime_error("another failure");
                 };
               }));
}

TEST(results_are_the_same_when_polls_find_nothing) {
  begin(false);
  constexpr std::size_t kLong = 3 << 18;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(kLong);
  for (auto& value : numbers) value = random() % 1000;
  std::vector<std::uint64_t> expected = numbers, found = numbers;
  std::sort(expected.begin(), expected.end());
  Stop stop(poll);
  stoppable_sort(found.begin(), found.end(), std::less<>(), stop);
  CHECK(found == expected);

  std::vector<int> visits(kLong + 5, 0);
  for_each_part(visits.size(), stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) ++visits[i];
  });
  CHECK(visits == std::vector<int>(kLong + 5, 1));

  std::vector<int> resized{7, 8, 9};
  for (const std::size_t size : {kLong, kLong + 1, std::size_t{2}, std::size_t{2}, std::size_t{0}, std::size_t{5}}) {
    std::vector<int> plain = resized;
    plain.resize(size);
    stoppable_resize(resized, size, stop);
    CHECK(resized == plain);
  }
}

TEST(every_pass_over_a_long_list_is_stopped) {
  const std::size_t n = 1 << 19;
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(i * 7919 % n);
  auto stops = [&](auto&& call) {
    begin(true);
    Stop stop(poll);
    std::this_thread::sleep_for(Stop::kBetweenPolls);
    CHECK_THROWS(Pressed, call(stop));
  };
  stops([&](const Stop& stop) { (void)OwnCopy(stop)(numbers); });
  stops([&](Stop stop) {
    std::vector<double> column;
    stoppable_resize(column, n, stop);
  });
  std::vector<std::uint32_t> order(n);
  stops([&](const Stop& stop) { RadixOrder{stop}(numbers, order); });
  stops([&](const Stop& stop) { (void)TopRanker(stop)(numbers, n, 0, 0); });
  stops([&](const Stop& stop) { (void)TopRanker(stop)(numbers, 10, 0, 0); });
  stops([&](const Stop& stop) { LabelLevels{stop}(numbers, 0, 0); });
  const std::vector<double> few(n, 1.0);
  stops([&](const Stop& stop) { LabelLevels{stop}(few, 0, 0); });
  // If not stopped, the result is correct.
  OwnCopy copy;
  const auto own = copy(numbers);
  CHECK(std::equal(own.begin(), own.end(), numbers.begin(), numbers.end()));
}

TEST(long_columns_of_ids_are_stopped) {
  Ids ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(std::to_string(i));
  std::vector<std::int64_t> rows(1 << 18), queries(1 << 18);
  for (std::size_t i = 0; i < rows.size(); ++i) queries[i] = rows[i] = static_cast<std::int64_t>(i % 1000);
  auto stops = [&](auto&& call) {
    begin(true);
    Stop stop(poll);
    std::this_thread::sleep_for(Stop::kBetweenPolls);
    CHECK_THROWS(Pressed, call(stop));
  };
  stops([&](const Stop& stop) { (void)take(ids.view(), rows, stop); });
  stops([&](const Stop& stop) { (void)group(queries, 1000, stop); });
  const Ids many = take(ids.view(), rows);
  std::vector<std::int64_t> numbers(rows.size());
  stops([&](const Stop& stop) {
    IdSet set;
    number(many.view(), set, numbers, stop);
  });
  stops([&](const Stop& stop) { match(many.view(), ids.view(), numbers, stop); });
  // If not stopped, every row gets its own id.
  match(many.view(), ids.view(), numbers);
  CHECK(numbers == rows);
}
