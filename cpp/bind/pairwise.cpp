// Losses over pairs of documents, and DCGs of noisy or softly sorted scores, which are also computed from pairs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "bind.hpp"
#include "idealrank/pairs/pairwise.hpp"
#include "idealrank/pairs/pairwise_softmax.hpp"
#include "idealrank/sigmoid/neural_ndcg.hpp"
#include "idealrank/sigmoid/soft_ndcg.hpp"

namespace idealrank::bind {

namespace {

// The options point into the arrays next to them.
struct BoundSwap {
  SwapMeasure measure;
  std::size_t truncation;
  bool together;
  BoundDiscount discount;
  In<std::int64_t> depths;
  std::optional<In<double>> distances;
  std::optional<In<double>> rates, amounts;
  bool changes;
  double offset;
  std::size_t n_rankings;
  std::uint64_t seed;
};

struct BoundPairLoss {
  PairSpec spec;
  std::optional<BoundSwap> swap;
};

void bind_options(nb::module_& m) {
  // One document of a pair must be among the first `truncation` ranks, or both if `together`.
  nb::class_<BoundSwap>(m, "Swap", "The measure whose change, if the documents of a pair were swapped, weights the pair.")
      .def(
          "__init__",
          [](BoundSwap* self, std::string_view reduction, const BoundDiscount& discount, In<std::int64_t> depths,
             std::optional<std::size_t> truncation, bool together, std::optional<In<double>> distances,
             std::optional<In<double>> rates, std::optional<In<double>> amounts, bool changes, double offset,
             std::size_t n_rankings, std::uint64_t seed) {
            const auto kind = named<Reduction>(reduction, "reduction", {"sum", "precision_mean", "first", "any"});
            if (rates.has_value() != amounts.has_value() || (rates && !distances))
              throw std::invalid_argument("rates need amounts, and both need distances");
            if (rates) check_length(amounts->shape(0), rates->shape(0), "amounts");
            if (n_rankings > 0 && (kind != Reduction::sum || distances || together || offset > 0))
              throw std::invalid_argument("means over rankings need the reduction sum, and take no other weights");
            const SwapMeasure measure{kind, discount, span_of(depths)};
            new (self) BoundSwap{measure,           truncation.value_or(PairSpec().truncation),
                                 together,          discount,
                                 std::move(depths), std::move(distances),
                                 std::move(rates),  std::move(amounts),
                                 changes,           offset,
                                 n_rankings,        seed};
          },
          nb::kw_only(), "reduction"_a, "discount"_a, "depths"_a, "truncation"_a = nb::none(), "together"_a = false,
          "distances"_a.noconvert() = nb::none(), "rates"_a.noconvert() = nb::none(), "amounts"_a.noconvert() = nb::none(),
          "changes"_a = true, "offset"_a = 0.0, "n_rankings"_a = 0, "seed"_a = 0);

  nb::class_<BoundPairLoss>(m, "PairLoss",
                            "The loss of a pair with its margin or sigma (scale), and what multiplies the sum per query.")
      .def(
          "__init__",
          [](BoundPairLoss* self, std::string_view kind, double scale, std::string_view weight, std::string_view normalize,
             std::optional<BoundSwap> swap) {
            PairSpec spec;
            spec.loss = named<PairLoss>(kind, "kind of pair loss", {"hinge", "squared_hinge", "logistic"});
            spec.weight = named<PairWeight>(weight, "pair weight", {"one", "label_gap", "swap_change", "distance"});
            spec.scale = scale;
            spec.normalize = named<PairNormalize>(normalize, "normalization", {"none", "pairs", "lambdas"});
            if (spec.normalize == PairNormalize::lambdas && spec.loss != PairLoss::logistic)
              throw std::invalid_argument("the normalization lambdas is for logistic losses");
            const bool apart = spec.weight == PairWeight::distance;
            if (swap.has_value() != (apart || spec.weight == PairWeight::swap_change)) {
              throw std::invalid_argument("the pair weights swap_change and distance need a swap, and no other takes one");
            }
            if (apart != (swap && swap->distances)) {
              throw std::invalid_argument("the pair weight distance needs distances, and no other takes them");
            }
            if (apart && spec.loss != PairLoss::logistic)
              throw std::invalid_argument("the pair weight distance is for logistic losses");
            if (swap) {
              spec.swap = swap->measure;
              spec.truncation = swap->truncation;
              spec.together = swap->together;
              spec.offset = swap->offset;
              spec.with_swap = swap->changes;
              spec.n_rankings = swap->n_rankings;
              spec.seed = swap->seed;
              spec.distances = span_or_empty(swap->distances);
              if (swap->rates) spec.exponentials = RankExponentials{span_of(*swap->rates), span_of(*swap->amounts)};
            }
            new (self) BoundPairLoss{spec, std::move(swap)};
          },
          nb::kw_only(), "kind"_a, "scale"_a, "weight"_a = "one", "normalize"_a = "none", "swap"_a = nb::none());
}

}  // namespace

void bind_pairwise(nb::module_& m) {
  bind_options(m);

  m.def(
      "pairwise",
      [](const In<double>& labels, const In<double>& scores, const In<std::int64_t>& given_offsets,
         std::optional<In<double>> weights, const BoundPairLoss& loss, std::string_view derivative,
         std::optional<In<double>> factors, int n_threads, std::string_view isa, std::optional<double> few) {
        const std::size_t n = labels.shape(0);
        check_length(scores.shape(0), n, "scores");
        const Offsets offsets(given_offsets, n);
        const std::size_t n_queries = offsets.n_queries();
        if (weights) check_length(weights->shape(0), n, "weights");
        if (factors) check_length(factors->shape(0), n_queries, "factors");
        if (loss.swap) check_length(loss.swap->depths.shape(0), n_queries, "depths");
        if (loss.swap && loss.swap->distances) {
          std::int64_t longest = 0;
          const std::span<const std::int64_t> bounds = offsets;
          for (std::size_t q = 0; q < n_queries; ++q) longest = std::max(longest, bounds[q + 1] - bounds[q]);
          check_length(std::min(loss.swap->distances->shape(0), static_cast<std::size_t>(longest)),
                       static_cast<std::size_t>(longest), "distances");
        }
        PairSpec spec = loss.spec;
        spec.derivative = named<Derivative>(derivative, "derivative", {"first", "second", "both"});
        spec.isa = isa_of(isa);
        spec.few_pairs = few.value_or(few_pairs(spec));
        const Threads threads = interruptible(n_threads);
        const bool both = spec.derivative == Derivative::both;
        Buffer<double> values, column, second;
        {
          nb::gil_scoped_release release;
          values.resize(n_queries);
          column.resize(n);
          second.resize(both ? n : 0);
          pairwise(span_of(labels), span_of(scores), offsets, span_or_empty(weights), span_or_empty(factors), spec,
                   values.span(), column.span(), second.span(), threads);
        }
        // Both derivatives, or the values and one derivative.
        if (both) return std::make_tuple(to_numpy(std::move(column)), to_numpy(std::move(second)));
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(column)));
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "weights"_a.noconvert().none(), nb::kw_only(),
      "loss"_a, "derivative"_a = "first", "factors"_a.noconvert() = nb::none(), "n_threads"_a, "isa"_a = "",
      "few_pairs"_a = nb::none());

  m.def(
      "soft_dcg",
      [](const In<double>& gains, const In<double>& scores, const In<std::int64_t>& given_offsets,
         const BoundDiscount& discount, const In<std::int64_t>& depths, double sigma, bool curvature, int n_threads,
         std::string_view isa) {
        const std::size_t n = gains.shape(0);
        check_length(scores.shape(0), n, "scores");
        const Offsets offsets(given_offsets, n);
        const std::size_t n_queries = offsets.n_queries();
        check_length(depths.shape(0), n_queries, "depths");
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> values, column;
        {
          nb::gil_scoped_release release;
          values.resize(n_queries);
          column.resize(n);
          soft_dcg(span_of(gains), span_of(scores), offsets, discount, span_of(depths), sigma, curvature, set, values.span(),
                   column.span(), threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(column)));
      },
      "gains"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "discount"_a,
      "depths"_a.noconvert(), "sigma"_a, "curvature"_a, "n_threads"_a, "isa"_a = "");

  m.def(
      "pairwise_softmax",
      [](const In<double>& targets, const In<double>& scores, const In<std::int64_t>& given_offsets,
         std::string_view activation, double power, std::string_view derivative, int n_threads) {
        const std::size_t n = targets.shape(0);
        check_length(scores.shape(0), n, "scores");
        const Offsets offsets(given_offsets, n);
        const auto kind = named<Activation>(activation, "activation", {"tanh", "atan", "relu"});
        const auto asked = named<Derivative>(derivative, "derivative", {"first", "second", "both"});
        const Threads threads = interruptible(n_threads);
        const bool both = asked == Derivative::both;
        Buffer<double> values, column, second;
        {
          nb::gil_scoped_release release;
          values.resize(offsets.n_queries());
          column.resize(n);
          second.resize(both ? n : 0);
          pairwise_softmax(span_of(targets), span_of(scores), offsets, kind, power, asked, values.span(), column.span(),
                           second.span(), threads);
        }
        if (both) return std::make_tuple(to_numpy(std::move(column)), to_numpy(std::move(second)));
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(column)));
      },
      "targets"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "activation"_a, "power"_a,
      "derivative"_a, "n_threads"_a);

  m.def(
      "neural_dcg",
      [](const In<double>& gains, const In<double>& scores, const In<std::int64_t>& given_offsets,
         const BoundDiscount& discount, const In<std::int64_t>& depths, double temperature, bool curvature, int n_threads) {
        const std::size_t n = gains.shape(0);
        check_length(scores.shape(0), n, "scores");
        const Offsets offsets(given_offsets, n);
        check_length(depths.shape(0), offsets.n_queries(), "depths");
        const Threads threads = interruptible(n_threads);
        Buffer<double> values, column;
        {
          nb::gil_scoped_release release;
          values.resize(offsets.n_queries());
          column.resize(n);
          neural_dcg(span_of(gains), span_of(scores), offsets, discount, span_of(depths), temperature, curvature,
                     values.span(), column.span(), threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(column)));
      },
      "gains"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "discount"_a,
      "depths"_a.noconvert(), "temperature"_a, "curvature"_a, "n_threads"_a);
}

}  // namespace idealrank::bind
