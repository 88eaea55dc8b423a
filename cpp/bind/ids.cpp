// Query and document ids: numbering, matching, and lookup of judgments by id.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "idealrank/text/ids.hpp"

namespace idealrank::bind {

namespace {

// Converts a Python float, or a subclass, or an int that float64 holds exactly. Returns false for everything else, including
// bool: different ints must not silently become equal.
bool number_of(PyObject* value, double& number) {
  if (!PyFloat_Check(value) && !PyLong_CheckExact(value)) return false;
  number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return false;
  }
  constexpr double kExact = 9007199254740992;  // 2^53
  return PyFloat_Check(value) || (number > -kExact && number < kExact);
}

// Appends the ids and numbers of {id: number}. Returns false if an id is not text that UTF-8 can encode,
// or if a value is not a number.
bool append_entries(PyObject* entries, std::vector<std::pair<PyObject*, PyObject*>>& listed, Ids& ids, double* numbers) {
  constexpr std::size_t kAhead = 12;  // number of entries to prefetch; they are scattered in memory
  const nb::ft_object_guard guard(entries);
  listed.clear();
  Py_ssize_t place = 0;
  for (PyObject *key = nullptr, *value = nullptr; PyDict_Next(entries, &place, &key, &value) != 0;)
    listed.emplace_back(key, value);
  std::size_t id = ids.offsets.size();
  ids.offsets.resize(id + listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
#if defined(__GNUC__)
    if (i + kAhead < listed.size()) {
      __builtin_prefetch(listed[i + kAhead].first);
      __builtin_prefetch(listed[i + kAhead].second);
    }
#endif
    const auto [key, value] = listed[i];
    if (!PyUnicode_CheckExact(key) || !number_of(value, numbers[i])) return false;
    Py_ssize_t length = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(key, &length);
    if (text == nullptr) {
      PyErr_Clear();
      return false;
    }
    ids.bytes.append({text, static_cast<std::size_t>(length)});
    ids.offsets[id++] = static_cast<std::int64_t>(ids.bytes.size());
  }
  return true;
}

}  // namespace

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

  // Flattens {query: {document: number}} into the offsets of the queries, the documents, and the numbers. Returns
  // None if a mapping is not a dict, an id is not plain text, or a number is neither a float nor an int. The
  // documents of a query are distinct.
  m.def(
      "flatten",
      [](const nb::object& queries) -> std::optional<std::tuple<Out<std::int64_t>, IdArrays, Out<double>>> {
        if (!PyDict_CheckExact(queries.ptr())) return std::nullopt;
        std::vector<std::pair<PyObject*, PyObject*>> listed;
        Buffer<std::int64_t> offsets;
        offsets.push_back(0);
        Ids ids;
        Buffer<double> numbers;
        for (const auto [query, entries] : nb::borrow<nb::dict>(queries)) {
          if (!PyDict_CheckExact(entries.ptr())) return std::nullopt;
          const std::size_t begin = numbers.size();
          const auto n = static_cast<std::size_t>(PyDict_Size(entries.ptr()));
          numbers.resize(begin + n);
          if (!append_entries(entries.ptr(), listed, ids, numbers.data() + begin) || listed.size() != n) return std::nullopt;
          offsets.push_back(static_cast<std::int64_t>(numbers.size()));
        }
        return std::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(ids)), to_numpy(std::move(numbers)));
      },
      "queries"_a);

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
                ids_of(retrieved_bytes, retrieved_ids), span_of(retrieved_offsets), span_of(run_query), labels.span(),
                threads);
        }
        return to_numpy(std::move(labels));
      },
      "judged_bytes"_a.noconvert(), "judged_ids"_a.noconvert(), "judged_offsets"_a.noconvert(),
      "retrieved_bytes"_a.noconvert(), "retrieved_ids"_a.noconvert(), "retrieved_offsets"_a.noconvert(), nb::kw_only(),
      "judgments"_a.noconvert(), "run_query"_a.noconvert(), "n_threads"_a);
}

}  // namespace idealrank::bind
