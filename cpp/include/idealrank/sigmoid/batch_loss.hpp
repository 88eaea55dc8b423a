// Losses without pairs of a batch as PyTorch holds it: numbers of any precision, one row per query, and a mask.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "idealrank/for_each_query.hpp"
#include "idealrank/isa/isa.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/sigmoid/softmax.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

enum class NumberType { float32, float64, int64 };

// The caller's numbers, which another thread may change: they are read once.
struct Numbers {
  const void* data;
  NumberType type;

  // Copies n numbers from the first on, or those at the given places after it.
  void copy(std::size_t first, std::span<const std::uint32_t> places, std::span<double> to) const {
    switch (type) {
      case NumberType::float32:
        return copy_from(static_cast<const float*>(data) + first, places, to);
      case NumberType::float64:
        return copy_from(static_cast<const double*>(data) + first, places, to);
      case NumberType::int64:
        return copy_from(static_cast<const std::int64_t*>(data) + first, places, to);
    }
  }

 private:
  template <class T>
  static void copy_from(const T* from, std::span<const std::uint32_t> places, std::span<double> to) {
    if (places.empty()) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(from[i]);
    } else {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(from[places[i]]);
    }
  }
};

enum class BatchLoss { softmax_of_worth, softmax_of_shares, softmax_of_logits, least_squares };

// Whether all bytes are 0. True may be any other byte, if the caller's mask is a view of numbers.
inline bool all_false(const std::uint8_t* mask, std::size_t n) {
  return n == 0 || (mask[0] == 0 && std::memcmp(mask, mask + 1, n - 1) == 0);
}

struct Batch {
  Numbers labels, scores;
  const std::uint8_t* mask;  // not 0 for documents; null if all entries are documents
  std::size_t n_rows, length;
  BatchLoss loss;
  bool exp2;  // whether the worth of label l is 2^l - 1 instead of l

  // The number of rows with documents.
  std::size_t n_lists() const {
    if (mask == nullptr) return n_rows;
    std::size_t count = 0;
    for (std::size_t row = 0; row < n_rows; ++row) count += all_false(mask + row * length, length) ? 0 : 1;
    return count;
  }
};

// One row.
class BatchRow {
 public:
  BatchRow(const Batch& in, const SoftmaxKernels& kernels, const Stop& stop)
      : in_(in), softmax_(kernels, static_cast<Targets>(in.loss), stop) {}

  // Writes the derivatives divided by the divisor, and returns the value; NaN if a number is wrong or too large.
  template <class T>
  double operator()(std::size_t row, double divisor, std::span<T> gradient) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const std::size_t first = row * in_.length, n = find_documents(first);
    for (auto* column : {&worth_, &scores_, &slopes_}) column->resize(n);
    in_.labels.copy(first, places_, worth_);
    in_.scores.copy(first, places_, scores_);
    if (!all_finite(scores_) || !all_finite(worth_)) return kNone;
    if (in_.loss != BatchLoss::softmax_of_logits && !to_worth()) return kNone;
    const double value = in_.loss == BatchLoss::least_squares ? squares() : softmax_(worth_, scores_, slopes_);
    const auto to = gradient.subspan(first, in_.length);
    // A product is faster than a quotient, and its last bit does not reach a float.
    const auto divided = [divisor, factor = 1 / divisor](double slope) {
      return static_cast<T>(std::is_same_v<T, float> ? slope * factor : slope / divisor);
    };
    if (places_.empty()) {
      for (std::size_t i = 0; i < n; ++i) to[i] = divided(slopes_[i]);
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(n), to.end(), T{0});
    } else {
      std::fill(to.begin(), to.end(), T{0});
      for (std::size_t i = 0; i < n; ++i) to[places_[i]] = divided(slopes_[i]);
    }
    return value;
  }

 private:
  // Returns the number of documents, and sets their places if others are between them.
  std::size_t find_documents(std::size_t first) {
    places_.clear();
    if (in_.mask == nullptr) return in_.length;
    const std::uint8_t* const mask = in_.mask + first;
    const auto* const end = static_cast<const std::uint8_t*>(std::memchr(mask, 0, in_.length));
    const std::size_t n = end == nullptr ? in_.length : static_cast<std::size_t>(end - mask);
    if (n == in_.length || all_false(mask + n, in_.length - n)) return n;
    for (std::size_t i = 0; i < in_.length; ++i) {
      if (mask[i] != 0) places_.push_back(static_cast<std::uint32_t>(i));
    }
    return places_.size();
  }

  // Turns finite labels into what documents are worth; returns whether it is not negative. Whole labels l become 2^l by
  // shifting bits. Compilers vectorize this, and the four results of each kind.
  bool to_worth() {
    constexpr double kRound = 0x1.8p52;  // the low bits of a sum with it are the nearest integer
    constexpr double kMost = 52;
    double least[4] = {0, 0, 0, 0}, greatest[4] = {0, 0, 0, 0}, fractions[4] = {0, 0, 0, 0};
    const auto survey = [&](std::size_t i, std::size_t lane) {
      const double label = worth_[i];
      least[lane] = label < least[lane] ? label : least[lane];
      greatest[lane] = label > greatest[lane] ? label : greatest[lane];
      fractions[lane] += std::abs((label + kRound) - kRound - label);
    };
    const std::size_t n = worth_.size(), whole = n / 4 * 4;
    for (std::size_t i = 0; i < whole; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) survey(i + lane, lane);
    }
    for (std::size_t i = whole; i < n; ++i) survey(i, 0);
    if (*std::min_element(least, least + 4) < 0) return false;
    if (!in_.exp2) return true;
    if (*std::max_element(greatest, greatest + 4) <= kMost && fractions[0] + fractions[1] + fractions[2] + fractions[3] == 0) {
      for (double& l : worth_) l = std::bit_cast<double>((std::bit_cast<std::uint64_t>(l + kRound) + 1023) << 52) - 1;
    } else {
      for (double& l : worth_) l = detail::exp2_gain(l);
    }
    return true;
  }

  double squares() {
    for (std::size_t i = 0; i < slopes_.size(); ++i) slopes_[i] = 2 * (scores_[i] - worth_[i]);
    return detail::dot(slopes_.data(), slopes_.data(), slopes_.size()) / 4;
  }

  const Batch& in_;
  SoftmaxQuery softmax_;
  std::vector<std::uint32_t> places_;
  std::vector<double> worth_, scores_, slopes_;
};

// Writes the value of each row, and its derivatives divided by the divisor. Returns false if a number is wrong, or a result
// is too large to represent; outputs have no meaning then.
template <class T>
bool batch_loss(const Batch& in, double divisor, Isa isa, std::span<double> values, std::span<T> gradient,
                Threads threads) {
  std::vector<std::int64_t> offsets(in.n_rows + 1);
  for (std::size_t row = 0; row <= in.n_rows; ++row) offsets[row] = static_cast<std::int64_t>(row * in.length);
  const SoftmaxKernels& kernels = choose(isa, softmax_kernels_base, softmax_kernels_v3);
  for_each_query(offsets, threads, [&](const Stop& stop) {
    return [&, each = BatchRow(in, kernels, stop)](std::int64_t query, std::int64_t, std::int64_t) mutable {
      const auto row = static_cast<std::size_t>(query);
      values[row] = each(row, divisor, gradient);
    };
  });
  return all_finite(values);
}

}  // namespace idealrank
