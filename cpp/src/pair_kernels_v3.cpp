#include "idealrank/pairs/pair_choice_kernel.hpp"
#include "idealrank/pairs/pair_kernels.hpp"

namespace idealrank {

extern const PairKernels pair_kernels_v3{&v3::choose_sweep, &v3::choose_rows};

}  // namespace idealrank
