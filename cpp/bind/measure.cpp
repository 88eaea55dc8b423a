// Measures of rankings, and counts of pairs.
#include "idealrank/measure/measure.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bind.hpp"
#include "idealrank/pairs/pairs.hpp"

namespace idealrank::bind {

namespace {

// A gain and the arrays that its table points into.
struct BoundGain : Gain {
  std::optional<In<double>> labels_array, gains_array;
};

struct BoundCutoff {
  CutoffKind kind;
  std::size_t rank;
  std::optional<In<std::int64_t>> depths;
};

// Measures that share a gain or a discount refer to the same Python object, so that the kernel computes it only once.
struct BoundMeasure {
  Spec spec;  // `numbered` sets its gain and discount
  std::optional<In<std::int64_t>> depths_array;  // which `spec.depths` points into
  nb::object gain, discount;
};

struct BoundJudged {
  In<double> labels;
  Offsets offsets;
};

void bind_options(nb::module_& m) {
  nb::class_<BoundGain>(m, "Gain", "How a label becomes a gain; a table has ascending labels and one gain for each.")
      .def(
          "__init__",
          [](BoundGain* self, std::string_view kind, double rel, std::optional<double> highest, double scale,
             bool ideal_retrieved, std::optional<In<double>> table_labels, std::optional<In<double>> table_gains) {
            const auto named_kind =
                named<GainKind>(kind, "kind of gain", {"linear", "exp2", "binary", "judged", "preference", "table"});
            const auto labels = span_or_empty(table_labels), gains = span_or_empty(table_gains);
            check_length(gains.size(), labels.size(), "table gains");
            const double limit = highest.value_or(std::numeric_limits<double>::infinity());
            new (self) BoundGain{{named_kind, rel, limit, scale, ideal_retrieved, labels, gains},
                                 std::move(table_labels),
                                 std::move(table_gains)};
          },
          nb::kw_only(), "kind"_a, "rel"_a = 1.0, "highest"_a = nb::none(), "scale"_a = 1.0, "ideal_retrieved"_a = false,
          "table_labels"_a = nb::none(), "table_gains"_a = nb::none());

  nb::class_<BoundDiscount>(m, "Discount", "The weights of the ranks 1, 2, ..., or n - r where linear.")
      .def(
          "__init__",
          [](BoundDiscount* self, bool linear, std::optional<In<double>> weights) {
            if (linear == weights.has_value()) throw std::invalid_argument("a discount is either linear or has weights");
            const auto table = span_or_empty(weights);
            new (self) BoundDiscount{{linear, table}, std::move(weights)};
          },
          nb::kw_only(), "linear"_a = false, "weights"_a = nb::none());

  nb::class_<BoundCutoff>(m, "Cutoff", "How many ranks of a list count; depths has one number per query.")
      .def(
          "__init__",
          [](BoundCutoff* self, std::string_view kind, std::int64_t rank, std::optional<In<std::int64_t>> depths) {
            const auto named_kind = named<CutoffKind>(kind, "kind of cutoff", {"none", "rank", "relevant", "depths"});
            if ((named_kind == CutoffKind::depths) != depths.has_value()) {
              throw std::invalid_argument("a cutoff has depths if that is its kind, and only then");
            }
            auto check = [](std::int64_t k) {
              if (k < 0) throw std::invalid_argument("a cutoff must be at least 0, got " + std::to_string(k));
            };
            check(rank);
            std::ranges::for_each(span_or_empty(depths), check);
            new (self) BoundCutoff{named_kind, static_cast<std::size_t>(rank), std::move(depths)};
          },
          nb::kw_only(), "kind"_a, "rank"_a = 0, "depths"_a = nb::none());

  nb::class_<BoundMeasure>(m, "Measure", "What becomes of the gains of a ranking.")
      .def(
          "__init__",
          [](BoundMeasure* self, std::string_view reduction, nb::handle_t<BoundGain> gain,
             nb::handle_t<BoundDiscount> discount, std::string_view denominator, const BoundCutoff& cutoff, double empty,
             bool zero_if_short, bool negative_ideal) {
            Spec spec;
            spec.reduction = named<Reduction>(reduction, "reduction",
                                              {"sum", "precision_mean", "first", "any", "cascade", "preference", "tied", "ideal"});
            spec.denominator =
                named<Denominator>(denominator, "denominator",
                                   {"none", "ideal", "full", "relevant", "reachable", "hits", "cutoff", "retrieved",
                                    "harmonic", "highest_label", "ideal_shorter", "ideal_retrieved", "ideal_whole"});
            spec.cutoff_kind = cutoff.kind;
            spec.rank = cutoff.rank;
            spec.depths = span_or_empty(cutoff.depths);
            spec.empty = empty;
            spec.zero_if_short = zero_if_short;
            spec.negative_ideal = negative_ideal;
            new (self) BoundMeasure{spec, cutoff.depths, nb::borrow(gain), nb::borrow(discount)};
          },
          nb::kw_only(), "reduction"_a, "gain"_a, "discount"_a, "denominator"_a, "cutoff"_a, "empty"_a, "zero_if_short"_a,
          "negative_ideal"_a);

  nb::class_<BoundJudged>(m, "Judged", "The labels of all judged documents, query by query.")
      .def(
          "__init__",
          [](BoundJudged* self, In<double> labels, const In<std::int64_t>& offsets) {
            Offsets checked(offsets, labels.shape(0), "judged offsets");
            new (self) BoundJudged{std::move(labels), std::move(checked)};
          },
          nb::kw_only(), "labels"_a.noconvert(), "offsets"_a.noconvert());
}

// The index of an option among the distinct ones; a new option is added.
template <class Bound, class Option>
std::size_t numbered(nb::handle option, std::vector<nb::handle>& known, std::vector<Option>& options) {
  const auto place = std::find_if(known.begin(), known.end(), [&](nb::handle other) { return other.is(option); });
  const auto number = static_cast<std::size_t>(place - known.begin());
  if (place == known.end()) {
    known.push_back(option);
    options.push_back(*nb::inst_ptr<Bound>(option));
  }
  return number;
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> measure_lists(const In<double>& labels, const In<double>& scores,
                                                          const In<std::int64_t>& given_offsets,
                                                          const std::vector<BoundMeasure>& measures,
                                                          const std::optional<BoundJudged>& judged, std::string_view ties,
                                                          std::string_view negative, int n_threads) {
  check_length(scores.shape(0), labels.shape(0), "scores");
  const Offsets offsets(given_offsets, labels.shape(0));
  Lists lists{span_of(labels), span_of(scores), offsets, span_of(labels), offsets, judged.has_value()};
  if (judged) {
    check_length(judged->offsets.n_queries(), offsets.n_queries(), "judged offsets");
    lists.judged = span_of(judged->labels);
    lists.judged_offsets = judged->offsets;
  }
  std::vector<Gain> gains;
  std::vector<Discount> discounts;
  std::vector<Spec> specs;
  std::vector<nb::handle> known_gains, known_discounts;
  for (const BoundMeasure& measure : measures) {
    Spec& spec = specs.emplace_back(measure.spec);
    if (spec.cutoff_kind == CutoffKind::depths) check_length(spec.depths.size(), offsets.n_queries(), "depths");
    spec.gain = numbered<BoundGain>(measure.gain, known_gains, gains);
    spec.discount = numbered<BoundDiscount>(measure.discount, known_discounts, discounts);
  }
  const Ties ties_kind = ties_of(ties);
  const auto negative_kind = named<Negative>(negative, "treatment of negative labels", {"error", "unjudged", "keep"});

  const std::size_t n_queries = offsets.n_queries();
  const Threads threads = interruptible(n_threads);
  Buffer<double> values;
  values.resize(std::max<std::size_t>(specs.size() * n_queries, 1));
  {
    nb::gil_scoped_release release;
    measure(lists, gains, discounts, specs, ties_kind, negative_kind, values.span(), threads);
  }
  return to_numpy(std::move(values), specs.size(), n_queries);
}

}  // namespace

void bind_measure(nb::module_& m) {
  bind_options(m);

  m.def("measure", &measure_lists, "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(),
        "measures"_a, "judged"_a.none(), "ties"_a, "negative"_a, "n_threads"_a,
        "The value of each measure (rows) for each query (columns).");

  m.def(
      "pair_counts",
      [](const In<double>& labels, const In<double>& scores, const In<std::int64_t>& given_offsets, std::string_view ties,
         int n_threads) {
        check_length(scores.shape(0), labels.shape(0), "scores");
        const Offsets offsets(given_offsets, labels.shape(0));
        const Ties kind = ties_of(ties);
        const std::size_t n_queries = offsets.n_queries();
        const Threads threads = interruptible(n_threads);
        Buffer<double> columns;  // one row per query: the six numbers of PairCounts
        columns.resize(std::max<std::size_t>(6 * n_queries, 1));
        {
          nb::gil_scoped_release release;
          static_assert(sizeof(PairCounts) == 6 * sizeof(double));
          std::vector<PairCounts> counts(n_queries);
          pair_counts(span_of(labels), span_of(scores), offsets, kind, counts, threads);
          if (n_queries > 0) std::memcpy(columns.data(), counts.data(), n_queries * sizeof(PairCounts));
        }
        return to_numpy(std::move(columns), n_queries, 6);
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "ties"_a, "n_threads"_a);
}

}  // namespace idealrank::bind
