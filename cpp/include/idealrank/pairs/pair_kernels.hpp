// Losses of pairs of documents: what the kernels are given, and which there are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "idealrank/isa/isa.hpp"
#include "idealrank/pairs/label_pairs.hpp"
#include "idealrank/stop.hpp"

namespace idealrank {

// The loss of a pair, the better document of which is ahead by d = s_i - s_j:
//   hinge          max(0, margin - d)
//   squared_hinge  max(0, margin - d)^2
//   logistic       ln(1 + exp(-sigma d))
enum class PairLoss { hinge, squared_hinge, logistic };

// What a pair counts, before the weight of its better document:
//   one          1
//   label_gap    y_i - y_j
//   swap_change  (y_i - y_j) (change[rank of the upper] - change[rank of the lower]), where y are gains
//   distance     (y_i - y_j) (the same difference, if it counts, + distances[by how many ranks they are apart])
enum class PairWeight { one, label_gap, swap_change, distance };

// What is asked of a loss: its value and its first derivatives; second ones; or both derivatives without the value.
enum class Derivative { first, second, both };

// One number a document in each, or none: where `both` is asked for, `second` has the second derivatives and `column` the
// first ones; else `column` has what is asked for.
struct DerivativeColumns {
  double* column = nullptr;
  double* second = nullptr;
  // Gets the sum over pairs of the sizes of first derivatives of logistic losses, where these are asked for.
  double* slopes = nullptr;
};

// A query's documents by place, that is rank - 1: best score first.
struct PlacedDocuments {
  Stop* stop = nullptr;
  std::size_t n = 0;
  const double* scores = nullptr;
  const std::uint32_t* levels = nullptr;
  const double* weights = nullptr;  // none where all are 1
  const double* labels = nullptr;  // of each level
  const double* own_labels = nullptr;  // none where levels are so few that their labels are at hand
  double scale = 1;  // margin or sigma
  // logistic: exp(-sigma d), where score = edge + d with one of few edges, and which is not small.
  const double* decays = nullptr;
  // swap_change: of pairs whose better document is above, and of the others; and how many places from the first on one
  // document of a pair must have.
  const double* right = nullptr;
  const double* wrong = nullptr;
  std::size_t truncation = 0;
  bool together = false;  // or both
  // distance: the ranks in the whole list; none where places are these ranks.
  const std::uint32_t* ranks = nullptr;
};

// The sum over all pairs of a split, high against low. Adds the derivatives by each score to the columns, by place; the
// value only comes with Derivative::first.
using PairSweep = double (*)(const PlacedDocuments& documents, const LabelSplit& split, const DerivativeColumns& columns);

// A sum of n exponentials of the difference of two ranks (rank_decays.hpp): rates, and amounts at the difference 1. Tables for
// gaps of 1 to n_gaps ranks, n numbers each: what a gap leaves of each exponential, before * kept - before * lost, and of
// each amount (seen).
struct RankDecays {
  std::size_t n = 0, n_gaps = 0;
  const double* rates = nullptr;
  const double* amounts = nullptr;
  const double* kept = nullptr;
  const double* lost = nullptr;
  const double* seen = nullptr;
  double* room = nullptr;  // kRankRoom * n numbers
};

inline constexpr std::size_t kRankTermsAtOnce = 4;  // n is a multiple of it
inline constexpr std::size_t kRankRoom = 91;

// The sum of PairSweep with the weight `distance`, without changes by swaps.
using DistanceSweep = double (*)(const PlacedDocuments& documents, const LabelSplit& split, const RankDecays& decays,
                                 const DerivativeColumns& columns);

// A query's documents by label, lowest first. Every array goes on for kPairPadding finite numbers.
struct LabelledDocuments {
  Stop* stop = nullptr;
  std::size_t n = 0;
  const double* labels = nullptr;
  const double* scores = nullptr;
  const double* weights = nullptr;
  double scale = 1;  // margin or sigma
  // logistic: room for exp(sigma (s - middle)) and exp(-sigma (s - middle)); none where they would overflow,
  // which is for weights that no sweep has.
  double* growths = nullptr;
  double* shrinks = nullptr;
  double middle = 0;
  // swap_change: as above, by document; and its place.
  const double* right = nullptr;
  const double* wrong = nullptr;
  const double* places = nullptr;
  double truncation = 0;
  bool together = false;
  double offset = 0;
  // distance: one number for each difference of ranks, from 0 on.
  const double* distances = nullptr;
  bool with_swap = true;
};

inline constexpr std::size_t kPairPadding = 4;

// The same sum over all pairs of a query, one by one. The columns are padded too.
using PairRows = double (*)(const LabelledDocuments& documents, const DerivativeColumns& columns);

// A query's documents by label, as places in [-1, 1] of boxes of scores.
struct BoxedDocuments {
  const double* within = nullptr;
  const std::uint32_t* boxes = nullptr;
  const double* weights = nullptr;
};

inline constexpr std::size_t kBoxTerms = 16;  // of a polynomial in a box

// The kernels of one instruction set.
struct PairKernels {
  // Of the weight `distance`, its changes by swaps.
  PairSweep (*sweep)(PairLoss loss, PairWeight weight, Derivative derivative);
  DistanceSweep (*distance_sweep)(Derivative derivative);
  // The decays of PlacedDocuments.
  void (*find_decays)(const double* scores, std::size_t n, double sigma, double* decays);
  PairRows (*rows)(PairLoss loss, PairWeight weight, Derivative derivative);
  // The places of n values, few of them: greatest first, equal ones in input order. Arrays go on to a multiple of four.
  void (*count_places)(const double* values, std::size_t n, double* places);
  // Adds Chebyshev's polynomials at the documents [begin, end) to the moments of their boxes.
  void (*deposit)(const BoxedDocuments& documents, std::size_t begin, std::size_t end, bool weighted, double* moments);
  // Adds the polynomials of their boxes to the documents.
  void (*evaluate)(const BoxedDocuments& documents, std::size_t begin, std::size_t end, bool weighted,
                   const double* polynomials, double* column);
  // Adds `factor` times the polynomials that moments make.
  void (*act)(const double* blocks, std::size_t n_boxes, const double* from, double factor, double* to);
};

extern const PairKernels pair_kernels_base, pair_kernels_v3;

}  // namespace idealrank
