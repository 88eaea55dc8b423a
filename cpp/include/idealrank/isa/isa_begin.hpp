// Code from here to isa_end.hpp is for one instruction set. Standard headers must be included before, so that their
// functions work on every processor, whichever copy the linker keeps.
#if defined(IDEALRANK_V3) && defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2"))), apply_to = function)
#elif defined(IDEALRANK_V3) && defined(__x86_64__) && defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2")
#endif

#ifdef IDEALRANK_V3
namespace idealrank::v3 {
#else
namespace idealrank::base {
#endif
