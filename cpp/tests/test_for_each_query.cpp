#include "idealrank/for_each_query.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include "check.hpp"

using idealrank::for_each_query;
using idealrank::for_each_task;
using idealrank::kDocsPerTask;
using idealrank::kDocsWorthAThread;
using idealrank::share_tasks;

namespace {

using Offsets = std::vector<std::int64_t>;

Offsets offsets_of(const std::vector<std::int64_t>& sizes) {
  Offsets offsets{0};
  for (const std::int64_t size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

Offsets random_offsets(std::mt19937& random, std::int64_t n_docs) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = n_docs; left > 0; left -= sizes.back()) {
    const auto kind = random() % 10;
    const std::int64_t size = kind < 3   ? 0
                              : kind < 9 ? static_cast<std::int64_t>(random() % 200)
                                         : static_cast<std::int64_t>(random() % 40'000);
    sizes.push_back(std::min(size, left));
  }
  return offsets_of(sizes);
}

std::vector<Offsets> shapes() {
  const std::vector<std::int64_t> none(1000, 0);
  std::vector<Offsets> all{
      {},
      {0},
      offsets_of({0}),
      offsets_of({1}),
      offsets_of(none),
      offsets_of({1'000'000}),
      offsets_of({0, 0, 1'000'000, 0, 0}),
      offsets_of(std::vector<std::int64_t>(200'000, 1)),
      offsets_of(std::vector<std::int64_t>(10, kDocsPerTask)),
      offsets_of({kDocsWorthAThread - 1, 0}),
      offsets_of({kDocsWorthAThread, 0}),
      offsets_of({50'000, 50'000}),
  };
  // Empty queries exactly where one task's share of the rows ends and the next begins, and at the very end.
  std::vector<std::int64_t> at_borders;
  for (int i = 0; i < 8; ++i) at_borders.insert(at_borders.end(), {0, 0, kDocsPerTask - 1, 0, 1, 0, 0});
  all.push_back(offsets_of(at_borders));
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) all.push_back(random_offsets(random, 300'000 + i * 10'000));
  return all;
}

// Long enough for workers to overlap, however the system schedules them.
void dawdle() {
  for (int i = 0; i < 200; ++i) std::this_thread::yield();
}

struct Refused : std::runtime_error {
  explicit Refused(std::int64_t query_) : std::runtime_error("refused"), query(query_) {}
  std::int64_t query;
};

}  // namespace

TEST(every_query_is_visited_once_with_its_own_rows) {
  for (const Offsets& offsets : shapes()) {
    const std::size_t n = offsets.empty() ? 0 : offsets.size() - 1;
    for (const int n_threads : {-1, 0, 1, 2, 3, 4, 8, 1000}) {
      // Plain ints, so that the thread sanitizer detects a query visited by two workers.
      std::vector<int> visits(n, 0);
      std::vector<std::int64_t> begins(n, -1), ends(n, -1);
      for_each_query(offsets, n_threads, [&] {
        return [&](std::int64_t query, std::int64_t begin, std::int64_t end) {
          const auto q = static_cast<std::size_t>(query);
          ++visits[q];
          begins[q] = begin;
          ends[q] = end;
        };
      });
      CHECK_EQ(visits, std::vector<int>(n, 1));
      if (n == 0) continue;
      CHECK_EQ(begins, Offsets(offsets.begin(), offsets.end() - 1));
      CHECK_EQ(ends, Offsets(offsets.begin() + 1, offsets.end()));
    }
  }
}

TEST(queries_without_threads_come_in_order) {
  std::vector<std::int64_t> seen;
  for_each_query(offsets_of({2, 0, 3}), 1,
                 [&] { return [&](std::int64_t query, std::int64_t, std::int64_t) { seen.push_back(query); }; });
  CHECK_EQ(seen, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(results_have_the_same_bits_for_any_number_of_threads) {
  std::mt19937 random(2);
  const Offsets offsets = random_offsets(random, 1'000'000);
  std::vector<double> scores(static_cast<std::size_t>(offsets.back()));
  for (double& score : scores) score = std::normal_distribution<>()(random);

  auto measure = [&](int n_threads) {
    std::vector<double> values(offsets.size() - 1);
    for_each_query(offsets, n_threads, [&] {
      return [&, scratch = std::vector<double>()](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
        scratch.assign(scores.begin() + begin, scores.begin() + end);
        double sum = 0;
        for (const double score : scratch) sum += std::exp(score) / 3;
        values[static_cast<std::size_t>(query)] = sum;
      };
    });
    return values;
  };
  const std::vector<double> expected = measure(1);
  for (int n_threads = 2; n_threads <= 8; ++n_threads) CHECK(measure(n_threads) == expected);
}

TEST(the_failure_of_the_lowest_query_is_thrown) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const Offsets offsets = random_offsets(random, 400'000);
    const auto n = static_cast<std::int64_t>(offsets.size()) - 1;
    std::set<std::int64_t> failing;
    const int n_failing = 1 + static_cast<int>(random() % 20);
    for (int i = 0; i < n_failing; ++i) failing.insert(static_cast<std::int64_t>(random()) % n);
    const std::int64_t lowest = *failing.begin();
    const int n_threads = 1 + round % 8;

    std::vector<char> visited(static_cast<std::size_t>(n), 0);
    const auto error = check::thrown<Refused>([&] {
      for_each_query(offsets, n_threads, [&] {
        return [&](std::int64_t query, std::int64_t, std::int64_t) {
          visited[static_cast<std::size_t>(query)] = 1;
          if (query == lowest) dawdle();  // so that others fail first
          if (failing.contains(query)) throw Refused(query);
        };
      });
    });
    CHECK(error.has_value());
    if (error) CHECK_EQ(error->query, lowest);
    for (std::int64_t q = 0; q <= lowest; ++q) CHECK(visited[static_cast<std::size_t>(q)] == 1);
  }
}

TEST(when_every_query_fails_the_first_one_is_thrown) {
  const Offsets offsets = offsets_of(std::vector<std::int64_t>(2000, 500));
  for (int n_threads = 1; n_threads <= 8; ++n_threads) {
    const auto error = check::thrown<Refused>([&] {
      for_each_query(offsets, n_threads, [&] {
        return [](std::int64_t query, std::int64_t, std::int64_t) {
          if (query == 0) dawdle();
          throw Refused(query);
        };
      });
    });
    CHECK(error.has_value());
    if (error) CHECK_EQ(error->query, 0);
  }
}

TEST(when_all_workers_fail_at_once_the_lowest_task_is_thrown_whoever_had_it) {
  constexpr int kThreads = 4;
  const auto caller = std::this_thread::get_id();
  for (const bool caller_is_last : {false, true}) {
    std::atomic<int> n_begun{0};
    auto wait_for = [&](int n) {
      while (n_begun < n) std::this_thread::yield();
    };
    const auto error = check::thrown<Refused>([&] {
      for_each_task(kThreads, kThreads, [&] {
        // This decides who gets which task: the caller's thread gets the first or the last.
        const bool is_caller = std::this_thread::get_id() == caller;
        if (is_caller && caller_is_last) wait_for(kThreads - 1);
        if (!is_caller && !caller_is_last) wait_for(1);
        return [&](std::int64_t task) {
          ++n_begun;
          wait_for(kThreads);
          throw Refused(task);
        };
      });
    });
    CHECK(error.has_value());
    if (error) CHECK_EQ(error->query, 0);
  }
}

TEST(an_exception_of_any_type_reaches_the_caller) {
  const Offsets offsets = offsets_of(std::vector<std::int64_t>(2000, 500));
  auto throw_on = [&](int n_threads) {
    for_each_query(offsets, n_threads, [] {
      return [](std::int64_t query, std::int64_t, std::int64_t) {
        if (query == 1234) throw 42;
      };
    });
  };
  for (const int n_threads : {1, 4}) {
    const auto error = check::thrown<int>([&] { throw_on(n_threads); });
    CHECK(error.has_value());
    CHECK_EQ(error.value_or(0), 42);
  }
}

TEST(every_worker_has_a_body_of_its_own) {
  const Offsets offsets = offsets_of(std::vector<std::int64_t>(10'000, 100));
  for (const int n_threads : {1, 2, 4, 8}) {
    std::atomic<int> n_bodies{0};
    std::atomic<int> n_shared{0};
    std::atomic<std::int64_t> n_visits{0};
    for_each_query(offsets, n_threads, [&] {
      ++n_bodies;
      return [&, owner = std::this_thread::get_id(), scratch = std::vector<std::int64_t>()](std::int64_t query, std::int64_t,
                                                                                            std::int64_t) mutable {
        if (owner != std::this_thread::get_id()) ++n_shared;
        scratch.push_back(query);
        if (scratch.size() > 1 && scratch[scratch.size() - 2] >= query) ++n_shared;
        ++n_visits;
      };
    });
    CHECK(n_bodies >= 1);
    CHECK(n_bodies <= n_threads);
    CHECK_EQ(n_shared.load(), 0);
    CHECK_EQ(n_visits.load(), 10'000);
  }
}

TEST(a_body_that_cannot_be_made_is_an_error_of_the_call) {
  const Offsets offsets = offsets_of(std::vector<std::int64_t>(2000, 500));
  for (const int n_threads : {1, 2, 8}) {
    std::atomic<int> n_made{0};
    CHECK_THROWS(Refused, for_each_query(offsets, n_threads, [&] {
                   if (++n_made == std::min(n_threads, 2)) throw Refused(-1);
                   return [](std::int64_t, std::int64_t, std::int64_t) { dawdle(); };
                 }));
  }
}

TEST(no_tasks_mean_no_calls) {
  for (const std::int64_t n_tasks : {-5, 0}) {
    int n_bodies = 0;
    for_each_task(n_tasks, 4, [&] {
      ++n_bodies;
      return [](std::int64_t) {};
    });
    CHECK_EQ(n_bodies, 0);
  }
}

TEST(every_task_is_done_once) {
  for (const int n_tasks : {1, 2, 3, 100, 10'000}) {
    for (const int n_threads : {1, 2, 8, 64}) {
      std::vector<int> done(static_cast<std::size_t>(n_tasks), 0);
      for_each_task(n_tasks, n_threads, [&] { return [&](std::int64_t task) { ++done[static_cast<std::size_t>(task)]; }; });
      CHECK_EQ(done, std::vector<int>(static_cast<std::size_t>(n_tasks), 1));
    }
  }
}

TEST(threads_that_share_tasks_have_a_worker_each) {
  for (const std::size_t n_workers : {1, 2, 5}) {
    for (const std::int64_t n_tasks : {0, 1, 2, 300}) {
      std::vector<std::vector<std::int64_t>> workers(n_workers);  // the tasks of each worker
      idealrank::Stop stop;
      share_tasks(n_tasks, std::span(workers), nullptr, stop,
                  [](std::vector<std::int64_t>& had, idealrank::Stop&, std::int64_t task) { had.push_back(task); });
      std::multiset<std::int64_t> all;
      for (const auto& had : workers) {
        CHECK(std::is_sorted(had.begin(), had.end()));
        all.insert(had.begin(), had.end());
      }
      CHECK_EQ(static_cast<std::int64_t>(all.size()), n_tasks);
      for (std::int64_t task = 0; task < n_tasks; ++task) CHECK_EQ(all.count(task), std::size_t{1});
    }
  }
}

TEST(an_exception_of_a_shared_task_ends_the_threads_and_is_rethrown) {
  std::vector<int> workers(3);
  idealrank::Stop stop;
  const auto error = check::thrown<std::runtime_error>([&] {
    share_tasks(100, std::span(workers), nullptr, stop, [](int&, idealrank::Stop&, std::int64_t task) {
      if (task >= 40) throw std::runtime_error(std::to_string(task));
    });
  });
  CHECK(error.has_value() && std::string(error->what()) == "40");
}
