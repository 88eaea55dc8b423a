// Chooses the kernels for a loss and a weight of pairs.
#pragma once

#include <type_traits>

#include "idealrank/pairs/distance_sweep_kernel.hpp"
#include "idealrank/pairs/hinge_sweep_kernel.hpp"
#include "idealrank/pairs/logistic_sweep_kernel.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/pair_rows_kernel.hpp"

#include "idealrank/isa/isa_begin.hpp"

template <auto kValue>
using Constant = std::integral_constant<decltype(kValue), kValue>;

// Calls make(loss, weight, derivative) with compile-time constants. Hinge losses do not support changes by swaps.
template <class Make>
auto with_constants(PairLoss loss, PairWeight weight, Derivative derivative, Make&& make) {
  auto with_derivative = [&](auto loss_constant, auto weight_constant) {
    if (derivative == Derivative::first) return make(loss_constant, weight_constant, Constant<Derivative::first>());
    if (derivative == Derivative::second) return make(loss_constant, weight_constant, Constant<Derivative::second>());
    return make(loss_constant, weight_constant, Constant<Derivative::both>());
  };
  auto with_weight = [&](auto loss_constant) {
    return weight == PairWeight::one ? with_derivative(loss_constant, Constant<PairWeight::one>())
                                     : with_derivative(loss_constant, Constant<PairWeight::label_gap>());
  };
  if (loss == PairLoss::hinge) return with_weight(Constant<PairLoss::hinge>());
  if (loss == PairLoss::squared_hinge) return with_weight(Constant<PairLoss::squared_hinge>());
  constexpr Constant<PairLoss::logistic> kLogistic;
  if (weight == PairWeight::distance) return with_derivative(kLogistic, Constant<PairWeight::distance>());
  return weight == PairWeight::swap_change ? with_derivative(kLogistic, Constant<PairWeight::swap_change>())
                                           : with_weight(kLogistic);
}

inline PairSweep choose_sweep(PairLoss loss, PairWeight weight, Derivative derivative) {
  return with_constants(
      loss, weight, derivative, [](auto loss_constant, auto weight_constant, auto derivative_constant) -> PairSweep {
        constexpr bool kGap = weight_constant != PairWeight::one;
        constexpr bool kSwap = weight_constant == PairWeight::swap_change || weight_constant == PairWeight::distance;
        if constexpr (loss_constant == PairLoss::logistic) {
          return &sweep_logistic<kGap, kSwap, derivative_constant>;
        } else {
          constexpr std::size_t kChannels = kGap ? 2 : 1;
          return &sweep_hinge<loss_constant, kChannels, derivative_constant>;
        }
      });
}

inline DistanceSweep choose_distance_sweep(Derivative derivative) {
  if (derivative == Derivative::first) return &sweep_distance<Derivative::first>;
  if (derivative == Derivative::second) return &sweep_distance<Derivative::second>;
  return &sweep_distance<Derivative::both>;
}

inline PairRows choose_rows(PairLoss loss, PairWeight weight, Derivative derivative) {
  return with_constants(loss, weight, derivative,
                        [](auto loss_constant, auto weight_constant, auto derivative_constant) -> PairRows {
                          return &sum_pair_rows<loss_constant, weight_constant, derivative_constant>;
                        });
}

#include "idealrank/isa/isa_end.hpp"
