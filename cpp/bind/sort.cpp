// Rows ordered by score, and rows grouped by query.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/own_copy.hpp"
#include "idealrank/sort/id_order.hpp"
#include "idealrank/sort/top.hpp"
#include "idealrank/sort/top_items.hpp"
#include "idealrank/text/grouping.hpp"

namespace idealrank::bind {

namespace {

template <class Score>
void bind_top_selection(nb::module_& m, const char* name) {
  using Selection = TopSelection<Score>;
  nb::class_<Selection>(m, name, "The best items of each user, from blocks of scores of consecutive items.")
      .def(
          "__init__",
          [](Selection* self, std::size_t n_items, std::size_t k, const In<std::int64_t>& excluded,
             const In<std::int64_t>& given_starts) {
            const Offsets starts(given_starts, excluded.shape(0), "starts");
            new (self) Selection(n_items, k, span_of(excluded), starts);
          },
          "n_items"_a, "k"_a, "excluded"_a.noconvert(), "starts"_a.noconvert())
      .def(
          "add",
          [](Selection& self, const nb::ndarray<const Score, nb::ndim<2>, nb::c_contig, nb::device::cpu>& scores,
             int n_threads) {
            check_length(scores.shape(0), self.n_users(), "rows of scores");
            if (scores.shape(1) > self.n_left()) throw std::invalid_argument("there are more scores than items");
            const Threads threads = interruptible(n_threads);
            nb::gil_scoped_release release;
            self.add(std::span<const Score>(scores.data(), scores.size()), scores.shape(1), threads);
          },
          "scores"_a.noconvert(), "n_threads"_a)
      .def("found", [](Selection& self) {
        TopItems top;
        {
          nb::gil_scoped_release release;
          top = self.found();
        }
        return std::make_tuple(to_numpy(std::move(top.items)), to_numpy(std::move(top.scores)),
                               to_numpy(std::move(top.offsets)));
      });
}

}  // namespace

void bind_sort(nb::module_& m) {
  bind_top_selection<float>(m, "TopSelection32");
  bind_top_selection<double>(m, "TopSelection64");

  m.def(
      "all_finite", [](const In<double>& values) { return all_finite(span_of(values)); }, "values"_a.noconvert());

  m.def(
      "order",
      [](const In<double>& scores, const In<std::int64_t>& given_offsets, int n_threads) {
        const Offsets offsets(given_offsets, scores.shape(0));
        const Threads threads = interruptible(n_threads);
        Buffer<std::int64_t> rows;
        {
          nb::gil_scoped_release release;
          rows.resize(scores.shape(0));
          for_each_query(offsets, threads, [&](const Stop& stop) {
            return [&, rank = TopRanker(stop), own = OwnCopy(stop), stop = Stop(stop)](
                       std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
              const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
              const auto order = rank(own(span_of(scores).subspan(first, n)), n, query, begin);
              for_each_part(n, stop, [&](std::size_t r, std::size_t last) {
                for (; r < last; ++r) rows[first + r] = begin + order[r];
              });
            };
          });
        }
        return to_numpy(std::move(rows));
      },
      "scores"_a.noconvert(), "offsets"_a.noconvert(), "n_threads"_a);

  m.def(
      "last_of_first",
      [](const In<double>& scores, const In<std::int64_t>& given_offsets, std::int64_t k, int n_threads) {
        const Offsets offsets(given_offsets, scores.shape(0));
        if (k < 1) throw std::invalid_argument("k must be 1 or more");
        const Threads threads = interruptible(n_threads);
        Buffer<std::int64_t> rows;
        {
          nb::gil_scoped_release release;
          rows.resize(given_offsets.shape(0) - 1);
          for_each_query(offsets, threads, [&](const Stop& stop) {
            return [&, rank = TopRanker(stop), own = OwnCopy(stop)](std::int64_t query, std::int64_t begin,
                                                                    std::int64_t end) mutable {
              const auto n = static_cast<std::size_t>(end - begin), depth = std::min(n, static_cast<std::size_t>(k));
              const auto order = rank(own(span_of(scores).subspan(static_cast<std::size_t>(begin), n)), depth, query, begin);
              rows[static_cast<std::size_t>(query)] = depth == 0 ? -1 : begin + order[depth - 1];
            };
          });
        }
        return to_numpy(std::move(rows));
      },
      "scores"_a.noconvert(), "offsets"_a.noconvert(), "k"_a, "n_threads"_a,
      "The row of the k-th highest score of each query, the lowest if there are fewer; -1 for a query without rows.");

  m.def(
      "order_by_id",
      [](const In<double>& scores, const In<std::int64_t>& given_offsets, const In<std::uint8_t>& id_bytes,
         const In<std::int64_t>& id_offsets, bool descending, int n_threads) {
        const Offsets offsets(given_offsets, scores.shape(0));
        const Threads threads = interruptible(n_threads);
        check_offsets(id_offsets, id_bytes.shape(0), "id offsets");
        check_length(id_offsets.shape(0), scores.shape(0) + 1, "id offsets");
        Buffer<std::int64_t> rows;
        {
          nb::gil_scoped_release release;
          rows.resize(scores.shape(0));
          order_by_id(span_of(scores), offsets, ids_of(id_bytes, id_offsets), descending, rows.span(), threads);
        }
        return to_numpy(std::move(rows));
      },
      "scores"_a.noconvert(), "offsets"_a.noconvert(), "id_bytes"_a.noconvert(), "id_offsets"_a.noconvert(), "descending"_a,
      "n_threads"_a);

  m.def(
      "group",
      [](const In<std::int64_t>& queries, std::int64_t n_queries) {
        check_rows(queries, 0, static_cast<std::size_t>(n_queries), "query number");
        const Stop stop = interruptible();
        Grouping grouping;
        {
          nb::gil_scoped_release release;
          grouping = group(span_of(queries), n_queries, stop);
        }
        return std::make_tuple(to_numpy(std::move(grouping.offsets)), order_or_none(std::move(grouping.order)));
      },
      "queries"_a.noconvert(), "n_queries"_a);
}

}  // namespace idealrank::bind
