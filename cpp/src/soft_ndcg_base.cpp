#include "idealrank/sigmoid/soft_ndcg.hpp"
#include "idealrank/sigmoid/soft_ndcg_kernel.hpp"

namespace idealrank {

extern const SoftKernels soft_kernels_base{&base::expected_dcg<false>, &base::expected_dcg<true>};

}  // namespace idealrank
