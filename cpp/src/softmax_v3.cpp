#include "idealrank/sigmoid/softmax.hpp"
#include "idealrank/sigmoid/softmax_kernel.hpp"

namespace idealrank {

extern const SoftmaxKernels softmax_kernels_v3{&v3::survey_softmax, &v3::add_softmax<false>, &v3::add_softmax<true>,
                                             &v3::finish_softmax};

}  // namespace idealrank
