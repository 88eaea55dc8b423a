// Query and document ids: numbering, matching, and judgments looked up by id.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "bind.hpp"
#include "idealrank/text/ids.hpp"

namespace idealrank::bind {

void bind_ids(nb::module_& m) {
  m.def(
      "number_ids",
      [](const In<std::uint8_t>& bytes, const In<std::int64_t>& offsets) {
        check_offsets(offsets, bytes.shape(0), "id offsets");
        const Stop stop = interruptible();
        IdSet set;
        Buffer<std::int64_t> numbers;
        {
          nb::gil_scoped_release release;
          const IdsView ids = ids_of(bytes, offsets);
          numbers.resize(ids.size());
          number(ids, set, numbers.span(), stop);
        }
        return std::make_tuple(to_numpy(std::move(numbers)), to_numpy(set.take()));
      },
      "bytes"_a.noconvert(), "offsets"_a.noconvert());

  m.def(
      "take_ids",
      [](const In<std::uint8_t>& bytes, const In<std::int64_t>& offsets, const In<std::int64_t>& rows) {
        check_offsets(offsets, bytes.shape(0), "id offsets");
        check_rows(rows, 0, offsets.shape(0) - 1, "row");
        const Stop stop = interruptible();
        Ids taken;
        {
          nb::gil_scoped_release release;
          taken = take(ids_of(bytes, offsets), span_of(rows), stop);
        }
        return to_numpy(std::move(taken));
      },
      "bytes"_a.noconvert(), "offsets"_a.noconvert(), "rows"_a.noconvert());

  m.def(
      "match_ids",
      [](const In<std::uint8_t>& wanted_bytes, const In<std::int64_t>& wanted_offsets, const In<std::uint8_t>& bytes,
         const In<std::int64_t>& offsets) {
        check_offsets(wanted_offsets, wanted_bytes.shape(0), "id offsets");
        check_offsets(offsets, bytes.shape(0), "id offsets");
        const Stop stop = interruptible();
        Buffer<std::int64_t> numbers;
        {
          nb::gil_scoped_release release;
          numbers.resize(wanted_offsets.shape(0) - 1);
          match(ids_of(wanted_bytes, wanted_offsets), ids_of(bytes, offsets), numbers.span(), stop);
        }
        return to_numpy(std::move(numbers));
      },
      "wanted_bytes"_a.noconvert(), "wanted_offsets"_a.noconvert(), "bytes"_a.noconvert(), "offsets"_a.noconvert());

  m.def(
      "first_rows",
      [](const In<std::uint8_t>& bytes, const In<std::int64_t>& id_offsets, const In<std::int64_t>& offsets, int n_threads) {
        check_offsets(id_offsets, bytes.shape(0), "id offsets");
        check_offsets(offsets, id_offsets.shape(0) - 1, "offsets");
        const Threads threads = interruptible(n_threads);
        Buffer<std::int64_t> first;
        {
          nb::gil_scoped_release release;
          first.resize(id_offsets.shape(0) - 1);
          first_rows(ids_of(bytes, id_offsets), span_of(offsets), first.span(), threads);
        }
        return to_numpy(std::move(first));
      },
      "bytes"_a.noconvert(), "id_offsets"_a.noconvert(), "offsets"_a.noconvert(), "n_threads"_a);

  m.def(
      "judge",
      [](const In<std::uint8_t>& judged_bytes, const In<std::int64_t>& judged_ids, const In<std::int64_t>& judged_offsets,
         const In<std::uint8_t>& retrieved_bytes, const In<std::int64_t>& retrieved_ids,
         const In<std::int64_t>& retrieved_offsets, const In<double>& judgments, const In<std::int64_t>& run_query,
         int n_threads) {
        check_offsets(judged_ids, judged_bytes.shape(0), "id offsets");
        check_offsets(judged_offsets, judged_ids.shape(0) - 1, "offsets");
        check_length(judgments.shape(0), judged_ids.shape(0) - 1, "judgments");
        check_offsets(retrieved_ids, retrieved_bytes.shape(0), "id offsets");
        check_offsets(retrieved_offsets, retrieved_ids.shape(0) - 1, "offsets");
        check_length(run_query.shape(0), judged_offsets.shape(0) - 1, "run_query");
        check_rows(run_query, -1, retrieved_offsets.shape(0) - 1, "query");
        const Threads threads = interruptible(n_threads);
        Buffer<double> labels;
        {
          nb::gil_scoped_release release;
          labels.resize(retrieved_ids.shape(0) - 1);
          std::fill_n(labels.data(), labels.size(), std::numeric_limits<double>::quiet_NaN());
          judge(ids_of(judged_bytes, judged_ids), span_of(judged_offsets), span_of(judgments),
                ids_of(retrieved_bytes, retrieved_ids), span_of(retrieved_offsets), span_of(run_query), labels.span(), threads);
        }
        return to_numpy(std::move(labels));
      },
      "judged_bytes"_a.noconvert(), "judged_ids"_a.noconvert(), "judged_offsets"_a.noconvert(),
      "retrieved_bytes"_a.noconvert(), "retrieved_ids"_a.noconvert(), "retrieved_offsets"_a.noconvert(), nb::kw_only(),
      "judgments"_a.noconvert(), "run_query"_a.noconvert(), "n_threads"_a);
}

}  // namespace idealrank::bind
