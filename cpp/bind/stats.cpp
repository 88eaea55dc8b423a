// Resampling.
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "idealrank/stats/resampling.hpp"

namespace idealrank::bind {

namespace {

Buffer<double> column_of(std::size_t n) {
  Buffer<double> column;
  column.resize(std::max<std::size_t>(n, 1));
  return column;
}

}  // namespace

void bind_stats(nb::module_& m) {
  m.def(
      "flipped_sums",
      [](const In<double>& differences, std::size_t n_resamples, std::uint64_t seed, int n_threads) {
        Buffer<double> sums = column_of(n_resamples);
        const Threads threads = interruptible(n_threads);
        {
          nb::gil_scoped_release release;
          flipped_sums(span_of(differences), seed, sums.span().first(n_resamples), threads);
        }
        return to_numpy(std::move(sums), n_resamples);
      },
      "differences"_a.noconvert(), "n_resamples"_a, "seed"_a, "n_threads"_a);

  m.def(
      "count_flipped_sums",
      [](const In<double>& differences, double least) {
        if (differences.shape(0) > 30) throw data_error("at most 30 differences can be flipped in all ways", -1, -1);
        const Stop stop(interruptible(1).poll, nullptr);
        nb::gil_scoped_release release;
        return count_flipped_sums(span_of(differences), least, stop);
      },
      "differences"_a.noconvert(), "least"_a);

  m.def(
      "shuffled_ranges",
      [](const In<double>& matrix, std::size_t n_columns, std::size_t n_resamples, std::uint64_t seed, int n_threads) {
        if (n_columns == 0 || matrix.shape(0) % n_columns != 0) throw data_error("a matrix has whole rows", -1, -1);
        Buffer<double> ranges = column_of(n_resamples);
        const Threads threads = interruptible(n_threads);
        {
          nb::gil_scoped_release release;
          shuffled_ranges(span_of(matrix), n_columns, seed, ranges.span().first(n_resamples), threads);
        }
        return to_numpy(std::move(ranges), n_resamples);
      },
      "matrix"_a.noconvert(), "n_columns"_a, "n_resamples"_a, "seed"_a, "n_threads"_a);

  m.def(
      "bootstrap_moments",
      [](const In<double>& values, std::size_t n_resamples, std::uint64_t seed, int n_threads) {
        if (values.shape(0) < 2) throw data_error("a bootstrap needs two values or more", -1, -1);
        Buffer<double> means = column_of(n_resamples), variances = column_of(n_resamples);
        const Threads threads = interruptible(n_threads);
        {
          nb::gil_scoped_release release;
          bootstrap_moments(span_of(values), seed, means.span().first(n_resamples), variances.span().first(n_resamples),
                            threads);
        }
        return std::make_tuple(to_numpy(std::move(means), n_resamples), to_numpy(std::move(variances), n_resamples));
      },
      "values"_a.noconvert(), "n_resamples"_a, "seed"_a, "n_threads"_a);
}

}  // namespace idealrank::bind
