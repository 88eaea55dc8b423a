// Losses of pairs of documents, and of ranks under noise, which pairs decide.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "bind.hpp"
#include "idealrank/pairs/pairwise.hpp"
#include "idealrank/sigmoid/soft_ndcg.hpp"

namespace idealrank::bind {

using SwapArguments = std::tuple<std::string_view, bool, In<double>, In<std::int64_t>, std::size_t>;

void bind_pairwise(nb::module_& m) {
  m.def(
      "pairwise",
      [](const In<double>& labels, const In<double>& scores, const In<std::int64_t>& offsets, std::optional<In<double>> weights,
         std::string_view loss, std::string_view weight, double scale, bool mean, std::optional<SwapArguments> swap,
         bool curvature, int n_threads, std::string_view isa, std::optional<double> few) {
        const std::size_t n = labels.shape(0), n_queries = offsets.shape(0) - 1;
        check_length(scores.shape(0), n, "scores");
        check_offsets(offsets, n, "offsets");
        if (weights) check_length(weights->shape(0), n, "weights");
        PairSpec spec;
        spec.loss = named<PairLoss>(loss, {"hinge", "squared_hinge", "logistic"});
        spec.weight = named<PairWeight>(weight, {"one", "label_gap", "swap_change"});
        spec.scale = scale;
        spec.mean = mean;
        spec.curvature = curvature;
        spec.isa = isa_of(isa);
        spec.few_pairs = few.value_or(few_pairs(spec));
        if (swap) {
          const auto& [reduction, linear, discounts, depths, truncation] = *swap;
          check_length(depths.shape(0), n_queries, "depths");
          const auto kind = named<Reduction>(reduction, {"sum", "precision_mean", "first", "any"});
          spec.swap = {kind, {linear, span_of(discounts)}, span_of(depths)};
          spec.truncation = truncation;
        } else if (spec.weight == PairWeight::swap_change) {
          throw std::invalid_argument("swap_change needs a measure");
        }
        Buffer<double> values, column;
        {
          nb::gil_scoped_release release;
          values.resize(n_queries);
          column.resize(n);
          pairwise(span_of(labels), span_of(scores), span_of(offsets), weights ? span_of(*weights) : std::span<const double>(), spec,
                   values.span(), column.span(), n_threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(column)));
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "weights"_a.noconvert().none(), "loss"_a,
      "weight"_a, "scale"_a, "mean"_a, "swap"_a.none(), "curvature"_a, "n_threads"_a, "isa"_a = "", "few_pairs"_a = nb::none());

  m.def(
      "soft_dcg",
      [](const In<double>& gains, const In<double>& scores, const In<std::int64_t>& offsets,
         const std::tuple<bool, In<double>>& discount, const In<std::int64_t>& depths, double sigma, bool curvature, int n_threads, std::string_view isa) {
        const std::size_t n = gains.shape(0), n_queries = offsets.shape(0) - 1;
        check_length(scores.shape(0), n, "scores");
        check_offsets(offsets, n, "offsets");
        check_length(depths.shape(0), n_queries, "depths");
        const Isa set = isa_of(isa);
        Buffer<double> values, column;
        {
          nb::gil_scoped_release release;
          values.resize(n_queries);
          column.resize(n);
          const auto& [linear, weights] = discount;
          soft_dcg(span_of(gains), span_of(scores), span_of(offsets), {linear, span_of(weights)}, span_of(depths), sigma, curvature,
                   set, values.span(), column.span(), n_threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(column)));
      },
      "gains"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "discount"_a, "depths"_a.noconvert(),
      "sigma"_a, "curvature"_a, "n_threads"_a, "isa"_a = "");
}

}  // namespace idealrank::bind
