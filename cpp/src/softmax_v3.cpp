#include "idealrank/sigmoid/softmax.hpp"
#include "idealrank/sigmoid/softmax_kernel.hpp"

namespace idealrank {

extern const SoftmaxKernels softmax_kernels_v3{&v3::add_softmax, &v3::finish_softmax};

}  // namespace idealrank
