// Every pairwise loss with every weight that it supports, except for `distance`, which needs a table.
#pragma once

#include "idealrank/pairs/pair_spec.hpp"

template <class Check>
void for_each_spec(Check&& check) {
  using enum idealrank::PairLoss;
  using enum idealrank::PairWeight;
  for (const idealrank::PairLoss loss : {hinge, squared_hinge, logistic}) {
    for (const idealrank::PairWeight weight : {one, label_gap, swap_change}) {
      if (loss != logistic && weight == swap_change) continue;
      using enum idealrank::Derivative;
      for (const idealrank::Derivative derivative : {first, second, both}) {
        idealrank::PairSpec spec;
        spec.loss = loss;
        spec.weight = weight;
        spec.scale = 0.7;
        spec.derivative = derivative;
        check(spec);
      }
    }
  }
}
