// ListMLE: minus the log of the probability, by Plackett and Luce, of choosing documents in order of decreasing label.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sigmoid/softmax.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

struct ListMle {
  std::span<const double> labels, scores;
  std::span<const std::int64_t> offsets;
  std::span<const double> weights;  // one per document; empty: all 1
  bool together;                    // whether each document with a label is chosen before the others with that label
};

// One query. Documents that are chosen from the same ones are a run: they share the log of the sum of e^s of their run and
// of all later ones, which is `greatest + rest`. A single number would lose the digits of the rest if scores are large.
class ListMleQuery {
 public:
  ListMleQuery(const ListMle& in, const SoftmaxKernels& kernels, const Stop& stop)
      : in_(in), kernels_(kernels), stop_(stop), rank_(stop), own_labels_(stop), own_scores_(stop), own_weights_(stop) {}

  void operator()(std::int64_t query, std::int64_t begin, std::int64_t end, std::span<double> values,
                  std::span<double> gradient, std::span<double> curvature) {
    const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
    const auto labels = own_labels_(in_.labels.subspan(first, n)), given = own_scores_(in_.scores.subspan(first, n));
    check_finite(labels, query, begin, "a label");
    check_finite(given, query, begin);
    const auto order = rank_(labels, n, query, begin);
    gather(given, order, scores_);
    if (in_.weights.empty()) {
      weights_.assign(n, 1.0);
    } else {
      gather(own_weights_(in_.weights.subspan(first, n)), order, weights_);
    }
    find_runs(labels, order);
    stoppable_resize(column_, n, stop_);
    values[static_cast<std::size_t>(query)] = add_upwards();
    const auto scatter = [&](std::span<double> to) {
      for_each_part(n, stop_, [&](std::size_t r, std::size_t last) {
        for (; r < last; ++r) to[first + order[r]] = column_[r];
      });
    };
    if (!curvature.empty()) {
      const std::vector<double> exponentials = column_;
      finish_downwards(true);
      scatter(curvature);
      column_ = exponentials;
    }
    finish_downwards(false);
    scatter(gradient);
  }

 private:
  struct Run {
    std::size_t first, last;
    double highest = 0;                // score
    double greatest = 0, rest = 0;
    double weight = 0;
  };

  void gather(std::span<const double> from, std::span<const std::uint32_t> order, std::vector<double>& to) {
    stoppable_resize(to, order.size(), stop_);
    for_each_part(order.size(), stop_, [&](std::size_t r, std::size_t last) {
      for (; r < last; ++r) to[r] = from[order[r]];
    });
  }

  void find_runs(std::span<const double> labels, std::span<const std::uint32_t> order) {
    runs_.clear();
    if (in_.together) {
      for_each_tie_run(labels, order, [&](std::size_t first, std::size_t last) { runs_.push_back({first, last}); });
    } else {
      for (std::size_t r = 0; r < order.size(); ++r) runs_.push_back({r, r + 1});
    }
  }

  SoftmaxPart part(const Run& run, std::size_t i, std::size_t last) const {
    return {last - i, &scores_[i], &weights_[i], run.highest, 1.0};
  }

  // Sets the sums of each run, and the column to e^(s - highest of its run); returns the value.
  double add_upwards() {
    double value = 0, greatest = -std::numeric_limits<double>::infinity(), total = 0;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      stop_.before(20);
      run->highest = scores_[run->first];
      SoftmaxSums sums;
      each_part(*run, [&](std::size_t i, std::size_t last) {
        run->highest = std::max(run->highest, *std::max_element(&scores_[i], &scores_[i] + (last - i)));
      });
      each_part(*run, [&](std::size_t i, std::size_t last) { kernels_.add(part(*run, i, last), &column_[i], sums); });
      if (run->highest > greatest) {
        total = sums.exponentials + (total > 0 ? total * std::exp(greatest - run->highest) : 0);
        greatest = run->highest;
      } else {
        total += sums.exponentials * std::exp(run->highest - greatest);
      }
      run->greatest = greatest;
      run->rest = std::log(total);
      run->weight = sums.targets;
      if (run->weight > 0) value += run->weight * ((greatest - run->highest) + run->rest) + sums.missed;
    }
    return value;
  }

  // Turns the column into derivatives: a document takes part in the choices of its run and of all earlier ones, each with
  // its weight w and the probability p of the document there. The first is sum w p - w_own, the second sum w p (1 - p).
  void finish_downwards(bool second) {
    const Run* before = nullptr;
    double choices = 0, squared = 0;  // sums of w, as p decreases from choice to choice relative to that of this run
    for (const Run& run : runs_) {
      stop_.before(20);
      if (before != nullptr) {
        const double fall = std::min((run.greatest - before->greatest) + (run.rest - before->rest), 0.0);
        const double decay = std::exp(fall);
        choices *= decay;
        squared *= decay * decay;
      }
      choices += run.weight;
      squared += run.weight;
      before = &run;
      const double own = std::exp((run.highest - run.greatest) - run.rest);
      each_part(run, [&](std::size_t i, std::size_t last) {
        if (!second) return kernels_.finish(part(run, i, last), choices * own, &column_[i]);
        for (; i < last; ++i) {
          const double p = column_[i] * own;
          column_[i] = std::max(p * (choices - p * squared), 0.0);
        }
      });
    }
  }

  template <class Each>
  void each_part(const Run& run, Each&& each) {
    for_each_part(run.last - run.first, stop_, [&](std::size_t i, std::size_t last) { each(run.first + i, run.first + last); });
  }

  const ListMle& in_;
  const SoftmaxKernels& kernels_;
  Stop stop_;
  TopRanker rank_;
  OwnCopy own_labels_, own_scores_, own_weights_;
  std::vector<double> scores_, weights_, column_;
  std::vector<Run> runs_;
};

// Writes one value per query, its derivatives, and, unless it is empty, the diagonal of its Hessian.
inline void list_mle(const ListMle& in, Isa isa, std::span<double> values, std::span<double> gradient,
                     std::span<double> curvature, Threads threads) {
  const SoftmaxKernels& kernels = choose(isa, softmax_kernels_base, softmax_kernels_v3);
  for_each_query(in.offsets, threads, [&](const Stop& stop) {
    return [&, each = ListMleQuery(in, kernels, stop)](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      each(query, begin, end, values, gradient, curvature);
    };
  });
}

}  // namespace idealrank
