#include "idealrank/sigmoid/approx_ndcg.hpp"
#include "idealrank/sigmoid/approx_ndcg_kernel.hpp"

namespace idealrank {

extern const ApproxNdcg approx_ndcg_v3{&v3::approx_ndcg_of_list, &v3::log_discounts};

}  // namespace idealrank
