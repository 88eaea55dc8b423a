// The gains of unjudged documents that maximize a ratio.
#include "idealrank/measure/highest_ratio.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bind.hpp"

namespace idealrank::bind {

namespace {

void check_not_negative(const In<std::int64_t>& values, const char* what) {
  for (const std::int64_t value : span_of(values)) {
    if (value < 0) throw data_error(std::string(what) + " must not be negative", -1, -1);
  }
}

}  // namespace

void bind_highest_ratio(nb::module_& m) {
  m.def(
      "highest_ratio",
      [](const In<double>& fixed, const In<double>& weights, const In<std::int64_t>& given_offsets, const In<double>& sums,
         const In<std::int64_t>& depths, const In<double>& gains, const In<std::int64_t>& counts,
         const std::optional<In<std::int64_t>>& lengths, const In<double>& levels, double empty, int n_threads) {
        const std::size_t n = weights.shape(0);
        const Offsets offsets(given_offsets, n);
        check_length(fixed.shape(0), offsets.n_queries(), "fixed");
        check_length(depths.shape(0), offsets.n_queries(), "depths");
        check_length(counts.shape(0), offsets.n_queries() * gains.shape(0), "counts");
        if (lengths) {
          check_length(lengths->shape(0), offsets.n_queries(), "lengths");
          check_not_negative(*lengths, "lengths");
        } else if (sums.shape(0) == 0) {
          throw data_error("sums must begin with that of no rank", -1, -1);
        }
        check_not_negative(depths, "depths");
        check_not_negative(counts, "counts");
        const Threads threads = interruptible(n_threads);
        Buffer<std::int64_t> chosen;
        {
          nb::gil_scoped_release release;
          chosen.resize(n);
          const IdealLayers ideal{span_of(sums), span_of(depths), span_of(gains), span_of(counts), span_or_empty(lengths)};
          highest_ratio(span_of(fixed), span_of(weights), offsets, ideal, span_of(levels), empty, chosen.span(), threads);
        }
        return to_numpy(std::move(chosen));
      },
      "fixed"_a.noconvert(), "weights"_a.noconvert(), "offsets"_a.noconvert(), "sums"_a.noconvert(), "depths"_a.noconvert(),
      "gains"_a.noconvert(), "counts"_a.noconvert(), "lengths"_a.noconvert().none(), "levels"_a.noconvert(), "empty"_a,
      "n_threads"_a);
}

}  // namespace idealrank::bind
