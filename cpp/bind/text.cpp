// Readers and writers of LETOR, TREC and plain number files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "bind.hpp"
#include "idealrank/text/grouping.hpp"
#include "idealrank/text/letor.hpp"
#include "idealrank/text/number_lines.hpp"
#include "idealrank/text/text_out.hpp"
#include "idealrank/text/trec.hpp"

namespace idealrank::bind {

namespace {

std::string_view text_of(const In<std::uint8_t>& block) {
  return {reinterpret_cast<const char*>(block.data()), block.shape(0)};
}

// Readers: feed(block, last, n_threads) returns the number of bytes consumed; finish() is called once, at the end.
template <TrecFile kind>
struct TrecReader {
  BlockParser<TrecRows<kind>> parser;
  TrecRows<kind> rows;

  explicit TrecReader(bool has_comments) : parser([] { return TrecRows<kind>(); }, has_comments) {}

  std::size_t feed(const In<std::uint8_t>& block, bool last, int n_threads) {
    nb::gil_scoped_release release;
    return parser.feed(text_of(block), last, n_threads, rows);
  }
  std::int64_t n_lines() const { return parser.n_lines(); }
  std::int64_t n_comments() const { return parser.n_comments(); }
  auto finish() {
    Grouping grouping;
    const Stop stop = interruptible();
    {
      nb::gil_scoped_release release;
      grouping = rows.regroup(stop);
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
    const Stop stop = interruptible();
    {
      nb::gil_scoped_release release;
      grouping = file.rows.queries.grouping(stop);
      cells = file.dense.take(stop);
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

template <TrecFile kind>
void bind_trec(nb::module_& m, const char* name) {
  nb::class_<TrecReader<kind>> reader(m, name);
  reader.def(nb::init<bool>(), "has_comments"_a).def_prop_ro("n_comments", &TrecReader<kind>::n_comments);
  bind_reader(reader);
}

struct SparseRows {
  In<std::int64_t> row_ends;
  In<std::int32_t> columns;
  In<float> values;
};

// Formats the rows [begin, end) as LETOR text, with the features from a matrix or from sparse rows.
nb::bytes format_letor(const In<double>& labels, const In<std::uint8_t>& query_bytes, const In<std::int64_t>& query_offsets,
                       const In<std::int64_t>& queries, std::optional<std::tuple<In<std::uint8_t>, In<std::int64_t>>> docs,
                       std::optional<Matrix> features, const std::optional<SparseRows>& sparse, std::int64_t begin,
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
  if (sparse) check_length(sparse->row_ends.shape(0), n + 1, "row ends");
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
        for (auto e = static_cast<std::size_t>(row_ends.data()[row]); e < static_cast<std::size_t>(row_ends.data()[row + 1]);
             ++e) {
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

// Formats the queries [begin, end) as TREC lines: `query Q0 document rank score tag` with ranks,
// `query 0 document label` without.
nb::bytes format_trec(const In<std::uint8_t>& query_bytes, const In<std::int64_t>& query_offsets,
                      const In<std::int64_t>& offsets, const In<std::uint8_t>& doc_bytes,
                      const In<std::int64_t>& doc_offsets, const In<double>& values, std::optional<In<std::int64_t>> ranks,
                      const nb::bytes& tag, std::int64_t begin, std::int64_t end) {
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

  const std::string_view name(tag.c_str(), tag.size());
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
          text += name;
        }
        text += '\n';
      }
    }
  }
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_text(nb::module_& m) {
  bind_reader(nb::class_<LetorReader>(m, "LetorReader").def(nb::init<bool, std::int64_t>(), "sparse"_a, "n_features_max"_a));
  bind_trec<TrecFile::qrels>(m, "QrelsReader");
  bind_trec<TrecFile::run>(m, "RunReader");
  bind_reader(nb::class_<NumberReader<false>>(m, "ScoreReader").def(nb::init<>()));
  bind_reader(nb::class_<NumberReader<true>>(m, "GroupReader").def(nb::init<>()));

  nb::class_<SparseRows>(m, "SparseRows", "Sparse features; row_ends begins with 0.")
      .def(
          "__init__",
          [](SparseRows* self, In<std::int64_t> row_ends, In<std::int32_t> columns, In<float> values) {
            check_length(columns.shape(0), values.shape(0), "columns");
            check_offsets(row_ends, values.shape(0), "row ends");
            new (self) SparseRows{std::move(row_ends), std::move(columns), std::move(values)};
          },
          nb::kw_only(), "row_ends"_a, "columns"_a, "values"_a);

  m.def("format_letor", &format_letor, "labels"_a.noconvert(), "query_bytes"_a.noconvert(), "query_offsets"_a.noconvert(),
        nb::kw_only(), "queries"_a.noconvert(), "docs"_a.none(), "features"_a.noconvert().none(), "sparse"_a.none(),
        "begin"_a, "end"_a);
  m.def("format_trec", &format_trec, "query_bytes"_a.noconvert(), "query_offsets"_a.noconvert(), "offsets"_a.noconvert(),
        "doc_bytes"_a.noconvert(), "doc_offsets"_a.noconvert(), nb::kw_only(), "values"_a.noconvert(),
        "ranks"_a.noconvert().none(), "tag"_a, "begin"_a, "end"_a);
}

}  // namespace idealrank::bind
