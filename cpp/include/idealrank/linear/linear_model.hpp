// A linear model on features that are normalized per query: its scores, and the gradient by its weights. The features are
// only read; normalization is folded into the products.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "idealrank/for_each_query.hpp"

namespace idealrank {

// One row of features per document; the documents of each query are contiguous.
struct FeatureRows {
  std::span<const float> cells;
  std::size_t width = 0;

  const float* operator[](std::size_t i) const { return cells.data() + i * width; }
};

// Feature f of query q becomes (x - shift[q, f]) * scale[q, f]; if both are empty, it stays as it is.
struct Normalization {
  std::span<const double> shift, scale;

  bool none() const { return shift.empty(); }
};

enum class Normalize { minmax, zscore };

// A feature that is the same for all documents of a query gets the scale 0.
inline void fit_normalization(const FeatureRows& features, std::span<const std::int64_t> offsets, Normalize kind,
                              std::span<double> shift, std::span<double> scale, Threads threads) {
  const std::size_t width = features.width;
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, low = std::vector<double>(width), high = std::vector<double>(width)](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const std::size_t start = static_cast<std::size_t>(query) * width;
      const auto n = static_cast<double>(end - begin);
      auto for_each_row = [&](auto&& visit) {
        for (std::int64_t i = begin; i < end; ++i) {
          stop.before(2 * width);
          visit(features[static_cast<std::size_t>(i)]);
        }
      };
      if (kind == Normalize::minmax) {
        std::ranges::fill(low, std::numeric_limits<double>::infinity());
        std::ranges::fill(high, -std::numeric_limits<double>::infinity());
        for_each_row([&](const float* row) {
          for (std::size_t f = 0; f < width; ++f) {
            low[f] = std::min(low[f], static_cast<double>(row[f]));
            high[f] = std::max(high[f], static_cast<double>(row[f]));
          }
        });
        for (std::size_t f = 0; f < width; ++f) high[f] -= low[f];
      } else {
        std::ranges::fill(low, 0.0);
        std::ranges::fill(high, 0.0);
        for_each_row([&](const float* row) {
          for (std::size_t f = 0; f < width; ++f) low[f] += row[f];
        });
        for (std::size_t f = 0; f < width; ++f) low[f] /= std::max(n, 1.0);
        for_each_row([&](const float* row) {
          for (std::size_t f = 0; f < width; ++f) high[f] += (row[f] - low[f]) * (row[f] - low[f]);
        });
        for (std::size_t f = 0; f < width; ++f) high[f] = std::sqrt(high[f] / std::max(n, 1.0));
      }
      for (std::size_t f = 0; f < width; ++f) {
        // The rounded mean of a constant feature leaves a spread of the size of the rounding error.
        const bool varies = begin < end && high[f] > 1e-12 * std::abs(low[f]);
        shift[start + f] = varies ? low[f] : 0.0;
        scale[start + f] = varies ? 1 / high[f] : 0.0;
      }
    };
  });
}

// scores[i] = sum_f weights[f] x'_f of document i.
inline void linear_scores(const FeatureRows& features, std::span<const std::int64_t> offsets,
                          const Normalization& normalization, std::span<const double> weights, std::span<double> scores,
                          Threads threads) {
  const std::size_t width = features.width;
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, own = std::vector<double>(weights.begin(), weights.end())](
               std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      double constant = 0;
      if (!normalization.none()) {
        const std::size_t start = static_cast<std::size_t>(query) * width;
        for (std::size_t f = 0; f < width; ++f) {
          own[f] = weights[f] * normalization.scale[start + f];
          constant += own[f] * normalization.shift[start + f];
        }
      }
      for (std::int64_t i = begin; i < end; ++i) {
        stop.before(width);
        const float* const row = features[static_cast<std::size_t>(i)];
        double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        std::size_t f = 0;
        for (; f + 8 <= width; f += 8) {
          for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += own[f + lane] * row[f + lane];
        }
        for (; f < width; ++f) sums[0] += own[f] * row[f];
        scores[static_cast<std::size_t>(i)] =
            (((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))) - constant;
      }
    };
  });
}

// by_weight[f] = sum_i by_score[i] x'_f of document i: the gradient of a loss by the weights.
// The order of summation is fixed.
inline void linear_gradient(const FeatureRows& features, std::span<const std::int64_t> offsets,
                            const Normalization& normalization, std::span<const double> by_score,
                            std::span<double> by_weight, Threads threads) {
  const std::size_t width = features.width;
  const auto n_queries = static_cast<std::int64_t>(offsets.size()) - 1;
  constexpr std::int64_t kQueriesPerTask = 256;
  const std::int64_t n_tasks = (n_queries + kQueriesPerTask - 1) / kQueriesPerTask;
  std::vector<double> parts(static_cast<std::size_t>(n_tasks) * width, 0.0);
  for_each_task(n_tasks, threads, [&](const Stop& given) {
    return [&, stop = given, sums = std::vector<double>(width)](std::int64_t task) mutable {
      double* const part = parts.data() + static_cast<std::size_t>(task) * width;
      const std::int64_t last = std::min(n_queries, (task + 1) * kQueriesPerTask);
      for (std::int64_t query = task * kQueriesPerTask; query < last; ++query) {
        const auto q = static_cast<std::size_t>(query);
        std::ranges::fill(sums, 0.0);
        double total = 0;
        for (std::int64_t i = offsets[q]; i < offsets[q + 1]; ++i) {
          stop.before(width + 1);
          const float* const row = features[static_cast<std::size_t>(i)];
          const double slope = by_score[static_cast<std::size_t>(i)];
          if (slope == 0) continue;
          total += slope;
          for (std::size_t f = 0; f < width; ++f) sums[f] += slope * row[f];
        }
        if (normalization.none()) {
          for (std::size_t f = 0; f < width; ++f) part[f] += sums[f];
        } else {
          for (std::size_t f = 0; f < width; ++f) {
            part[f] += (sums[f] - total * normalization.shift[q * width + f]) * normalization.scale[q * width + f];
          }
        }
      }
    };
  });
  std::ranges::fill(by_weight, 0.0);
  for (std::int64_t task = 0; task < n_tasks; ++task) {
    for (std::size_t f = 0; f < width; ++f) by_weight[f] += parts[static_cast<std::size_t>(task) * width + f];
  }
}

// The index of the first cell that is not finite, if any.
inline std::optional<std::size_t> first_not_finite(std::span<const float> cells) {
  float sums[16] = {};
  const std::size_t whole = cells.size() / 16 * 16;
  for (std::size_t i = 0; i < whole; i += 16) {
    for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += cells[i + lane] * 0.0F;
  }
  float sum = 0;
  for (const float each : sums) sum += each;
  for (std::size_t i = whole; i < cells.size(); ++i) sum += cells[i] * 0.0F;
  if (sum == 0) return std::nullopt;
  const auto place = std::ranges::find_if(cells, [](float cell) { return !std::isfinite(cell); });
  return static_cast<std::size_t>(place - cells.begin());
}

}  // namespace idealrank
