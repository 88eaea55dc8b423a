// Kernels of pairwise losses: their inputs, and the tables of available kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "idealrank/isa/isa.hpp"
#include "idealrank/pairs/label_pairs.hpp"
#include "idealrank/stop.hpp"

namespace idealrank {

// The loss of a pair whose better document is ahead by d = s_i - s_j:
//   hinge          max(0, margin - d)
//   squared_hinge  max(0, margin - d)^2
//   logistic       ln(1 + exp(-sigma d))
enum class PairLoss { hinge, squared_hinge, logistic };

// The weight of a pair, before the weight of its better document:
//   one          1
//   label_gap    y_i - y_j
//   swap_change  (y_i - y_j) (change[upper rank] - change[lower rank]), where y are gains
//   distance     (y_i - y_j) (that difference of changes, if requested, + distances[difference of the ranks])
enum class PairWeight { one, label_gap, swap_change, distance };

// What to compute: the value and first derivatives; second derivatives; or both derivatives without the value.
enum class Derivative { first, second, both };

// One number per document each, or null. For Derivative::both, `column` holds the first and `second` the second derivatives;
// otherwise `column` holds the requested ones.
struct DerivativeColumns {
  double* column = nullptr;
  double* second = nullptr;
  // Receives the sum over pairs of the absolute first derivatives of logistic losses, if first derivatives are requested.
  double* slopes = nullptr;
};

// A query's documents by place (rank - 1), best score first.
struct PlacedDocuments {
  Stop* stop = nullptr;
  std::size_t n = 0;
  const double* scores = nullptr;
  const std::uint32_t* levels = nullptr;
  const double* weights = nullptr;  // null if all are 1
  const double* labels = nullptr;  // of each level
  const double* own_labels = nullptr;  // by place; null if there are few levels, whose `labels` stay in the cache
  double scale = 1;  // margin or sigma
  // logistic: exp(-sigma d), where score = edge + d for one of few edges. d is at most 1 / sigma, so this is not small.
  const double* decays = nullptr;
  // swap_change: the changes for pairs whose better document is above, and for all other pairs. One document of a pair must
  // be among the first `truncation` places.
  const double* right = nullptr;
  const double* wrong = nullptr;
  std::size_t truncation = 0;
  bool together = false;  // both documents must be among them
  // distance: the ranks in the whole list; null if they are the places.
  const std::uint32_t* ranks = nullptr;
};

// Returns the sum over all pairs of a split, high against low, and adds the derivatives by each score to the columns, by
// place. The value is computed only for Derivative::first.
using PairSweep = double (*)(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns);

// A sum of n exponentials of the difference of two ranks (rank_decays.hpp): their rates, and amounts at difference 1. The
// tables have n numbers for each gap of 1 to n_gaps ranks. Across a gap, each exponential becomes before * kept -
// before * lost, and each amount becomes `seen`.
struct RankDecays {
  std::size_t n = 0, n_gaps = 0;
  const double* rates = nullptr;
  const double* amounts = nullptr;
  const double* kept = nullptr;
  const double* lost = nullptr;
  const double* seen = nullptr;
  double* room = nullptr;  // scratch space: kRankRoom * n numbers
};

inline constexpr std::size_t kRankTermsAtOnce = 4;  // `n` is a multiple of this
inline constexpr std::size_t kRankRoom = 91;

// The same as PairSweep for the weight `distance`, without changes by swaps.
using DistanceSweep = double (*)(const PlacedDocuments& documents, const LabelSplit& split, const RankDecays& decays,
                                 const DerivativeColumns& columns);

// A query's documents by label, lowest first. Every array is followed by kPairPadding finite numbers.
struct LabelledDocuments {
  Stop* stop = nullptr;
  std::size_t n = 0;
  const double* labels = nullptr;
  const double* scores = nullptr;
  const double* weights = nullptr;
  double scale = 1;  // margin or sigma
  // logistic: space for exp(sigma (s - middle)) and exp(-sigma (s - middle)). Null if these would overflow, which only the
  // weights swap_change and distance allow.
  double* growths = nullptr;
  double* shrinks = nullptr;
  double middle = 0;
  // swap_change: as in PlacedDocuments, but by document; and the place of each document.
  const double* right = nullptr;
  const double* wrong = nullptr;
  const double* places = nullptr;
  double truncation = 0;
  bool together = false;
  double offset = 0;
  // distance: one number for each difference of ranks, starting at 0.
  const double* distances = nullptr;
  bool with_swap = true;
};

inline constexpr std::size_t kPairPadding = 4;

// The same sum as PairSweep, over all pairs of a query, by enumeration. The columns are padded too.
using PairRows = double (*)(const LabelledDocuments& documents, const DerivativeColumns& columns);

// A query's documents, the near ones first: only pairs with a near document have a weight. Every array is followed by
// kPairPadding finite numbers. The logistic loss of a pair is multiplied by the difference of its labels, by the weight of
// its better document, and by the mean over the rankings of the difference of its worths.
struct SmoothedDocuments {
  Stop* stop = nullptr;
  std::size_t n = 0, n_near = 0;
  const double* labels = nullptr;
  const double* scores = nullptr;
  const double* weights = nullptr;
  double scale = 1;  // sigma
  // exp(sigma (s - middle)) and its inverse; null if these would overflow.
  const double* growths = nullptr;
  const double* shrinks = nullptr;
  // One number per near document for each ranking, `stride` after that for the ranking before, with zeros in between; and
  // their means over the rankings. Documents that are not near are worth 0.
  std::size_t n_rankings = 0, stride = 0;
  const double* worths = nullptr;
  const double* means = nullptr;
  double share = 1;  // 1 / n_rankings
};

using SmoothedSum = double (*)(const SmoothedDocuments& documents, Derivative derivative, const DerivativeColumns& columns);

// A query's documents by label: each has a box of scores and a coordinate in [-1, 1] within it.
struct BoxedDocuments {
  const double* within = nullptr;
  const std::uint32_t* boxes = nullptr;
  const double* weights = nullptr;
};

inline constexpr std::size_t kBoxTerms = 16;  // terms of a polynomial in a box

// All kernels for one instruction set.
struct PairKernels {
  // For the weight `distance`, the sweep of its changes by swaps.
  PairSweep (*sweep)(PairLoss loss, PairWeight weight, Derivative derivative);
  DistanceSweep (*distance_sweep)(Derivative derivative);
  // Computes PlacedDocuments::decays.
  void (*find_decays)(const double* scores, std::size_t n, double sigma, double* decays);
  PairRows (*rows)(PairLoss loss, PairWeight weight, Derivative derivative);
  SmoothedSum smoothed;
  // Computes the places of a small number of values: greatest first, ties in input order. The arrays
  // are padded to a multiple of four.
  void (*count_places)(const double* values, std::size_t n, double* places);
  // Adds the Chebyshev polynomials at the documents [begin, end) to the moments of their boxes.
  void (*deposit)(const BoxedDocuments& documents, std::size_t begin, std::size_t end, bool weighted, double* moments);
  // Adds to each document the polynomial of its box, evaluated at the document.
  void (*evaluate)(const BoxedDocuments& documents, std::size_t begin, std::size_t end, bool weighted,
                   const double* polynomials, double* column);
  // Adds `factor` times the polynomials that result from the moments `from`.
  void (*act)(const double* blocks, std::size_t n_boxes, const double* from, double factor, double* to);
};

extern const PairKernels pair_kernels_base, pair_kernels_v3;

}  // namespace idealrank
