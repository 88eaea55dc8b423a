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
#include "idealrank/sigmoid/batch_loss.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/sigmoid/list_mle.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sigmoid/softmax.hpp"

namespace idealrank::bind {

namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using AnyMask = nb::ndarray<const bool, nb::c_contig, nb::device::cpu>;

std::optional<NumberType> number_type(const AnyColumn& column) {
  if (column.dtype() == nb::dtype<float>()) return NumberType::float32;
  if (column.dtype() == nb::dtype<double>()) return NumberType::float64;
  if (column.dtype() == nb::dtype<std::int64_t>()) return NumberType::int64;
  return std::nullopt;
}

template <class A, class B>
bool same_shape(const A& a, const B& b) {
  return a.ndim() == b.ndim() && std::equal(a.shape_ptr(), a.shape_ptr() + a.ndim(), b.shape_ptr());
}

// An array with the shape of another one.
template <class T>
nb::ndarray<nb::numpy, T> shaped(Buffer<T>&& buffer, std::size_t n_dims, const std::size_t* shape) {
  T* const data = buffer.release();
  return {data, n_dims, shape, nb::capsule(data, [](void* memory) noexcept { std::free(memory); })};
}

// The values, or one number if they are reduced, and the gradient; None if something is not valid.
template <class T>
nb::object batch_loss_of(const Batch& batch, const AnyColumn& scores, std::string_view reduction, int n_threads, Isa set) {
  const Threads threads = interruptible(n_threads);
  const bool is_reduced = reduction != "none";
  Buffer<double> values;
  Buffer<T> gradient, results;
  bool is_valid = false;
  {
    nb::gil_scoped_release release;
    values.resize(batch.n_rows);
    gradient.resize(batch.n_rows * batch.length);
    results.resize(is_reduced ? 1 : batch.n_rows);
    const double divisor = reduction == "mean" ? static_cast<double>(std::max<std::size_t>(batch.n_lists(), 1)) : 1.0;
    is_valid = batch_loss(batch, divisor, set, values.span(), gradient.span(), threads);
    double total = 0;
    for (const double value : values.span()) total += value;
    for (std::size_t i = 0; i < results.size(); ++i) {
      results.data()[i] = static_cast<T>(is_reduced ? total / divisor : values.data()[i]);
    }
  }
  if (!is_valid) return nb::none();
  const std::size_t shape[] = {scores.shape(0), batch.length};
  return nb::make_tuple(shaped(std::move(results), is_reduced ? 0 : 1, &batch.n_rows),
                        shaped(std::move(gradient), scores.ndim(), shape));
}

}  // namespace

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
      "batch_loss",
      [](const AnyColumn& labels, const AnyColumn& scores, const std::optional<AnyMask>& mask, std::string_view loss,
         bool exp2, std::string_view reduction, int n_threads, std::string_view isa) -> nb::object {
        const auto label_type = number_type(labels), score_type = number_type(scores);
        const std::size_t n = scores.size();
        const bool is_simple = label_type && score_type && score_type != NumberType::int64 && same_shape(labels, scores) &&
                               (!mask || same_shape(*mask, scores)) && (scores.ndim() == 1 || scores.ndim() == 2) && n > 0 &&
                               n < (std::size_t{1} << 32);
        if (!is_simple) return nb::none();
        const std::size_t length = scores.shape(scores.ndim() - 1);
        const Batch batch{{labels.data(), *label_type},
                          {scores.data(), *score_type},
                          mask ? reinterpret_cast<const std::uint8_t*>(mask->data()) : nullptr,
                          n / length,
                          length,
                          named<BatchLoss>(loss, "loss", {"worth", "shares", "logits", "squares"}),
                          exp2};
        const Isa set = isa_of(isa);
        return score_type == NumberType::float32 ? batch_loss_of<float>(batch, scores, reduction, n_threads, set)
                                                 : batch_loss_of<double>(batch, scores, reduction, n_threads, set);
      },
      "labels"_a.noconvert(), "scores"_a.noconvert(), "mask"_a.noconvert().none(), nb::kw_only(), "loss"_a, "exp2"_a, "reduction"_a, "n_threads"_a, "isa"_a = "",
      "Values and gradient of a batch with one row per query; None for whatever needs the checks of the caller.");

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
