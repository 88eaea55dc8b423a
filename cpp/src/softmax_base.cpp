#include "idealrank/sigmoid/softmax.hpp"
#include "idealrank/sigmoid/softmax_kernel.hpp"

namespace idealrank {

extern const SoftmaxKernels softmax_kernels_base{&base::add_softmax, &base::finish_softmax};

}  // namespace idealrank
