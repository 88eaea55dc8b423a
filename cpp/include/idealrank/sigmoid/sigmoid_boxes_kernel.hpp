// Sums of sigmoids of a long, dense list, without a sort: the documents in a narrow box are replaced by 8 points.
//
// In a box of width w in t, sigma(t - t_y) equals a polynomial of degree 7 in t up to a relative error of 6e-6 (w/2)^8,
// since its nearest singularity is pi away: at most 1.5e-11 here. So the documents of a box act on all others like 8 nodes,
// whose weights follow from the moments of the documents; and all others act on them through 8 values at the nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "idealrank/sigmoid/chebyshev_box.hpp"
#include "idealrank/isa/lanes_math.hpp"
#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sigmoid/sigmoid_sweep_kernel.hpp"

#include "idealrank/isa/isa_begin.hpp"

class SigmoidBoxes {
 public:
  explicit SigmoidBoxes(SigmoidScratch& scratch) : s_(scratch) {}

  // Returns whether boxes pay off for this list. If so, prepares them; `scores` must stay valid
  // until the last call of sums().
  bool arrange(std::span<const double> scores, double alpha, double least, double greatest) {
    scores_ = scores;
    // The width of a box is a power of 2, so that the position of a score in its box is exact, however large the score is.
    const int exponent = std::ilogb(kWidest / alpha);
    if (std::abs(exponent) > 1000) return false;
    per_score_ = std::ldexp(1.0, -exponent);
    width_ = std::ldexp(alpha, exponent);
    if (!(std::max(std::fabs(least), std::fabs(greatest)) * per_score_ < kFarthest)) return false;
    first_box_ = box_of(least);
    const double n_boxes = box_of(greatest) - first_box_ + 1;
    if (!(n_boxes <= kMostBoxes && n_boxes * kWorthABox <= static_cast<double>(scores.size()))) return false;
    n_boxes_ = static_cast<std::size_t>(n_boxes);
    deposit(nullptr);
    find_sparse();
    list_items();
    return true;
  }

  // Without weights, all are 1. If `sums_out` is null, computes only the slopes.
  void sums(const double* weights, double* sums_out, double* slopes_out) {
    if (weights != nullptr || !unit_moments_) deposit(weights);
    set_item_weights(weights);
    if (sums_out != nullptr) {
      sweep<true>(s_.ratios.data(), s_.weights.data(), n_items_padded_, s_.sums.data(), s_.slopes.data(), s_.stop);
      evaluate_both(weights, sums_out, slopes_out);
    } else {
      sweep<false>(s_.ratios.data(), s_.weights.data(), n_items_padded_, nullptr, s_.slopes.data(), s_.stop);
      evaluate_slopes(weights, slopes_out);
    }
    for (std::size_t k = 0; k < s_.sparse.size(); ++k) {
      const auto [document, item] = s_.sparse[k];
      if (sums_out != nullptr) sums_out[document] = s_.sums[item];
      slopes_out[document] = s_.slopes[item];
    }
  }

 private:
  static constexpr double kWidest = 0.4;  // bound on the width of a box in t; boxes are wider than half of it
  static constexpr double kFarthest = 0x1p50;  // in boxes from 0
  static constexpr double kMostBoxes = 0x1p17;
  static constexpr double kWorthABox = 16;  // documents per box, on average
  static constexpr double kSparse = 16;  // boxes with up to this many documents are not replaced
  static constexpr std::size_t kBlock = 16'384;

  double box_of(double score) const { return rounded(broadcast(score * per_score_ - 0.5))[0]; }

  // The boxes of four documents, and their positions in them, from -1 to 1.
  struct Places {
    Lanes u;
    std::size_t box[kLanes];
  };
  IDEALRANK_INLINE Places places(Lanes scores) const {
    const Lanes x = scores * per_score_, box = rounded(x - 0.5);
    const Lanes number = box - first_box_;
    return {2.0 * (x - box) - 1.0,
            {static_cast<std::size_t>(number[0]), static_cast<std::size_t>(number[1]), static_cast<std::size_t>(number[2]),
             static_cast<std::size_t>(number[3])}};
  }

  // Calls each(i, n, places of the documents i ... i + n - 1) with n = 4, and at the end with the rest.
  template <class Each>
  IDEALRANK_INLINE void for_each_four(std::size_t begin, std::size_t end, Each&& each) const {
    std::size_t i = begin;
    for (std::size_t part = begin; part < end; part += kBlock) {
      s_.stop.before(8 * kBlock);
      for (const std::size_t last = std::min(end, part + kBlock); i + kLanes <= last; i += kLanes) {
        each(i, kLanes, places(load(scores_.data() + i)));
      }
    }
    if (i < end) each(i, end - i, places(load_some(scores_.data() + i, end - i, scores_[i])));
  }

  // moments[8 box + k] = sum of w u^k over the documents of the box. Every block has its own sums, which are added up
  // afterwards: adding many equal numbers accumulates rounding errors in one direction.
  void deposit(const double* weights) {
    unit_moments_ = weights == nullptr;
    const std::size_t n = scores_.size(), size = n_boxes_ * kNodes;
    s_.moments.assign(size, 0);
    s_.block_moments.assign(size, 0);
    const std::size_t block = std::max(kBlock, size);
    double* const to = s_.block_moments.data();
    for (std::size_t begin = 0; begin < n; begin += block) {
      for_each_four(begin, std::min(begin + block, n), [&](std::size_t i, std::size_t here, const Places& at) {
        Lanes rows[kNodes];
        rows[0] = weights == nullptr ? broadcast(1) : here == kLanes ? load(weights + i) : load_some(weights + i, here, 0);
        const Lanes u2 = at.u * at.u;
        rows[1] = rows[0] * at.u;
        for (std::size_t k = 2; k < kNodes; ++k) rows[k] = rows[k - 2] * u2;
        transpose(rows[0], rows[1], rows[2], rows[3]);
        transpose(rows[4], rows[5], rows[6], rows[7]);
        for (std::size_t l = 0; l < here; ++l) {
          double* const box = to + at.box[l] * kNodes;
          store(box, load(box) + rows[l]);
          store(box + kLanes, load(box + kLanes) + rows[kLanes + l]);
        }
      });
      for (std::size_t k = 0; k < size; k += kLanes) {
        store(s_.moments.data() + k, load(s_.moments.data() + k) + load(to + k));
        store(to + k, broadcast(0));
      }
    }
  }

  // Lists the documents of boxes with few documents in ascending order. Each keeps its own position in the sweep.
  void find_sparse() {
    // starts[box]: where the documents of a sparse box begin; kDense for a dense box.
    auto& starts = s_.starts;
    starts.resize(n_boxes_);
    std::uint32_t n_sparse = 0;
    for (std::size_t box = 0; box < n_boxes_; ++box) {
      const double count = s_.moments[box * kNodes];
      starts[box] = count > kSparse ? kDense : n_sparse;
      if (count <= kSparse) n_sparse += static_cast<std::uint32_t>(count);
    }
    s_.sparse.resize(n_sparse);
    if (n_sparse == 0) return;
    for_each_four(0, scores_.size(), [&](std::size_t i, std::size_t here, const Places& at) {
      for (std::size_t l = 0; l < here; ++l) {
        if (starts[at.box[l]] != kDense) s_.sparse[starts[at.box[l]]++].document = static_cast<std::uint32_t>(i + l);
      }
    });
    std::uint32_t begin = 0;
    for (std::size_t box = 0; box < n_boxes_; ++box) {
      if (starts[box] == kDense) continue;
      const auto first = s_.sparse.begin() + begin, last = s_.sparse.begin() + starts[box];
      std::sort(first, last, [&](auto a, auto b) { return scores_[a.document] < scores_[b.document]; });
      begin = starts[box];
    }
  }

  // Lists the items to sweep: for each box in turn, its 8 nodes or its documents.
  void list_items() {
    std::size_t n_dense = 0;
    for (const std::uint32_t start : s_.starts) n_dense += start == kDense;
    const std::size_t n_items = n_dense * kNodes + s_.sparse.size();
    n_items_padded_ = (n_items + kLanes - 1) / kLanes * kLanes;
    for (auto* column : {&s_.ratios, &s_.weights, &s_.sums, &s_.slopes}) column->assign(n_items_padded_ + kLanes, 0);

    std::size_t item = 0, sparse = 0;
    double last_box = 0, last_place = 0;
    auto add = [&](double box, double place) {
      s_.ratios[item++] = -width_ * ((box - last_box) + (place - last_place));
      last_box = box;
      last_place = place;
    };
    for (std::size_t b = 0; b < n_boxes_; ++b) {
      const auto box = static_cast<double>(b);
      if (s_.starts[b] == kDense) {
        for (const double node : kChebyshevNodes) add(box, 0.5 * (node + 1));
        continue;
      }
      for (; sparse < s_.starts[b]; ++sparse) {
        const double x = scores_[s_.sparse[sparse].document] * per_score_;
        s_.sparse[sparse].item = static_cast<std::uint32_t>(item);
        add(box, x - (box + first_box_));
      }
    }
    for (std::size_t i = 0; i < n_items_padded_; i += kLanes) store(s_.ratios.data() + i, exp(load(s_.ratios.data() + i)));
    s_.ratios[0] = 0;
    std::fill(s_.ratios.begin() + static_cast<std::ptrdiff_t>(n_items), s_.ratios.end(), 0.0);
  }

  // Calls each(box, its first item) for every box that is replaced by nodes.
  template <class Each>
  void for_each_dense(Each&& each) const {
    std::size_t item = 0;
    std::uint32_t n_sparse = 0;
    for (std::size_t box = 0; box < n_boxes_; ++box) {
      if (s_.starts[box] == kDense) {
        each(box, item);
        item += kNodes;
      } else {
        item += s_.starts[box] - n_sparse;
        n_sparse = s_.starts[box];
      }
    }
  }

  void set_item_weights(const double* weights) {
    for_each_dense([&](std::size_t box, std::size_t item) {
      const double* const moments = s_.moments.data() + box * kNodes;
      Lanes low = broadcast(0), high = broadcast(0);
      for (std::size_t k = 0; k < kNodes; ++k) {
        low += load(kLagrange[k].data()) * moments[k];
        high += load(kLagrange[k].data() + kLanes) * moments[k];
      }
      store(s_.weights.data() + item, low);
      store(s_.weights.data() + item + kLanes, high);
    });
    for (const auto [document, item] : s_.sparse) s_.weights[item] = weights == nullptr ? 1.0 : weights[document];
  }

  // Coefficient k of the polynomial through the sums at the nodes of a box. Each node counts
  // itself with `own` times its weight.
  IDEALRANK_INLINE double coefficient(std::size_t k, const double* values, const double* weights, double own) const {
    const double* const row = kLagrange[k].data();
    return sum(load(row) * (load(values) + own * load(weights)) +
               load(row + kLanes) * (load(values + kLanes) + own * load(weights + kLanes)));
  }

  void evaluate_both(const double* weights, double* sums_out, double* slopes_out) {
    s_.polynomials.resize(n_boxes_ * 2 * kNodes);
    for_each_dense([&](std::size_t box, std::size_t item) {
      double* const to = s_.polynomials.data() + box * 2 * kNodes;
      for (std::size_t k = 0; k < kNodes; ++k) {
        // Four at a time: terms k of sums and slopes, then terms k + 4 of sums and slopes.
        double* const pair = to + k % kLanes * kLanes + k / kLanes * 2;
        pair[0] = coefficient(k, s_.sums.data() + item, s_.weights.data() + item, 0.5);
        pair[1] = coefficient(k, s_.slopes.data() + item, s_.weights.data() + item, 0.25);
      }
    });
    for_each_four(0, scores_.size(), [&](std::size_t i, std::size_t here, const Places& at) {
      Lanes value[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) {
        const double* const p = s_.polynomials.data() + at.box[l] * 2 * kNodes;
        const Lanes u = broadcast(at.u[l]);
        value[l] = load(p) + u * (load(p + 4) + u * (load(p + 8) + u * load(p + 12)));
      }
      transpose(value[0], value[1], value[2], value[3]);
      const Lanes u2 = at.u * at.u, u4 = u2 * u2, own = own_weights(weights, i, here);
      store_some(sums_out + i, (value[0] + u4 * value[2]) - 0.5 * own, here);
      store_some(slopes_out + i, (value[1] + u4 * value[3]) - 0.25 * own, here);
    });
  }

  void evaluate_slopes(const double* weights, double* slopes_out) {
    s_.polynomials.resize(n_boxes_ * kNodes);
    for_each_dense([&](std::size_t box, std::size_t item) {
      double* const to = s_.polynomials.data() + box * kNodes;
      for (std::size_t k = 0; k < kNodes; ++k) {
        // Even terms first, then odd ones.
        to[k / 2 + k % 2 * kLanes] = coefficient(k, s_.slopes.data() + item, s_.weights.data() + item, 0.25);
      }
    });
    for_each_four(0, scores_.size(), [&](std::size_t i, std::size_t here, const Places& at) {
      Lanes value[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) {
        const double* const p = s_.polynomials.data() + at.box[l] * kNodes;
        value[l] = load(p) + at.u[l] * load(p + kLanes);
      }
      transpose(value[0], value[1], value[2], value[3]);
      const Lanes u2 = at.u * at.u, own = own_weights(weights, i, here);
      const Lanes slope = value[0] + u2 * (value[1] + u2 * (value[2] + u2 * value[3]));
      store_some(slopes_out + i, slope - 0.25 * own, here);
    });
  }

  IDEALRANK_INLINE static Lanes own_weights(const double* weights, std::size_t i, std::size_t here) {
    if (weights == nullptr) return broadcast(1);
    return here == kLanes ? load(weights + i) : load_some(weights + i, here, 0);
  }

  static constexpr std::uint32_t kDense = 0xFFFFFFFF;

  SigmoidScratch& s_;
  std::span<const double> scores_;
  double per_score_ = 0, width_ = 0, first_box_ = 0;
  std::size_t n_boxes_ = 0, n_items_padded_ = 0;
  bool unit_moments_ = false;
};

#include "idealrank/isa/isa_end.hpp"
