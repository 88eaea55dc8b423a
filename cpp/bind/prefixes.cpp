// DCG of growing lists.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "bind.hpp"
#include "idealrank/measure/prefixes.hpp"

namespace idealrank::bind {

namespace {

struct BoundPrefixSpec {
  BoundDiscount discount;
  In<std::int64_t> depths;
};

}  // namespace

void bind_prefixes(nb::module_& m) {
  nb::class_<BoundPrefixSpec>(m, "PrefixSpec", "A discount, and how many ranks count in the list of each size.")
      .def(
          "__init__",
          [](BoundPrefixSpec* self, const BoundDiscount& discount, In<std::int64_t> depths) {
            check_rows(depths, 0, std::numeric_limits<std::int64_t>::max(), "depth");
            new (self) BoundPrefixSpec{discount, std::move(depths)};
          },
          nb::kw_only(), "discount"_a, "depths"_a);

  m.def(
      "prefix_dcg",
      [](const In<double>& gains, const In<double>& scores, const In<std::int64_t>& given_offsets,
         const In<std::int64_t>& sizes, const std::vector<BoundPrefixSpec>& specs, std::string_view ties, int n_threads) {
        check_length(scores.shape(0), gains.shape(0), "scores");
        const Offsets offsets(given_offsets, gains.shape(0));
        std::int64_t before = 0;
        for (const std::int64_t size : span_of(sizes)) {
          if (size <= before) throw data_error("sizes must increase from 1, got " + std::to_string(size), -1, -1);
          before = size;
        }
        std::vector<PrefixSpec> checked;
        for (const auto& [discount, depths] : specs) {
          check_length(depths.shape(0), sizes.shape(0), "depths");
          checked.push_back({discount, span_of(depths)});
        }
        const Ties kind = ties_of(ties);
        const std::size_t n_queries = offsets.n_queries();
        const Threads threads = interruptible(n_threads);
        Buffer<double> values;
        {
          nb::gil_scoped_release release;
          values.resize(std::max<std::size_t>(checked.size() * n_queries * sizes.shape(0), 1));
          prefix_dcg(span_of(gains), span_of(scores), offsets, span_of(sizes), checked, kind, values.span(), threads);
        }
        return to_numpy(std::move(values), checked.size(), n_queries, sizes.shape(0));
      },
      "gains"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "sizes"_a.noconvert(),
      "specs"_a, "ties"_a, "n_threads"_a);
}

}  // namespace idealrank::bind
