// Sums over pairs, and how threads share the work on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/stop.hpp"

namespace idealrank {

// Sums of losses, and of the absolute derivatives of logistic losses.
struct PairTotals {
  double value = 0, slopes = 0;

  PairTotals& operator+=(const PairTotals& other) {
    value += other.value;
    slopes += other.slopes;
    return *this;
  }
};

// One worker per thread that works on a list. Workers keep their scratch memory from query to query.
template <class Worker>
class PairWorkers {
 public:
  template <class... Arguments>
  explicit PairWorkers(Threads threads, const Arguments&... arguments) : poll_(threads.poll) {
    for (int i = 0; i < threads.count; ++i) workers_.emplace_back(arguments...);
  }

  Worker& first() { return workers_[0]; }

  // Sums each(worker, stop, task) over all tasks in task order, whichever thread runs them, so that the result has the same
  // bits for any number of threads.
  template <class Each>
  PairTotals sum(std::size_t n_tasks, Stop& stop, Each&& each) {
    totals_.resize(n_tasks);
    share_tasks(static_cast<std::int64_t>(n_tasks), std::span(workers_), poll_, stop,
                [&](Worker& worker, Stop& own_stop, std::int64_t task) {
                  const auto t = static_cast<std::size_t>(task);
                  totals_[t] = each(worker, own_stop, t);
                });
    PairTotals sum;
    for (const PairTotals& totals : totals_) sum += totals;
    return sum;
  }

 private:
  Poll poll_;
  std::vector<Worker> workers_;
  std::vector<PairTotals> totals_;
};

}  // namespace idealrank
