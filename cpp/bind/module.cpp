// The Python face of the kernels: types and shapes in, NumPy arrays out. dtype and contiguity are fixed in Python before.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "idealrank/buffer.hpp"
#include "idealrank/errors.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/text/grouping.hpp"
#include "idealrank/sort/id_order.hpp"
#include "idealrank/text/ids.hpp"
#include "idealrank/text/letor.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/text/number_lines.hpp"
#include "idealrank/sort/order.hpp"
#include "idealrank/pairs/pairs.hpp"
#include "idealrank/text/text_out.hpp"
#include "idealrank/text/trec.hpp"

using namespace idealrank;
using namespace idealrank::bind;

namespace {

std::optional<Out<std::int64_t>> order_or_none(Buffer<std::int64_t>&& order) {
  if (order.size() == 0) return std::nullopt;
  return to_numpy(std::move(order));
}

std::string_view text_of(const In<std::uint8_t>& block) {
  return {reinterpret_cast<const char*>(block.data()), block.shape(0)};
}

// Readers: feed(block, last, n_threads) -> bytes used up, then finish() once.
template <TrecFile kind>
struct TrecReader {
  BlockParser<TrecRows<kind>> parser;
  TrecRows<kind> rows;

  std::size_t feed(const In<std::uint8_t>& block, bool last, int n_threads) {
    nb::gil_scoped_release release;
    return parser.feed(text_of(block), last, n_threads, rows);
  }
  std::int64_t n_lines() const { return parser.n_lines(); }
  auto finish() {
    Grouping grouping;
    {
      nb::gil_scoped_release release;
      grouping = rows.regroup();
    }
    return std::make_tuple(to_numpy(rows.queries.take_ids()), to_numpy(std::move(grouping.offsets)),
                           to_numpy(std::move(rows.docs)), to_numpy(std::move(rows.values)),
                           nb::bytes(rows.tag.data(), rows.tag.size()));
  }
};

template <bool kCounts>
struct NumberReader {
  BlockParser<NumberLines<kCounts>> parser;
  NumberLines<kCounts> lines;

  std::size_t feed(const In<std::uint8_t>& block, bool last, int n_threads) {
    nb::gil_scoped_release release;
    return parser.feed(text_of(block), last, n_threads, lines);
  }
  std::int64_t n_lines() const { return parser.n_lines(); }
  Out<double> finish() { return to_numpy(std::move(lines.values)); }
};

struct LetorReader {
  LetorFile file;
  bool sparse;

  LetorReader(bool sparse_, std::int64_t n_features_max) : file(sparse_, n_features_max), sparse(sparse_) {}

  std::size_t feed(const In<std::uint8_t>& block, bool last, int n_threads) {
    nb::gil_scoped_release release;
    return file.feed(text_of(block), last, n_threads);
  }
  std::int64_t n_lines() const { return file.n_lines(); }
  nb::typed<nb::dict, nb::str, nb::any> finish() {
    const bool has_queries = file.rows.queries.size() > 0;
    Grouping grouping;
    Buffer<float> cells;
    {
      nb::gil_scoped_release release;
      grouping = file.rows.queries.grouping();
      cells = file.dense.take();
    }
    nb::dict found;
    const std::size_t n_rows = file.rows.labels.size();
    found["labels"] = to_numpy(std::move(file.rows.labels));
    if (has_queries) {
      found["query_ids"] = to_numpy(file.rows.queries.take_ids());
      found["offsets"] = to_numpy(std::move(grouping.offsets));
      found["order"] = order_or_none(std::move(grouping.order));
    }
    found["n_docs_named"] = file.rows.n_docs_named;
    if (file.rows.n_docs_named > 0) found["doc_ids"] = to_numpy(std::move(file.rows.docs));
    found["n_features"] = file.rows.width;
    found["n_nan"] = file.rows.n_nan;
    found["n_infinite"] = file.rows.n_infinite;
    if (sparse) {
      found["values"] = to_numpy(std::move(file.rows.values));
      found["columns"] = to_numpy(std::move(file.rows.columns));
      found["row_ends"] = to_numpy(std::move(file.rows.row_ends));
    } else {
      if (cells.data() == nullptr) cells.resize(1);
      found["features"] = to_numpy(std::move(cells), n_rows, static_cast<std::size_t>(file.rows.width));
    }
    return nb::borrow<nb::typed<nb::dict, nb::str, nb::any>>(found);
  }
};

template <class Reader>
void bind_reader(nb::class_<Reader>& reader) {
  reader.def("feed", &Reader::feed, "block"_a.noconvert(), "last"_a, "n_threads"_a)
      .def_prop_ro("n_lines", &Reader::n_lines)
      .def("finish", &Reader::finish);
}

// Rows [begin, end) as LETOR text. The features come as a matrix, or as the columns, values and row ends of sparse rows.
nb::bytes format_letor(const In<double>& labels, const In<std::uint8_t>& query_bytes, const In<std::int64_t>& query_offsets,
                       const In<std::int64_t>& queries, std::optional<std::tuple<In<std::uint8_t>, In<std::int64_t>>> docs,
                       std::optional<Matrix> features,
                       std::optional<std::tuple<In<std::int64_t>, In<std::int32_t>, In<float>>> sparse, std::int64_t begin,
                       std::int64_t end) {
  const std::size_t n = labels.shape(0);
  check_length(queries.shape(0), n, "queries");
  check_offsets(query_offsets, query_bytes.shape(0), "id offsets");
  check_rows(queries, 0, query_offsets.shape(0) - 1, "query");
  if (docs) {
    check_offsets(std::get<1>(*docs), std::get<0>(*docs).shape(0), "id offsets");
    check_length(std::get<1>(*docs).shape(0), n + 1, "document id offsets");
  }
  if (features) check_length(features->shape(0), n, "features");
  if (sparse) {
    const auto& [row_ends, columns, values] = *sparse;
    check_length(columns.shape(0), values.shape(0), "columns");
    check_offsets(row_ends, values.shape(0), "row ends");
    check_length(row_ends.shape(0), n + 1, "row ends");
  }
  if (begin < 0 || end < begin || end > static_cast<std::int64_t>(n)) throw data_error("no such rows", -1, begin);

  std::string text;
  {
    nb::gil_scoped_release release;
    const IdsView query_ids = ids_of(query_bytes, query_offsets);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      append_number(text, labels.data()[row]);
      text += " qid:";
      text += query_ids[static_cast<std::size_t>(queries.data()[row])];
      if (features) {
        const std::size_t width = features->shape(1);
        for (std::size_t column = 0; column < width; ++column) {
          append_entry(text, column, features->data()[row * width + column]);
        }
      }
      if (sparse) {
        const auto& [row_ends, columns, values] = *sparse;
        for (auto e = static_cast<std::size_t>(row_ends.data()[row]); e < static_cast<std::size_t>(row_ends.data()[row + 1]); ++e) {
          append_entry(text, static_cast<std::size_t>(columns.data()[e]), values.data()[e]);
        }
      }
      if (docs) {
        const std::string_view doc = ids_of(std::get<0>(*docs), std::get<1>(*docs))[row];
        if (!doc.empty()) {
          text += " #docid = ";
          text += doc;
        }
      }
      text += '\n';
    }
  }
  return nb::bytes(text.data(), text.size());
}

// Queries [begin, end) as TREC lines: `query Q0 document rank score tag` with ranks, `query 0 document label` without.
nb::bytes format_trec(const In<std::uint8_t>& query_bytes, const In<std::int64_t>& query_offsets, const In<std::int64_t>& offsets,
                      const In<std::uint8_t>& doc_bytes, const In<std::int64_t>& doc_offsets, const In<double>& values,
                      std::optional<In<std::int64_t>> ranks, const std::string& tag, std::int64_t begin, std::int64_t end) {
  const std::size_t n = values.shape(0);
  check_offsets(offsets, n, "offsets");
  check_offsets(query_offsets, query_bytes.shape(0), "id offsets");
  check_length(query_offsets.shape(0), offsets.shape(0), "query id offsets");
  check_offsets(doc_offsets, doc_bytes.shape(0), "id offsets");
  check_length(doc_offsets.shape(0), n + 1, "document id offsets");
  if (ranks) check_length(ranks->shape(0), n, "ranks");
  if (begin < 0 || end < begin || end >= static_cast<std::int64_t>(offsets.shape(0))) {
    throw data_error("no such queries", begin, -1);
  }

  std::string text;
  {
    nb::gil_scoped_release release;
    const IdsView query_ids = ids_of(query_bytes, query_offsets), doc_ids = ids_of(doc_bytes, doc_offsets);
    for (auto query = static_cast<std::size_t>(begin); query < static_cast<std::size_t>(end); ++query) {
      const auto stop = static_cast<std::size_t>(offsets.data()[query + 1]);
      for (auto row = static_cast<std::size_t>(offsets.data()[query]); row < stop; ++row) {
        text += query_ids[query];
        text += ranks ? " Q0 " : " 0 ";
        text += doc_ids[row];
        text += ' ';
        if (ranks) {
          append_number(text, ranks->data()[row]);
          text += ' ';
        }
        append_number(text, values.data()[row]);
        if (ranks) {
          text += ' ';
          text += tag;
        }
        text += '\n';
      }
    }
  }
  return nb::bytes(text.data(), text.size());
}

using GainArguments = std::tuple<std::string_view, double, double, double, bool, In<double>, In<double>>;
using DiscountArguments = std::tuple<bool, In<double>>;
using SpecArguments =
    std::tuple<std::string_view, std::size_t, std::size_t, std::string_view, std::string_view, double, double, bool>;

Gain gain_of(const GainArguments& arguments) {
  const auto& [kind, rel, highest, scale, ideal_retrieved, table_labels, table_gains] = arguments;
  check_length(table_gains.shape(0), table_labels.shape(0), "table gains");
  return {named<GainKind>(kind, {"linear", "exp2", "binary", "judged", "preference", "table"}), rel, highest, scale,
          ideal_retrieved, span_of(table_labels), span_of(table_gains)};
}

Spec spec_of(const SpecArguments& arguments, std::size_t n_gains, std::size_t n_discounts) {
  const auto& [reduction, gain, discount, denominator, cutoff_kind, cutoff, empty, zero_if_short] = arguments;
  if (gain >= n_gains || discount >= n_discounts) throw std::invalid_argument("a measure refers to no such gain or discount");
  return {named<Reduction>(reduction, {"sum", "precision_mean", "first", "any", "cascade", "preference", "tied"}),
          gain,
          discount,
          named<Denominator>(denominator, {"none", "ideal", "full", "relevant", "reachable", "hits", "cutoff", "retrieved", "harmonic"}),
          named<CutoffKind>(cutoff_kind, {"none", "rank", "fraction", "power", "relevant"}),
          cutoff,
          empty,
          zero_if_short};
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> measure_lists(
    const In<double>& labels, const In<double>& scores, const In<std::int64_t>& offsets,
    std::optional<std::tuple<In<double>, In<std::int64_t>>> judged, const std::vector<GainArguments>& gain_arguments,
    const std::vector<DiscountArguments>& discount_arguments, const std::vector<SpecArguments>& spec_arguments,
    std::string_view ties, std::string_view negative, int n_threads) {
  check_length(scores.shape(0), labels.shape(0), "scores");
  check_offsets(offsets, labels.shape(0), "offsets");
  Lists lists{span_of(labels), span_of(scores), span_of(offsets), span_of(labels), span_of(offsets), judged.has_value()};
  if (judged) {
    const auto& [judged_labels, judged_offsets] = *judged;
    check_length(judged_offsets.shape(0), offsets.shape(0), "judged offsets");
    check_offsets(judged_offsets, judged_labels.shape(0), "judged offsets");
    lists.judged = span_of(judged_labels);
    lists.judged_offsets = span_of(judged_offsets);
  }
  std::vector<Gain> gains;
  for (const auto& arguments : gain_arguments) gains.push_back(gain_of(arguments));
  std::vector<Discount> discounts;
  for (const auto& [linear, weights] : discount_arguments) discounts.push_back({linear, span_of(weights)});
  std::vector<Spec> specs;
  for (const auto& arguments : spec_arguments) specs.push_back(spec_of(arguments, gains.size(), discounts.size()));
  const Ties ties_kind = ties_of(ties);
  const auto negative_kind = named<Negative>(negative, {"error", "unjudged", "keep"});

  const std::size_t n_queries = offsets.shape(0) - 1;
  Buffer<double> values;
  values.resize(std::max<std::size_t>(specs.size() * n_queries, 1));
  {
    nb::gil_scoped_release release;
    measure(lists, gains, discounts, specs, ties_kind, negative_kind, values.span(), n_threads);
  }
  return to_numpy(std::move(values), specs.size(), n_queries);
}

void translate(const std::exception_ptr& error, void*) {
  auto raise = [](const char* type, const auto&... arguments) {
    try {
      const nb::object cls = nb::module_::import_("idealrank.errors").attr(type);
      PyErr_SetObject(cls.ptr(), cls(arguments...).ptr());
    } catch (nb::python_error& failure) {
      failure.restore();
    }
  };
  // A message may quote bytes of a file that are not UTF-8.
  auto text = [](const std::exception& e) {
    return nb::steal(PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "backslashreplace"));
  };
  auto or_none = [](std::int64_t number) { return number < 0 ? nb::object(nb::none()) : nb::object(nb::int_(number)); };
  try {
    std::rethrow_exception(error);
  } catch (const data_error& e) {
    raise("DataError", text(e), or_none(e.query), or_none(e.row));
  } catch (const parse_error& e) {
    raise("ParseError", text(e), nb::none(), e.line, e.column);
  }
}

}  // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator(translate);

  bind_reader(nb::class_<LetorReader>(m, "LetorReader").def(nb::init<bool, std::int64_t>(), "sparse"_a, "n_features_max"_a));
  bind_reader(nb::class_<TrecReader<TrecFile::qrels>>(m, "QrelsReader").def(nb::init<>()));
  bind_reader(nb::class_<TrecReader<TrecFile::run>>(m, "RunReader").def(nb::init<>()));
  bind_reader(nb::class_<NumberReader<false>>(m, "ScoreReader").def(nb::init<>()));
  bind_reader(nb::class_<NumberReader<true>>(m, "GroupReader").def(nb::init<>()));

  m.def("format_letor", &format_letor, "labels"_a.noconvert(), "query_bytes"_a.noconvert(), "query_offsets"_a.noconvert(),
        "queries"_a.noconvert(), "docs"_a.none(), "features"_a.noconvert().none(), "sparse"_a.none(), "begin"_a, "end"_a);
  m.def("format_trec", &format_trec, "query_bytes"_a.noconvert(), "query_offsets"_a.noconvert(), "offsets"_a.noconvert(),
        "doc_bytes"_a.noconvert(), "doc_offsets"_a.noconvert(), "values"_a.noconvert(), "ranks"_a.noconvert().none(), "tag"_a,
        "begin"_a, "end"_a);

  m.def("measure", &measure_lists, "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "judged"_a.none(),
        "gains"_a, "discounts"_a, "specs"_a, "ties"_a, "negative"_a, "n_threads"_a);

  m.def(
      "pair_counts",
      [](const In<double>& labels, const In<double>& scores, const In<std::int64_t>& offsets, std::string_view ties, int n_threads) {
        check_length(scores.shape(0), labels.shape(0), "scores");
        check_offsets(offsets, labels.shape(0), "offsets");
        const Ties kind = ties_of(ties);
        const std::size_t n_queries = offsets.shape(0) - 1;
        Buffer<double> columns;  // one row a query: the six numbers of PairCounts
        columns.resize(std::max<std::size_t>(6 * n_queries, 1));
        {
          nb::gil_scoped_release release;
          static_assert(sizeof(PairCounts) == 6 * sizeof(double));
          std::vector<PairCounts> counts(n_queries);
          pair_counts(span_of(labels), span_of(scores), span_of(offsets), kind, counts, n_threads);
          if (n_queries > 0) std::memcpy(columns.data(), counts.data(), n_queries * sizeof(PairCounts));
        }
        return to_numpy(std::move(columns), n_queries, 6);
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "ties"_a, "n_threads"_a);

  bind_direct(m);
  bind_linear_model(m);
  bind_pairwise(m);
  bind_stats(m);
  bind_prefixes(m);

  m.def(
      "order",
      [](const In<double>& scores, const In<std::int64_t>& offsets, int n_threads) {
        check_offsets(offsets, scores.shape(0), "offsets");
        Buffer<std::int64_t> rows;
        {
          nb::gil_scoped_release release;
          rows.resize(scores.shape(0));
          for_each_query(span_of(offsets), n_threads, [&] {
            return [&, rank = TopRanker()](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
              const auto first = static_cast<std::size_t>(begin), n = static_cast<std::size_t>(end - begin);
              const auto order = rank(span_of(scores).subspan(first, n), n, query, begin);
              for (std::size_t r = 0; r < n; ++r) rows[first + r] = begin + order[r];
            };
          });
        }
        return to_numpy(std::move(rows));
      },
      "scores"_a.noconvert(), "offsets"_a.noconvert(), "n_threads"_a);

  m.def(
      "order_by_id",
      [](const In<double>& scores, const In<std::int64_t>& offsets, const In<std::uint8_t>& id_bytes,
         const In<std::int64_t>& id_offsets, bool descending, int n_threads) {
        check_offsets(offsets, scores.shape(0), "offsets");
        check_offsets(id_offsets, id_bytes.shape(0), "id offsets");
        check_length(id_offsets.shape(0), scores.shape(0) + 1, "id offsets");
        Buffer<std::int64_t> rows;
        {
          nb::gil_scoped_release release;
          rows.resize(scores.shape(0));
          order_by_id(span_of(scores), span_of(offsets), ids_of(id_bytes, id_offsets), descending, rows.span(), n_threads);
        }
        return to_numpy(std::move(rows));
      },
      "scores"_a.noconvert(), "offsets"_a.noconvert(), "id_bytes"_a.noconvert(), "id_offsets"_a.noconvert(), "descending"_a,
      "n_threads"_a);

  m.def(
      "group",
      [](const In<std::int64_t>& queries, std::int64_t n_queries) {
        check_rows(queries, 0, static_cast<std::size_t>(n_queries), "query number");
        Grouping grouping;
        {
          nb::gil_scoped_release release;
          grouping = group(span_of(queries), n_queries);
        }
        return std::make_tuple(to_numpy(std::move(grouping.offsets)), order_or_none(std::move(grouping.order)));
      },
      "queries"_a.noconvert(), "n_queries"_a);

  m.def(
      "number_ids",
      [](const In<std::uint8_t>& bytes, const In<std::int64_t>& offsets) {
        check_offsets(offsets, bytes.shape(0), "id offsets");
        IdSet set;
        Buffer<std::int64_t> numbers;
        {
          nb::gil_scoped_release release;
          const IdsView ids = ids_of(bytes, offsets);
          numbers.resize(ids.size());
          for (std::size_t i = 0; i < ids.size(); ++i) numbers[i] = set.insert(ids[i]);
        }
        return std::make_tuple(to_numpy(std::move(numbers)), to_numpy(set.take()));
      },
      "bytes"_a.noconvert(), "offsets"_a.noconvert());

  m.def(
      "take_ids",
      [](const In<std::uint8_t>& bytes, const In<std::int64_t>& offsets, const In<std::int64_t>& rows) {
        check_offsets(offsets, bytes.shape(0), "id offsets");
        check_rows(rows, 0, offsets.shape(0) - 1, "row");
        Ids taken;
        {
          nb::gil_scoped_release release;
          taken = take(ids_of(bytes, offsets), span_of(rows));
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
        Buffer<std::int64_t> numbers;
        {
          nb::gil_scoped_release release;
          numbers.resize(wanted_offsets.shape(0) - 1);
          match(ids_of(wanted_bytes, wanted_offsets), ids_of(bytes, offsets), numbers.span());
        }
        return to_numpy(std::move(numbers));
      },
      "wanted_bytes"_a.noconvert(), "wanted_offsets"_a.noconvert(), "bytes"_a.noconvert(), "offsets"_a.noconvert());

  m.def(
      "first_rows",
      [](const In<std::uint8_t>& bytes, const In<std::int64_t>& id_offsets, const In<std::int64_t>& offsets, int n_threads) {
        check_offsets(id_offsets, bytes.shape(0), "id offsets");
        check_offsets(offsets, id_offsets.shape(0) - 1, "offsets");
        Buffer<std::int64_t> first;
        {
          nb::gil_scoped_release release;
          first.resize(id_offsets.shape(0) - 1);
          first_rows(ids_of(bytes, id_offsets), span_of(offsets), first.span(), n_threads);
        }
        return to_numpy(std::move(first));
      },
      "bytes"_a.noconvert(), "id_offsets"_a.noconvert(), "offsets"_a.noconvert(), "n_threads"_a);

  m.def(
      "judge",
      [](const In<std::uint8_t>& judged_bytes, const In<std::int64_t>& judged_ids, const In<std::int64_t>& judged_offsets,
         const In<double>& judgments, const In<std::uint8_t>& retrieved_bytes, const In<std::int64_t>& retrieved_ids,
         const In<std::int64_t>& retrieved_offsets, const In<std::int64_t>& run_query, int n_threads) {
        check_offsets(judged_ids, judged_bytes.shape(0), "id offsets");
        check_offsets(judged_offsets, judged_ids.shape(0) - 1, "offsets");
        check_length(judgments.shape(0), judged_ids.shape(0) - 1, "judgments");
        check_offsets(retrieved_ids, retrieved_bytes.shape(0), "id offsets");
        check_offsets(retrieved_offsets, retrieved_ids.shape(0) - 1, "offsets");
        check_length(run_query.shape(0), judged_offsets.shape(0) - 1, "run_query");
        check_rows(run_query, -1, retrieved_offsets.shape(0) - 1, "query");
        Buffer<double> labels;
        {
          nb::gil_scoped_release release;
          labels.resize(retrieved_ids.shape(0) - 1);
          std::fill_n(labels.data(), labels.size(), std::numeric_limits<double>::quiet_NaN());
          judge(ids_of(judged_bytes, judged_ids), span_of(judged_offsets), span_of(judgments),
                ids_of(retrieved_bytes, retrieved_ids), span_of(retrieved_offsets), span_of(run_query), labels.span(), n_threads);
        }
        return to_numpy(std::move(labels));
      },
      "judged_bytes"_a.noconvert(), "judged_ids"_a.noconvert(), "judged_offsets"_a.noconvert(), "judgments"_a.noconvert(),
      "retrieved_bytes"_a.noconvert(), "retrieved_ids"_a.noconvert(), "retrieved_offsets"_a.noconvert(),
      "run_query"_a.noconvert(), "n_threads"_a);
}
