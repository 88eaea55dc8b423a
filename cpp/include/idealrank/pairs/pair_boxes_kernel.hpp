// Polynomials in boxes of scores, for pairs_by_box.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "idealrank/isa/lanes.hpp"
#include "idealrank/pairs/pair_kernels.hpp"

#include "idealrank/isa/isa_begin.hpp"

inline constexpr std::size_t kPolynomialLanes = kBoxTerms / kLanes;
static_assert(kBoxTerms % kLanes == 0);

// The Chebyshev polynomials T_0, T_1, ... at a point u in [-1, 1], by T_{k+4} = 2 T_4 T_k - T_{|k-4|}.
struct Chebyshev {
  Lanes terms[kPolynomialLanes];

  IDEALRANK_INLINE explicit Chebyshev(double u) {
    const double t2 = 2 * u * u - 1, t3 = u * (2 * t2 - 1), t4 = 2 * t2 * t2 - 1;
    const Lanes step = broadcast(2 * t4);
    terms[0] = four(1, u, t2, t3);
    terms[1] = step * terms[0] - four(t4, t3, t2, u);
    for (std::size_t v = 2; v < kPolynomialLanes; ++v) terms[v] = step * terms[v - 1] - terms[v - 2];
  }
};

inline void deposit_in_boxes(const BoxedDocuments& documents, std::size_t begin, std::size_t end, bool weighted,
                             double* moments) {
  for (std::size_t i = begin; i < end; ++i) {
    const Chebyshev at(documents.within[i]);
    const Lanes weight = broadcast(weighted ? documents.weights[i] : 1.0);
    double* const to = moments + documents.boxes[i] * kBoxTerms;
    for (std::size_t v = 0; v < kPolynomialLanes; ++v) store(to + v * kLanes, load(to + v * kLanes) + weight * at.terms[v]);
  }
}

inline void evaluate_in_boxes(const BoxedDocuments& documents, std::size_t begin, std::size_t end, bool weighted,
                              const double* polynomials, double* column) {
  for (std::size_t i = begin; i < end; ++i) {
    const Chebyshev at(documents.within[i]);
    const double* const terms = polynomials + documents.boxes[i] * kBoxTerms;
    Lanes total = load(terms) * at.terms[0];
    for (std::size_t v = 1; v < kPolynomialLanes; ++v) total += load(terms + v * kLanes) * at.terms[v];
    column[i] += (weighted ? documents.weights[i] : 1.0) * sum(total);
  }
}

// to[box] += factor * sum over others of blocks[n_boxes - 1 + other - box] from[other]. A block
// has one row per term of `from`.
inline void act_on_boxes(const double* blocks, std::size_t n_boxes, const double* from, double factor, double* to) {
  for (std::size_t box = 0; box < n_boxes; ++box) {
    Lanes total[kPolynomialLanes];
    for (Lanes& part : total) part = broadcast(0);
    const double* row = blocks + (n_boxes - 1 - box) * kBoxTerms * kBoxTerms;
    for (std::size_t term = 0; term < n_boxes * kBoxTerms; ++term, row += kBoxTerms) {
      const Lanes source = broadcast(from[term]);
      for (std::size_t v = 0; v < kPolynomialLanes; ++v) total[v] += load(row + v * kLanes) * source;
    }
    double* const own = to + box * kBoxTerms;
    for (std::size_t v = 0; v < kPolynomialLanes; ++v) {
      store(own + v * kLanes, load(own + v * kLanes) + factor * total[v]);
    }
  }
}

#include "idealrank/isa/isa_end.hpp"
