// Linear models on features that are normalized query by query.
#include "idealrank/linear/linear_model.hpp"

#include <nanobind/stl/optional.h>

#include "bind.hpp"

namespace idealrank::bind {

namespace {

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutColumns = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;

// A normalized feature is (feature - shift) * scale; one row per query, one column per feature.
struct BoundNormalization {
  Columns shift, scale;
};
using Scaling = std::optional<BoundNormalization>;

FeatureRows rows_of(const Matrix& features) {
  return {{features.data(), features.shape(0) * features.shape(1)}, features.shape(1)};
}

Normalization normalization_of(const Scaling& scaling, std::size_t n_queries, std::size_t width) {
  if (!scaling) return {};
  const auto& [shift, scale] = *scaling;
  for (const Columns* part : {&shift, &scale}) {
    check_length(part->shape(0), n_queries, "a normalization");
    check_length(part->shape(1), width, "a normalization's row");
  }
  return {{shift.data(), n_queries * width}, {scale.data(), n_queries * width}};
}

}  // namespace

void bind_linear_model(nb::module_& m) {
  nb::class_<BoundNormalization>(m, "Normalization", "(feature - shift) * scale, with one row of each per query.")
      .def(
          "__init__",
          [](BoundNormalization* self, Columns shift, Columns scale) {
            new (self) BoundNormalization{std::move(shift), std::move(scale)};
          },
          nb::kw_only(), "shift"_a.noconvert(), "scale"_a.noconvert())
      .def_prop_ro(
          "shift", [](const BoundNormalization& self) { return OutColumns(self.shift); }, nb::rv_policy::automatic)
      .def_prop_ro("scale", [](const BoundNormalization& self) { return OutColumns(self.scale); }, nb::rv_policy::automatic);

  m.def(
      "fit_normalization",
      [](const Matrix& features, const In<std::int64_t>& given_offsets, bool zscore, int n_threads) {
        const Offsets offsets(given_offsets, features.shape(0));
        const Threads threads = interruptible(n_threads);
        const FeatureRows cells = rows_of(features);
        const std::size_t n_queries = offsets.n_queries(), n = n_queries * cells.width;
        Buffer<double> shift, scale;
        shift.resize(std::max<std::size_t>(n, 1));
        scale.resize(std::max<std::size_t>(n, 1));
        {
          nb::gil_scoped_release release;
          fit_normalization(cells, offsets, zscore ? Normalize::zscore : Normalize::minmax, shift.span().first(n),
                            scale.span().first(n), threads);
        }
        return BoundNormalization{Columns(to_numpy(std::move(shift), n_queries, cells.width)),
                                  Columns(to_numpy(std::move(scale), n_queries, cells.width))};
      },
      "features"_a.noconvert(), "offsets"_a.noconvert(), "zscore"_a, "n_threads"_a);

  m.def(
      "linear_scores",
      [](const Matrix& features, const In<std::int64_t>& given_offsets, const Scaling& normalization,
         const In<double>& weights, int n_threads) {
        const std::size_t n_docs = features.shape(0);
        const Offsets offsets(given_offsets, n_docs);
        const Threads threads = interruptible(n_threads);
        const FeatureRows cells = rows_of(features);
        const Normalization scaling = normalization_of(normalization, offsets.n_queries(), cells.width);
        check_length(weights.shape(0), cells.width, "weights");
        Buffer<double> scores;
        scores.resize(std::max<std::size_t>(n_docs, 1));
        {
          nb::gil_scoped_release release;
          linear_scores(cells, offsets, scaling, span_of(weights), scores.span().first(n_docs), threads);
        }
        return to_numpy(std::move(scores), n_docs);
      },
      "features"_a.noconvert(), "offsets"_a.noconvert(), "normalization"_a.none(), "weights"_a.noconvert(), "n_threads"_a);

  m.def(
      "linear_gradient",
      [](const Matrix& features, const In<std::int64_t>& given_offsets, const Scaling& normalization,
         const In<double>& by_score, int n_threads) {
        const std::size_t n_docs = features.shape(0);
        const Offsets offsets(given_offsets, n_docs);
        const Threads threads = interruptible(n_threads);
        const FeatureRows cells = rows_of(features);
        const Normalization scaling = normalization_of(normalization, offsets.n_queries(), cells.width);
        check_length(by_score.shape(0), n_docs, "by_score");
        Buffer<double> by_weight;
        by_weight.resize(std::max<std::size_t>(cells.width, 1));
        {
          nb::gil_scoped_release release;
          linear_gradient(cells, offsets, scaling, span_of(by_score), by_weight.span().first(cells.width), threads);
        }
        return to_numpy(std::move(by_weight), cells.width);
      },
      "features"_a.noconvert(), "offsets"_a.noconvert(), "normalization"_a.none(), "by_score"_a.noconvert(), "n_threads"_a);

  m.def(
      "first_not_finite",
      [](const Matrix& features) {
        nb::gil_scoped_release release;
        return first_not_finite({features.data(), features.shape(0) * features.shape(1)});
      },
      "features"_a.noconvert());
}

}  // namespace idealrank::bind
