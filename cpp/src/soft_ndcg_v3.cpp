#include "idealrank/sigmoid/soft_ndcg.hpp"
#include "idealrank/sigmoid/soft_ndcg_kernel.hpp"

namespace idealrank {

extern const SoftKernels soft_kernels_v3{&v3::expected_dcg<false>, &v3::expected_dcg<true>};

}  // namespace idealrank
