#include "idealrank/pairs/pair_boxes_kernel.hpp"
#include "idealrank/pairs/pair_choice_kernel.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/score_boxes_kernel.hpp"
#include "idealrank/pairs/short_places_kernel.hpp"
#include "idealrank/pairs/smoothed_pairs_kernel.hpp"

namespace idealrank {

extern const PairKernels pair_kernels_base{&base::choose_sweep, &base::choose_distance_sweep, &base::find_decays,
                                           &base::choose_rows, &base::sum_smoothed_pairs, &base::count_places,
                                           &base::deposit_in_boxes, &base::evaluate_in_boxes, &base::act_on_boxes};

}  // namespace idealrank
