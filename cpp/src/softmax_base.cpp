#include "idealrank/sigmoid/softmax.hpp"
#include "idealrank/sigmoid/softmax_kernel.hpp"

namespace idealrank {

extern const SoftmaxKernels softmax_kernels_base{&base::survey_softmax, &base::add_softmax<false>, &base::add_softmax<true>,
                                             &base::finish_softmax};

}  // namespace idealrank
