#include "idealrank/pair_choice_kernel.hpp"

namespace idealrank {

const PairKernels pair_kernels_base{&base::choose_sweep, &base::choose_rows};

}  // namespace idealrank
