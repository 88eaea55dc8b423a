#include "idealrank/sigmoid/sigmoid_sums.hpp"
#include "idealrank/sigmoid/sigmoid_sums_kernel.hpp"

namespace idealrank {

extern const SigmoidSums sigmoid_sums_base{&base::sigmoid_sums_of_list, &base::log_sigmoid_sums_of_list};

}  // namespace idealrank
