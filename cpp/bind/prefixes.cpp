// DCG of growing lists.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "bind.hpp"
#include "idealrank/measure/prefixes.hpp"

namespace idealrank::bind {

using PrefixArguments = std::tuple<bool, In<double>, In<std::int64_t>>;

void bind_prefixes(nb::module_& m) {
  m.def(
      "prefix_dcg",
      [](const In<double>& gains, const In<double>& scores, const In<std::int64_t>& offsets, const In<std::int64_t>& sizes,
         const std::vector<PrefixArguments>& specs, std::string_view ties, int n_threads) {
        check_length(scores.shape(0), gains.shape(0), "scores");
        check_offsets(offsets, gains.shape(0), "offsets");
        std::int64_t before = 0;
        for (const std::int64_t size : span_of(sizes)) {
          if (size <= before) throw data_error("sizes must rise from 1 on, got " + std::to_string(size), -1, -1);
          before = size;
        }
        std::vector<PrefixSpec> checked;
        for (const auto& [linear, weights, depths] : specs) {
          check_length(depths.shape(0), sizes.shape(0), "depths");
          check_rows(depths, 0, std::numeric_limits<std::int64_t>::max(), "depth");
          checked.push_back({{linear, span_of(weights)}, span_of(depths)});
        }
        const Ties kind = ties_of(ties);
        const std::size_t n_queries = offsets.shape(0) - 1;
        Buffer<double> values;
        {
          nb::gil_scoped_release release;
          values.resize(std::max<std::size_t>(checked.size() * n_queries * sizes.shape(0), 1));
          prefix_dcg(span_of(gains), span_of(scores), span_of(offsets), span_of(sizes), checked, kind, values.span(), n_threads);
        }
        return to_numpy(std::move(values), checked.size(), n_queries, sizes.shape(0));
      },
      "gains"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "sizes"_a.noconvert(), "specs"_a, "ties"_a,
      "n_threads"_a);
}

}  // namespace idealrank::bind
