// Sums over each document of a query and all below it.
#include "idealrank/suffix_sums.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "bind.hpp"

namespace idealrank::bind {

void bind_suffix_sums(nb::module_& m) {
  m.def(
      "suffix_log_sums",
      [](const In<double>& values, const std::optional<In<double>>& weights, const In<std::int64_t>& given_offsets,
         int n_threads) {
        const std::size_t n = values.shape(0);
        if (weights) check_length(weights->shape(0), n, "weights");
        const Offsets offsets(given_offsets, n);
        const Threads threads = interruptible(n_threads);
        Buffer<double> greatest, rest;
        {
          nb::gil_scoped_release release;
          greatest.resize(n);
          rest.resize(n);
          suffix_log_sums(span_of(values), span_or_empty(weights), offsets, greatest.span(), rest.span(), threads);
        }
        return std::make_tuple(to_numpy(std::move(greatest)), to_numpy(std::move(rest)));
      },
      "values"_a.noconvert(), "weights"_a.noconvert().none(), "offsets"_a.noconvert(), "n_threads"_a);

  m.def(
      "decayed_sums",
      [](const In<double>& terms, const In<double>& decays, const In<std::int64_t>& given_offsets, int n_threads) {
        const std::size_t n = terms.shape(0);
        check_length(decays.shape(0), n, "decays");
        const Offsets offsets(given_offsets, n);
        const Threads threads = interruptible(n_threads);
        Buffer<double> sums;
        {
          nb::gil_scoped_release release;
          sums.resize(n);
          decayed_sums(span_of(terms), span_of(decays), offsets, sums.span(), threads);
        }
        return to_numpy(std::move(sums));
      },
      "terms"_a.noconvert(), "decays"_a.noconvert(), "offsets"_a.noconvert(), "n_threads"_a);
}

}  // namespace idealrank::bind
