// The only threads of the library. They live for one call, so nothing survives a fork. A build
// without exceptions has no threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#ifdef __cpp_exceptions
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#endif

#include "idealrank/stop.hpp"

namespace idealrank {

// Starting a thread costs about 40 us, as much as ranking several thousand documents.
inline constexpr std::int64_t kDocsWorthAThread = 100'000;
inline constexpr std::int64_t kDocsPerTask = 16'384;

// Makes the body for one thread. `make_body` takes a Stop or nothing.
template <class MakeBody>
auto make_body_for(MakeBody& make_body, const Stop& stop) {
  if constexpr (std::is_invocable_v<MakeBody&, const Stop&>) {
    return make_body(stop);
  } else {
    return make_body();
  }
}

#ifdef __cpp_exceptions
// for_each_task for more than one task on more than one thread.
template <class MakeBody>
void on_threads(std::int64_t n_tasks, Threads threads, MakeBody& make_body) {
  struct Failure {
    std::int64_t task = -1;
    std::exception_ptr error;
  };
  const auto n_workers = static_cast<std::size_t>(std::min<std::int64_t>(threads.count, n_tasks));
  std::vector<Failure> failures(n_workers);
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false}, ended{false};

  auto work = [&](std::size_t worker) noexcept {
    std::int64_t task = 0;
    try {
      auto body = make_body_for(make_body, Stop(worker == 0 ? threads.poll : nullptr, &ended));
      while (!failed.load(std::memory_order_relaxed) && (task = next.fetch_add(1, std::memory_order_relaxed)) < n_tasks) {
        body(task);
      }
    } catch (const stopped&) {
    } catch (...) {
      failures[worker] = {worker == 0 && ended.load(std::memory_order_relaxed) ? -1 : task, std::current_exception()};
      failed.store(true, std::memory_order_relaxed);
    }
  };

  std::mutex guard;
  std::condition_variable one_ended;
  std::size_t n_running = 0;
  std::vector<std::thread> workers;
  workers.reserve(n_workers - 1);
  for (std::size_t worker = 1; worker < n_workers; ++worker) {
    try {
      {
        const std::lock_guard lock(guard);
        ++n_running;
      }
      workers.emplace_back([&, worker] {
        work(worker);
        const std::lock_guard lock(guard);
        --n_running;
        one_ended.notify_one();
      });
    } catch (const std::exception&) {
      const std::lock_guard lock(guard);
      --n_running;
      break;  // no more threads, or no memory for one: fewer threads do the same work
    }
  }
  work(0);
  if (threads.poll != nullptr) {
    std::unique_lock lock(guard);
    while (!one_ended.wait_for(lock, Stop::kBetweenPolls, [&] { return n_running == 0; })) {
      if (ended.load(std::memory_order_relaxed)) continue;
      lock.unlock();
      try {
        threads.poll();
      } catch (...) {
        failures[0] = {-1, std::current_exception()};
        failed.store(true, std::memory_order_relaxed);
        ended.store(true, std::memory_order_relaxed);
      }
      lock.lock();
    }
  }
  for (auto& worker : workers) worker.join();

  const Failure* lowest = nullptr;
  for (const auto& failure : failures) {
    if (failure.error && (lowest == nullptr || failure.task < lowest->task)) lowest = &failure;
  }
  if (lowest != nullptr) std::rethrow_exception(lowest->error);
}
#endif

// Calls make_body(stop)(task) for every task in [0, n_tasks), on up to threads.count threads. make_body is called once per
// thread, so that the body it returns can own scratch memory.
//
// If bodies throw, the exception of the lowest task is rethrown here after all threads have ended. Tasks are handed out in
// ascending order, so every task below a failed one has started and runs to its own end. An exception thrown by the poll
// takes precedence, and ends the other threads the next time they check their Stop.
template <class MakeBody>
void for_each_task(std::int64_t n_tasks, Threads threads, MakeBody&& make_body) {
  if (n_tasks <= 0) return;
#ifdef __cpp_exceptions
  if (threads.count > 1 && n_tasks > 1) return on_threads(n_tasks, threads, make_body);
#endif
  Stop stop(threads.poll, nullptr);
  auto body = make_body_for(make_body, stop);
  for (std::int64_t task = 0; task < n_tasks; ++task) body(task);
}

// Calls each(worker, stop, task) for every task, with one worker per thread; a single worker runs on the calling thread. The
// result of a task must not depend on its worker.
template <class Worker, class Each>
void share_tasks(std::int64_t n_tasks, std::span<Worker> workers, Poll poll, Stop& stop, Each&& each) {
  if (workers.size() == 1 || n_tasks <= 1) {
    for (std::int64_t task = 0; task < n_tasks; ++task) each(workers[0], stop, task);
    return;
  }
  std::atomic<std::size_t> n_taken{0};
  for_each_task(n_tasks, Threads(static_cast<int>(workers.size()), poll), [&](const Stop& given) {
    Worker& worker = workers[n_taken.fetch_add(1, std::memory_order_relaxed)];
    return [&each, &worker, own_stop = given](std::int64_t task) mutable { each(worker, own_stop, task); };
  });
}

// Calls make_body(stop)(query, begin, end) for every query, whose documents are the rows [begin, end). A body writes only
// its own query's outputs, so results have the same bits for any number of threads.
template <class MakeBody>
void for_each_query(std::span<const std::int64_t> offsets, Threads threads, MakeBody&& make_body) {
  const auto n_queries = static_cast<std::int64_t>(offsets.size()) - 1;
  if (n_queries <= 0) return;
  const std::int64_t n_docs = offsets.back();
  const std::int64_t n_tasks =
      threads.count <= 1 || n_docs < kDocsWorthAThread ? 1 : (n_docs + kDocsPerTask - 1) / kDocsPerTask;

  // Task t takes the queries that begin in its share of the rows. The last task also takes those that begin at the very end.
  auto first_query = [&](std::int64_t task) {
    if (task == 0) return std::int64_t{0};
    if (task == n_tasks) return n_queries;
    const auto* begin = offsets.data();
    return static_cast<std::int64_t>(std::lower_bound(begin, begin + n_queries, task * kDocsPerTask) - begin);
  };
  constexpr std::size_t kQueryWork = 50, kDocWork = 10;
  for_each_task(n_tasks, threads, [&](const Stop& given) {
    return [&, stop = given, body = make_body_for(make_body, given)](std::int64_t task) mutable {
      const std::int64_t last = first_query(task + 1);
      for (std::int64_t query = first_query(task); query < last; ++query) {
        const auto q = static_cast<std::size_t>(query);
        stop.before(kQueryWork + kDocWork * static_cast<std::size_t>(offsets[q + 1] - offsets[q]));
        body(query, offsets[q], offsets[q + 1]);
      }
    };
  });
}

}  // namespace idealrank
