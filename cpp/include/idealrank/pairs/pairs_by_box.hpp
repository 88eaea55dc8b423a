// Logistic losses of all pairs of a long list, without sorting the scores: groups of labels act on each other through
// polynomials in boxes of scores.
//
// In a box of width w in t = sigma s, functions of t - t' such as ln(1 + exp(t' - t)) equal polynomials of degree 15 in t up
// to a relative error of 4.6e-12 (w/2)^16, since their nearest singularity is pi away: at most 1.5e-14 here. So a group of
// documents acts on all others through 16 moments per box, and the moments of two groups add up; all others act on a group
// through one polynomial per box. Documents are visited when the moments of small groups of labels are computed, when the
// polynomials are evaluated, and when pairs within such a group are enumerated. The cost of pairs between groups does not
// depend on the number of documents.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_spec.hpp"
#include "idealrank/stop.hpp"

namespace idealrank {

// How boxes act on each other: for each distance between two boxes, a matrix from the moments of the source to the
// coefficients of the receiver's polynomial.
class BoxActions {
 public:
  // Tabulates of(t' - t), where t' belongs to the source. With `mirrored`, of(t - t').
  template <class Function>
  void make(std::size_t n_boxes, double width, bool mirrored, Function&& of) {
    const auto [places, terms] = nodes();
    blocks_.resize((2 * n_boxes - 1) * kBoxTerms * kBoxTerms);
    for (std::size_t block = 0; block < 2 * n_boxes - 1; ++block) {
      const double apart = static_cast<double>(block) - static_cast<double>(n_boxes - 1);  // boxes to the source
      Matrix values, half{};  // [source][receiver]
      for (std::size_t a = 0; a < kBoxTerms; ++a) {
        for (std::size_t b = 0; b < kBoxTerms; ++b) {
          const double distance = width * (apart + (places[a] - places[b]) / 2);
          values[a][b] = of(mirrored ? -distance : distance);
        }
      }
      for (std::size_t k = 0; k < kBoxTerms; ++k) {
        for (std::size_t a = 0; a < kBoxTerms; ++a) {
          for (std::size_t b = 0; b < kBoxTerms; ++b) half[k][b] += terms[k][a] * values[a][b];
        }
      }
      double* const to = blocks_.data() + block * kBoxTerms * kBoxTerms;
      for (std::size_t k = 0; k < kBoxTerms; ++k) {
        for (std::size_t l = 0; l < kBoxTerms; ++l) {
          to[k * kBoxTerms + l] = std::inner_product(half[k].begin(), half[k].end(), terms[l].begin(), 0.0);
        }
      }
    }
  }

  const double* data() const { return blocks_.data(); }

 private:
  using Row = std::array<double, kBoxTerms>;
  using Matrix = std::array<Row, kBoxTerms>;

  struct Nodes {
    Row places;
    Matrix terms;  // from values at `places` to the coefficients of Chebyshev polynomials
  };
  static Nodes nodes() {
    Nodes nodes;
    constexpr double kStep = std::numbers::pi / (2 * kBoxTerms);
    for (std::size_t a = 0; a < kBoxTerms; ++a) {
      const double angle = kStep * static_cast<double>(2 * a + 1);
      nodes.places[a] = std::cos(angle);
      for (std::size_t k = 0; k < kBoxTerms; ++k) {
        nodes.terms[k][a] = (k == 0 ? 1.0 : 2.0) / kBoxTerms * std::cos(static_cast<double>(k) * angle);
      }
    }
    return nodes;
  }

  std::vector<double> blocks_;
};

// Processes queries one by one, reusing its memory.
class PairsByBox {
 public:
  PairsByBox(const PairKernels& kernels, double sigma, Derivative derivative, const Stop& stop = {})
      : kernels_(kernels),
        derivative_(derivative),
        stop_(stop),
        per_score_(std::exp2(-std::floor(std::log2(kWidest / sigma)))),
        width_(sigma / per_score_) {}

  // Whether the list is long enough, and its scores fit into few enough boxes, for boxes to pay off.
  bool takes(std::span<const double> scores) const {
    const auto [least, most] = range_of(scores);
    return scores.size() >= kFewest && std::max(std::abs(least), std::abs(most)) * per_score_ < 0x1p50 &&
           (most - least) * per_score_ < kMostBoxes - 1;
  }

  // Returns the sum over all pairs of documents in different groups (computed only for Derivative::first), and adds
  // the derivatives by t to the columns. `documents` are sorted by label, `ends` are the ends of the groups in
  // them, and `weights` may be empty.
  double operator()(std::span<const double> scores, std::span<const std::uint32_t> documents,
                    std::span<const double> weights, std::span<const std::size_t> ends, const DerivativeColumns& columns) {
    place(scores, documents, weights);
    ends_ = ends;
    first_ = derivative_ == Derivative::second ? nullptr : columns.column;
    second_ = derivative_ == Derivative::first ? nullptr : derivative_ == Derivative::both ? columns.second : columns.column;
    moments_.assign((2 * ends.size() - 1) * per_node(), 0.0);
    gather(0, ends.size(), 0);
    polynomials_.assign(kPolynomials * size_, 0.0);
    return spread(0, ends.size(), 0, 0);
  }

 private:
  static constexpr double kWidest = 1.4;  // bound on the width of a box in t; boxes are wider than half of it
  static constexpr double kMostBoxes = 24;
  static constexpr std::size_t kFewest = 512;
  static constexpr std::size_t kPart = 4096;  // documents whose moments are summed together
  static constexpr std::size_t kPolynomials = 4;

  // The moments of a node count each document once, for pairs in which it is the lower one. If there are weights, a second
  // set counts each document by its weight, for pairs in which it is the better one.
  std::size_t per_node() const { return weighted_ ? 2 * size_ : size_; }
  double* moments(std::size_t node, bool better) {
    return moments_.data() + node * per_node() + (better && weighted_ ? size_ : 0);
  }
  std::size_t begin_of(std::size_t group) const { return group == 0 ? 0 : ends_[group - 1]; }

  void place(std::span<const double> scores, std::span<const std::uint32_t> documents, std::span<const double> weights) {
    const std::size_t n = documents.size();
    weighted_ = !weights.empty();
    stoppable_resize(within_, n, stop_);
    stoppable_resize(boxes_, n, stop_);
    stoppable_resize(weights_, weighted_ ? n : 0, stop_);
    const auto [least, most] = range_of(scores);
    const double first_box = std::floor(least * per_score_);
    for_each_part(n, stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        const double x = scores[documents[i]] * per_score_, box = std::floor(x);
        within_[i] = 2 * (x - box) - 1;
        boxes_[i] = static_cast<std::uint32_t>(box - first_box);
        if (weighted_) weights_[i] = weights[documents[i]];
      }
    });
    documents_ = {within_.data(), boxes_.data(), weights_.data()};
    const auto n_boxes = static_cast<std::size_t>(std::floor(most * per_score_) - first_box) + 1;
    size_ = n_boxes * kBoxTerms;
    if (n_boxes == n_boxes_) return;
    n_boxes_ = n_boxes;
    auto sigmoid = [](double d) { return d > 0 ? 1 / (1 + std::exp(-d)) : std::exp(d) / (1 + std::exp(d)); };
    if (derivative_ != Derivative::second) {
      pull_.make(n_boxes, width_, false, sigmoid);
      push_.make(n_boxes, width_, true, sigmoid);
    }
    if (derivative_ == Derivative::first) {
      loss_.make(n_boxes, width_, false, [](double d) { return std::max(d, 0.0) + std::log1p(std::exp(-std::abs(d))); });
    } else {
      bend_.make(n_boxes, width_, false, [](double d) {
        const double q = std::exp(-std::abs(d));
        return q / ((1 + q) * (1 + q));
      });
    }
  }

  // A node holds the groups [first, last). Its lower half and then its upper half follow it, in preorder.
  static std::size_t middle_of(std::size_t first, std::size_t last) { return first + (last - first) / 2; }
  static std::size_t low_of(std::size_t node) { return node + 1; }
  static std::size_t high_of(std::size_t first, std::size_t last, std::size_t node) {
    return node + 2 * (middle_of(first, last) - first);
  }

  void gather(std::size_t first, std::size_t last, std::size_t node) {
    double* const own = moments_.data() + node * per_node();
    if (last - first == 1) {
      for (const bool better : {false, true}) {
        if (better && !weighted_) break;
        double* const total = moments(node, better);
        for (std::size_t i = begin_of(first); i < ends_[first]; i += kPart) {
          stop_.before(20 * kPart);
          part_.assign(size_, 0.0);
          kernels_.deposit(documents_, i, std::min(i + kPart, ends_[first]), better, part_.data());
          std::transform(part_.begin(), part_.end(), total, total, std::plus<>());
        }
      }
      return;
    }
    const std::size_t low = low_of(node), high = high_of(first, last, node), middle = middle_of(first, last);
    gather(first, middle, low);
    gather(middle, last, high);
    const double* const a = moments_.data() + low * per_node();
    const double* const b = moments_.data() + high * per_node();
    for (std::size_t k = 0; k < per_node(); ++k) own[k] = a[k] + b[k];
  }

  // The effect of all documents outside a node on those inside: polynomials for pairs in which a document is the
  // lower one, and for pairs in which it is the better one; the latter are multiplied by its weight. Without
  // weights, the former hold both.
  enum Role : std::size_t { slope_as_lower, slope_as_better, bend_as_lower, bend_as_better };
  double* polynomial(std::size_t depth, Role role) { return polynomials_.data() + (depth * kPolynomials + role) * size_; }

  double spread(std::size_t first, std::size_t last, std::size_t node, std::size_t depth) {
    stop_.before(size_ * size_);
    if (last - first == 1) {
      evaluate(begin_of(first), ends_[first], depth);
      return 0;
    }
    if (polynomials_.size() < (depth + 2) * kPolynomials * size_) polynomials_.resize((depth + 2) * kPolynomials * size_);
    const std::size_t middle = middle_of(first, last), low = low_of(node), high = high_of(first, last, node);
    double value = 0;
    if (derivative_ == Derivative::first) {
      part_.assign(size_, 0.0);
      kernels_.act(loss_.data(), n_boxes_, moments(low, false), 1.0, part_.data());
      value = std::inner_product(part_.begin(), part_.end(), moments(high, true), 0.0);
    }
    inherit(depth);
    if (first_ != nullptr) {
      kernels_.act(push_.data(), n_boxes_, moments(high, true), 1.0, polynomial(depth + 1, slope_as_lower));
    }
    if (second_ != nullptr) {
      kernels_.act(bend_.data(), n_boxes_, moments(high, true), 1.0, polynomial(depth + 1, bend_as_lower));
    }
    value += spread(first, middle, low, depth + 1);
    inherit(depth);
    if (first_ != nullptr) {
      kernels_.act(pull_.data(), n_boxes_, moments(low, false), -1.0,
                   polynomial(depth + 1, weighted_ ? slope_as_better : slope_as_lower));
    }
    if (second_ != nullptr) {
      kernels_.act(bend_.data(), n_boxes_, moments(low, false), 1.0,
                   polynomial(depth + 1, weighted_ ? bend_as_better : bend_as_lower));
    }
    return value + spread(middle, last, high, depth + 1);
  }

  void inherit(std::size_t depth) {
    std::copy_n(polynomial(depth, slope_as_lower), kPolynomials * size_, polynomial(depth + 1, slope_as_lower));
  }

  void evaluate(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t i = begin; i < end; i += kPart) {
      stop_.before(40 * kPart);
      const std::size_t last = std::min(i + kPart, end);
      auto add = [&](Role as_lower, Role as_better, double* column) {
        if (column == nullptr) return;
        kernels_.evaluate(documents_, i, last, false, polynomial(depth, as_lower), column);
        if (weighted_) kernels_.evaluate(documents_, i, last, true, polynomial(depth, as_better), column);
      };
      add(slope_as_lower, slope_as_better, first_);
      add(bend_as_lower, bend_as_better, second_);
    }
  }

  const PairKernels& kernels_;
  Derivative derivative_;
  Stop stop_;
  double per_score_, width_;
  std::size_t n_boxes_ = 0, size_ = 0;
  BoxActions pull_, push_, loss_, bend_;
  BoxedDocuments documents_;
  bool weighted_ = false;
  std::span<const std::size_t> ends_;
  double *first_ = nullptr, *second_ = nullptr;
  std::vector<double> within_, weights_, moments_, polynomials_, part_;
  std::vector<std::uint32_t> boxes_;
};

}  // namespace idealrank
