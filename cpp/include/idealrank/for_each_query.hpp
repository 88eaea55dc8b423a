// The only threads of the library. They live for one call, so nothing survives a fork.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <vector>

namespace idealrank {

// Starting a thread costs about 40 us, as much as ranking some thousands of documents.
inline constexpr std::int64_t kDocsWorthAThread = 100'000;
inline constexpr std::int64_t kDocsPerTask = 16'384;

// Calls make_body()(task) for every task in [0, n_tasks) on up to n_threads threads. make_body is called once a
// thread, so that the body it returns can own scratch memory.
//
// If bodies throw, the exception of the lowest task is rethrown here after all threads have ended: tasks are handed out
// in ascending order, so every task below a failed one was begun and runs to its own end.
template <class MakeBody>
void for_each_task(std::int64_t n_tasks, int n_threads, MakeBody&& make_body) {
  if (n_tasks <= 0) return;
  if (n_threads <= 1 || n_tasks == 1) {
    auto body = make_body();
    for (std::int64_t task = 0; task < n_tasks; ++task) body(task);
    return;
  }

  struct Failure {
    std::int64_t task = -1;
    std::exception_ptr error;
  };
  const auto n_workers = static_cast<std::size_t>(std::min<std::int64_t>(n_threads, n_tasks));
  std::vector<Failure> failures(n_workers);
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};

  auto work = [&](std::size_t worker) noexcept {
    std::int64_t task = 0;
    try {
      auto body = make_body();
      while (!failed.load(std::memory_order_relaxed) &&
             (task = next.fetch_add(1, std::memory_order_relaxed)) < n_tasks) {
        body(task);
      }
    } catch (...) {
      failures[worker] = {task, std::current_exception()};
      failed.store(true, std::memory_order_relaxed);
    }
  };

  std::vector<std::thread> threads;
  threads.reserve(n_workers - 1);
  for (std::size_t worker = 1; worker < n_workers; ++worker) {
    try {
      threads.emplace_back(work, worker);
    } catch (const std::exception&) {
      break;  // the system gives no more threads, or no memory for one: fewer do the same work
    }
  }
  work(0);
  for (auto& thread : threads) thread.join();

  const Failure* lowest = nullptr;
  for (const auto& failure : failures) {
    if (failure.error && (lowest == nullptr || failure.task < lowest->task)) lowest = &failure;
  }
  if (lowest != nullptr) std::rethrow_exception(lowest->error);
}

// Calls make_body()(query, begin, end) for every query, the documents of which are the rows [begin, end). A body writes
// only its own query's outputs, hence the same bits for any number of threads.
template <class MakeBody>
void for_each_query(std::span<const std::int64_t> offsets, int n_threads, MakeBody&& make_body) {
  const auto n_queries = static_cast<std::int64_t>(offsets.size()) - 1;
  if (n_queries <= 0) return;
  const std::int64_t n_docs = offsets.back();
  const std::int64_t n_tasks =
      n_threads <= 1 || n_docs < kDocsWorthAThread ? 1 : (n_docs + kDocsPerTask - 1) / kDocsPerTask;

  // Task t takes the queries that begin in its share of the rows; the last one also those that begin at the very end.
  auto first_query = [&](std::int64_t task) {
    if (task == 0) return std::int64_t{0};
    if (task == n_tasks) return n_queries;
    const auto* begin = offsets.data();
    return static_cast<std::int64_t>(std::lower_bound(begin, begin + n_queries, task * kDocsPerTask) - begin);
  };
  for_each_task(n_tasks, n_threads, [&] {
    return [&, body = make_body()](std::int64_t task) mutable {
      const std::int64_t stop = first_query(task + 1);
      for (std::int64_t query = first_query(task); query < stop; ++query) {
        const auto q = static_cast<std::size_t>(query);
        body(query, offsets[q], offsets[q + 1]);
      }
    };
  });
}

}  // namespace idealrank
