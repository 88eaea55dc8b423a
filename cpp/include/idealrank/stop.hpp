// Ending a long computation early, for example when the user presses Ctrl-C.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "idealrank/errors.hpp"

namespace idealrank {

// Called about every 50 ms on the thread that started the computation. Throws to end it.
using Poll = void (*)();

// The number of threads that a computation may use, and the poll that can end it, if any.
struct Threads {
  Threads(int count_, Poll poll_ = nullptr) : count(count_), poll(poll_) {}
  int count;
  Poll poll;
};

// Ends the other threads after the poll has thrown on the first one.
struct stopped : std::exception {};

// Kernels ask it from time to time whether to go on. Each part of a kernel may keep its own copy; the time until the first
// poll starts when the original is made.
class Stop {
 public:
  static constexpr std::chrono::milliseconds kBetweenPolls{50};

  Stop() = default;  // never ends the work
  // For work on one thread. If there are other threads, they have no poll, and check *ended, which the polling thread sets.
  explicit Stop(Poll poll, std::atomic<bool>* ended = nullptr) : poll_(poll), ended_(ended) {
    if (poll_ != nullptr) last_ = std::chrono::steady_clock::now();
  }

  // Must be called often, with the approximate number of nanoseconds that the work until the next call takes.
  void before(std::size_t work) {
    if (work < left_) {
      left_ -= work;
    } else {
      look();
    }
  }

 private:
  static constexpr std::size_t kWorkBetweenLooks = 1'000'000;

  void look() {
    left_ = kWorkBetweenLooks;
    if (ended_ != nullptr && ended_->load(std::memory_order_relaxed)) raise(stopped());
    if (poll_ == nullptr) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kBetweenPolls) return;
    last_ = now;
#ifdef __cpp_exceptions
    try {
      poll_();
    } catch (...) {
      if (ended_ != nullptr) ended_->store(true, std::memory_order_relaxed);
      throw;
    }
#else
    poll_();
#endif
  }

  Poll poll_ = nullptr;
  std::atomic<bool>* ended_ = nullptr;
  std::size_t left_ = kWorkBetweenLooks;
  std::chrono::steady_clock::time_point last_{};
};

// std::sort that can be stopped on long lists. The values must be trivially copyable.
template <class Iterator, class Less>
void stoppable_sort(Iterator begin, Iterator end, Less less, Stop& stop) {
  constexpr std::ptrdiff_t kLong = 1 << 16;
  if (end - begin < kLong) {
    std::sort(begin, end, less);
  } else {
    std::sort(begin, end, [&](const auto& a, const auto& b) {
      stop.before(5);
      return less(a, b);
    });
  }
}

// Calls each(i, last) for consecutive parts [i, last) of [0, n).
template <class Each>
void for_each_part(std::size_t n, Stop& stop, Each&& each) {
  constexpr std::size_t kPart = 1 << 18;
  for (std::size_t i = 0; i < n; i += kPart) {
    const std::size_t last = std::min(n, i + kPart);
    stop.before(4 * (last - i));
    each(i, last);
  }
}

// vector.resize(n) that can be stopped on long lists: most of its time goes to the system, which provides the memory.
template <class T>
void stoppable_resize(std::vector<T>& values, std::size_t n, Stop& stop) {
  if (values.size() > n) values.resize(n);
  values.reserve(n);
  for_each_part(n - values.size(), stop,
                [&, start = values.size()](std::size_t, std::size_t last) { values.resize(start + last); });
}

}  // namespace idealrank
