#include "idealrank/linear/linear_model.hpp"

#include <random>

#include "check.hpp"

using namespace idealrank;

namespace {

struct Made {
  std::vector<float> cells;
  std::vector<std::int64_t> offsets{0, 0, 5, 6, 40};
  std::size_t width = 11;

  Made() {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < 40 * width; ++i) cells.push_back(normal(random));
  }
  FeatureRows features() const { return {cells, width}; }
};

}  // namespace

TEST(scores_and_gradients_are_sums_over_normalized_features_on_any_number_of_threads) {
  const Made made;
  const std::size_t width = made.width, n_queries = made.offsets.size() - 1;
  std::vector<double> weights(width), by_score(40);
  for (std::size_t f = 0; f < width; ++f) weights[f] = 0.5 * static_cast<double>(f) - 2;
  for (std::size_t i = 0; i < 40; ++i) by_score[i] = static_cast<double>(i % 7) - 3;
  for (const Normalize kind : {Normalize::minmax, Normalize::zscore}) {
    const FeatureRows features = made.features();
    std::vector<double> shift(n_queries * width), scale(n_queries * width), scores(40), gradient(width), again(width);
    fit_normalization(features, made.offsets, kind, shift, scale, 2);
    const Normalization normalization{shift, scale};
    linear_scores(features, made.offsets, normalization, weights, scores, 2);
    linear_gradient(features, made.offsets, normalization, by_score, gradient, 1);
    linear_gradient(features, made.offsets, normalization, by_score, again, 3);
    CHECK_EQ(gradient, again);
    std::vector<double> expected(width, 0.0);
    for (std::size_t q = 0; q < n_queries; ++q) {
      for (std::int64_t i = made.offsets[q]; i < made.offsets[q + 1]; ++i) {
        const auto place = static_cast<std::size_t>(i);
        double score = 0;
        for (std::size_t f = 0; f < width; ++f) {
          const double x = (features[place][f] - shift[q * width + f]) * scale[q * width + f];
          score += weights[f] * x;
          expected[f] += by_score[place] * x;
        }
        CHECK(std::abs(score - scores[place]) < 1e-12);
      }
    }
    for (std::size_t f = 0; f < width; ++f) CHECK(std::abs(gradient[f] - expected[f]) < 1e-12);
  }
}

TEST(a_query_of_one_document_has_no_spread) {
  const Made made;
  std::vector<double> shift(4 * made.width), scale(4 * made.width);
  fit_normalization(made.features(), made.offsets, Normalize::minmax, shift, scale, 1);
  for (std::size_t f = 0; f < made.width; ++f) CHECK_EQ(scale[2 * made.width + f], 0.0);
}

TEST(the_first_cell_that_is_not_finite_is_found) {
  for (const std::size_t n : check::Sizes{0, 1, 15, 16, 17, 100}) {
    std::vector<float> cells(n, 1e38F);
    CHECK(!first_not_finite(cells));
    for (std::size_t place = 0; place < n; ++place) {
      std::vector<float> broken = cells;
      broken[place] = std::numeric_limits<float>::quiet_NaN();
      broken[n - 1] = std::numeric_limits<float>::infinity();
      CHECK_EQ(first_not_finite(broken).value_or(n), place);
    }
  }
}
