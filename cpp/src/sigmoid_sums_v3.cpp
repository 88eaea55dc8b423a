#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sigmoid/sigmoid_sums_kernel.hpp"

namespace idealrank {

extern const SigmoidSums sigmoid_sums_v3{&v3::sigmoid_sums_of_list, &v3::log_sigmoid_sums_of_list};

}  // namespace idealrank
