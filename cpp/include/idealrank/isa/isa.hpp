// Instruction sets: a kernel is compiled once for each, and the best one that the processor supports is chosen at run time.
//
// To add a kernel `f`:
//   1. f_kernel.hpp: includes, then #include "idealrank/isa/isa_begin.hpp", the code, #include "idealrank/isa/isa_end.hpp".
//      Everything between the two is compiled for one instruction set, in its own namespace (idealrank::base or ::v3).
//      Loops over `Lanes` (lanes.hpp) become vector instructions on every compiler that supports them.
//   2. cpp/src/f_base.cpp and f_v3.cpp: #include "idealrank/f_kernel.hpp" (CMake derives the set of a file from its name),
//      and the entry points: const F f_base{&base::entry}; const F f_v3{&v3::entry};
//   3. f.hpp: struct F { void (*entry)(...); }, the two extern constants, and a call of choose(isa, f_base, f_v3).
// A kernel gets all memory from its caller: code of std::vector must not be compiled for one instruction set.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace idealrank {

// base: supported by every processor of the platform. v3: x86-64-v3, with AVX2 and FMA; never chosen elsewhere.
enum class Isa { base, v3 };

inline bool has_v3() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

inline std::vector<std::string_view> isa_names() {
  if (has_v3()) return {"base", "v3"};
  return {"base"};
}

// An empty name means the environment variable IDEALRANK_ISA if it is set, or else the best instruction set available.
inline Isa isa_of(std::string_view name) {
  const char* const asked = name.empty() ? std::getenv("IDEALRANK_ISA") : nullptr;
  if (asked != nullptr) name = asked;
  if (name.empty()) return has_v3() ? Isa::v3 : Isa::base;
  if (name == "base") return Isa::base;
  if (name == "v3" && has_v3()) return Isa::v3;
  std::string message =
      std::string(asked != nullptr ? "IDEALRANK_ISA" : "isa") + " is '" + std::string(name) + "', but must be";
  for (const auto known : isa_names()) message += " '" + std::string(known) + "' or";
  throw std::invalid_argument(message.substr(0, message.size() - 3) + " on this processor");
}

template <class Kernels>
const Kernels& choose(Isa isa, const Kernels& base, const Kernels& v3) {
  return isa == Isa::v3 ? v3 : base;
}

}  // namespace idealrank
