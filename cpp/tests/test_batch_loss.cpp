#include "idealrank/sigmoid/batch_loss.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "isas.hpp"

using namespace idealrank;

namespace {

struct Result {
  bool is_valid;
  std::vector<double> values;
  std::vector<float> gradient;
};

struct Example {
  std::vector<float> labels, scores;
  std::vector<std::uint8_t> mask;
  std::size_t n_rows, length;

  Result computed(BatchLoss loss, Isa isa, int n_threads = 1, bool masked = true) const {
    const Batch batch{{labels.data(), NumberType::float32}, {scores.data(), NumberType::float32},
                      masked ? mask.data() : nullptr,       n_rows, length, loss, true};
    Result result{false, std::vector<double>(n_rows), std::vector<float>(n_rows * length, -1)};
    result.is_valid = batch_loss(batch, 2.0, isa, result.values, std::span<float>(result.gradient), n_threads);
    return result;
  }
};

Example drawn(std::size_t n_rows, std::size_t length) {
  std::mt19937 generator(5);
  std::normal_distribution<float> normal;
  const std::size_t n = n_rows * length;
  Example example{std::vector<float>(n), std::vector<float>(n), std::vector<std::uint8_t>(n), n_rows, length};
  for (std::size_t i = 0; i < n; ++i) {
    example.labels[i] = static_cast<float>(generator() % 5);
    example.scores[i] = normal(generator);
    // Rows with padding at the end, with gaps, and without documents in turn.
    const std::size_t row = i / length, place = i % length;
    example.mask[i] = row % 3 == 0 ? place < length / 2 : row % 3 == 1 ? place % 3 != 1 : 0;
  }
  return example;
}

constexpr BatchLoss kLosses[] = {BatchLoss::softmax_of_worth, BatchLoss::softmax_of_shares, BatchLoss::softmax_of_logits,
                                 BatchLoss::least_squares};

}  // namespace

TEST(documents_that_are_left_out_change_nothing_and_have_no_gradient) {
  for (const Isa isa : all_isas()) {
    for (const BatchLoss loss : kLosses) {
      Example example = drawn(7, 11);
      const Result before = example.computed(loss, isa);
      CHECK(before.is_valid);
      for (std::size_t i = 0; i < example.mask.size(); ++i) {
        if (example.mask[i] != 0) continue;
        CHECK(before.gradient[i] == 0);
        example.labels[i] = example.scores[i] = std::numeric_limits<float>::quiet_NaN();
      }
      const Result after = example.computed(loss, isa);
      CHECK(after.is_valid);
      CHECK(before.values == after.values);
      CHECK(before.gradient == after.gradient);
      CHECK(after.values[2] == 0);
    }
  }
}

TEST(least_squares_is_its_formula) {
  const Example example{{2, 0, 0.5f}, {1, 0.25f, 0}, {}, 1, 3};
  for (const Isa isa : all_isas()) {
    const Result result = example.computed(BatchLoss::least_squares, isa, 1, false);
    const double third = std::exp2(0.5) - 1;
    CHECK(std::abs(result.values[0] - (4 + 0.0625 + third * third)) < 1e-15);
    CHECK(result.gradient == (std::vector<float>{-2, 0.25f, static_cast<float>(-third)}));
  }
}

TEST(results_have_the_same_bits_for_any_number_of_threads) {
  const Example example = drawn(300, 1000);
  for (const BatchLoss loss : kLosses) {
    const Result one = example.computed(loss, all_isas().back()), three = example.computed(loss, all_isas().back(), 3);
    CHECK(one.values == three.values);
    CHECK(one.gradient == three.gradient);
  }
}

TEST(wrong_numbers_are_found) {
  for (const BatchLoss loss : kLosses) {
    for (const float odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.0f}) {
      for (const bool in_labels : {true, false}) {
        Example example = drawn(4, 9);
        (in_labels ? example.labels : example.scores)[27] = odd;
        const bool is_fine = odd == -1.0f && (!in_labels || loss == BatchLoss::softmax_of_logits);
        CHECK(example.computed(loss, Isa{}).is_valid == is_fine);
      }
    }
  }
}
