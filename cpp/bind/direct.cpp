// Soft ranks, measures with soft ranks in place of ranks, and softmax.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "bind.hpp"
#include "idealrank/sigmoid/approx_ap.hpp"
#include "idealrank/sigmoid/approx_ndcg.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/sigmoid/list_mle.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sigmoid/softmax.hpp"

namespace idealrank::bind {

void bind_direct(nb::module_& m) {
  m.def("isas", &isa_names, "Names of the instruction sets that this processor has, the best last.");

  m.def(
      "sigmoid_sums",
      [](const In<double>& scores, const std::optional<In<double>>& weights, const In<std::int64_t>& given_offsets,
         double alpha, std::string_view sigmoid, int n_threads, std::string_view isa) {
        const Offsets offsets(given_offsets, scores.shape(0));
        if (weights) check_length(weights->shape(0), scores.shape(0), "weights");
        const auto kind = named<Sigmoid>(sigmoid, "sigmoid", {"logistic", "arctan", "erf"});
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> sums, slopes;
        {
          nb::gil_scoped_release release;
          sums.resize(scores.shape(0));
          slopes.resize(scores.shape(0));
          sigmoid_sums({span_of(scores), span_or_empty(weights), offsets, alpha}, kind, sums.span(), slopes.span(), set,
                       threads);
        }
        return std::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(slopes)));
      },
      "scores"_a.noconvert(), "weights"_a.noconvert().none(), "offsets"_a.noconvert(), "alpha"_a, "sigmoid"_a, "n_threads"_a,
      "isa"_a = "");

  m.def(
      "log_sigmoid_sums",
      [](const In<double>& scores, const In<std::int64_t>& given_offsets, double alpha, int n_threads,
         std::string_view isa) {
        const Offsets offsets(given_offsets, scores.shape(0));
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> sums;
        {
          nb::gil_scoped_release release;
          sums.resize(scores.shape(0));
          log_sigmoid_sums({span_of(scores), {}, offsets, alpha}, sums.span(), set, threads);
        }
        return to_numpy(std::move(sums));
      },
      "scores"_a.noconvert(), "offsets"_a.noconvert(), "alpha"_a, "n_threads"_a, "isa"_a = "");

  m.def(
      "approx_ndcg",
      [](const In<double>& labels, const In<double>& scores, const In<std::int64_t>& given_offsets,
         const std::optional<In<double>>& weights, const std::optional<In<std::int64_t>>& depths, bool exp2, double alpha,
         double beta, int n_threads, std::string_view isa) {
        check_length(labels.shape(0), scores.shape(0), "labels");
        const Offsets offsets(given_offsets, scores.shape(0));
        const std::size_t n_queries = offsets.n_queries();
        if (weights) check_length(weights->shape(0), scores.shape(0), "weights");
        if (depths) check_length(depths->shape(0), n_queries, "depths");
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> values, gradient;
        {
          nb::gil_scoped_release release;
          values.resize(n_queries);
          gradient.resize(scores.shape(0));
          approx_ndcg(
              {span_of(labels), span_of(scores), offsets, span_or_empty(weights), span_or_empty(depths), exp2, alpha, beta},
              values.span(), gradient.span(), set, threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(gradient)));
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "weights"_a.noconvert().none(), nb::kw_only(),
      "depths"_a.noconvert().none(), "exp2"_a, "alpha"_a, "beta"_a, "n_threads"_a, "isa"_a = "");

  m.def(
      "approx_ap",
      [](const In<double>& worth, const In<double>& scores, const In<std::int64_t>& given_offsets, double alpha, double beta,
         int n_threads, std::string_view isa) {
        check_length(worth.shape(0), scores.shape(0), "worth");
        const Offsets offsets(given_offsets, scores.shape(0));
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> values, gradient;
        {
          nb::gil_scoped_release release;
          values.resize(offsets.n_queries());
          gradient.resize(scores.shape(0));
          approx_ap({span_of(worth), span_of(scores), offsets, alpha, beta}, values.span(), gradient.span(), set, threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(gradient)));
      },
      "worth"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "alpha"_a, "beta"_a,
      "n_threads"_a, "isa"_a = "");

  m.def(
      "softmax_cross_entropy",
      [](const In<double>& worth, const In<double>& scores, const In<std::int64_t>& given_offsets,
         std::string_view targets, int n_threads, std::string_view isa) {
        check_length(worth.shape(0), scores.shape(0), "worth");
        const Offsets offsets(given_offsets, scores.shape(0));
        const auto kind = named<Targets>(targets, "targets", {"worth", "shares", "logits"});
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> values, gradient;
        {
          nb::gil_scoped_release release;
          values.resize(offsets.n_queries());
          gradient.resize(scores.shape(0));
          softmax_cross_entropy(span_of(worth), span_of(scores), offsets, kind, set, values.span(), gradient.span(),
                                threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(gradient)));
      },
      "worth"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "targets"_a, "n_threads"_a,
      "isa"_a = "");

  m.def(
      "list_mle",
      [](const In<double>& labels, const In<double>& scores, const In<std::int64_t>& given_offsets,
         const std::optional<In<double>>& weights, bool together, bool curvature, int n_threads, std::string_view isa) {
        check_length(labels.shape(0), scores.shape(0), "labels");
        if (weights) check_length(weights->shape(0), scores.shape(0), "weights");
        const Offsets offsets(given_offsets, scores.shape(0));
        const Isa set = isa_of(isa);
        const Threads threads = interruptible(n_threads);
        Buffer<double> values, gradient, second;
        {
          nb::gil_scoped_release release;
          values.resize(offsets.n_queries());
          gradient.resize(scores.shape(0));
          if (curvature) second.resize(scores.shape(0));
          list_mle({span_of(labels), span_of(scores), offsets, span_or_empty(weights), together}, set, values.span(),
                   gradient.span(), second.span(), threads);
        }
        return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(gradient)), to_numpy(std::move(second)));
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "offsets"_a.noconvert(), "weights"_a.noconvert().none(),
      nb::kw_only(), "together"_a, "curvature"_a, "n_threads"_a, "isa"_a = "",
      "Values, gradient, and the diagonal of the Hessian, which is empty unless `curvature`.");
}

}  // namespace idealrank::bind
