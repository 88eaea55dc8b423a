}  // namespace idealrank::base or ::v3

#if defined(IDEALRANK_V3) && defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#elif defined(IDEALRANK_V3) && defined(__x86_64__) && defined(__GNUC__)
#pragma GCC pop_options
#endif
