#include "idealrank/sigmoid/approx_ndcg.hpp"
#include "idealrank/sigmoid/approx_ndcg_kernel.hpp"

namespace idealrank {

extern const ApproxNdcg approx_ndcg_base{&base::approx_ndcg_of_list, &base::log_discounts};

}  // namespace idealrank
