// The sweep for a loss and a weight of pairs.
#pragma once

#include "idealrank/hinge_sweep_kernel.hpp"
#include "idealrank/logistic_sweep_kernel.hpp"
#include "idealrank/pair_sweep.hpp"

#include "idealrank/isa_begin.hpp"

template <bool kCurvature>
PairSweep choose_pair_sweep(PairLoss loss, PairWeight weight) {
  const bool gap = weight == PairWeight::label_gap;
  switch (loss) {
    case PairLoss::hinge:
      return gap ? &sweep_hinge<PairLoss::hinge, 2, kCurvature> : &sweep_hinge<PairLoss::hinge, 1, kCurvature>;
    case PairLoss::squared_hinge:
      return gap ? &sweep_hinge<PairLoss::squared_hinge, 2, kCurvature> : &sweep_hinge<PairLoss::squared_hinge, 1, kCurvature>;
    case PairLoss::logistic:
      break;
  }
  if (weight == PairWeight::swap_change) return &sweep_logistic<2, true, kCurvature>;
  return gap ? &sweep_logistic<2, false, kCurvature> : &sweep_logistic<1, false, kCurvature>;
}

inline PairSweep choose_pair_sweep(PairLoss loss, PairWeight weight, bool curvature) {
  return curvature ? choose_pair_sweep<true>(loss, weight) : choose_pair_sweep<false>(loss, weight);
}

#include "idealrank/isa_end.hpp"
