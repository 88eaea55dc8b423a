// The instruction sets of the kernels that this machine supports.
#pragma once

#include <vector>

#include "idealrank/isa/isa.hpp"

inline std::vector<idealrank::Isa> all_isas() {
  std::vector<idealrank::Isa> sets;
  for (const auto name : idealrank::isa_names()) sets.push_back(idealrank::isa_of(name));
  return sets;
}
