#include "idealrank/pairs/pair_boxes_kernel.hpp"
#include "idealrank/pairs/pair_choice_kernel.hpp"
#include "idealrank/pairs/pair_kernels.hpp"
#include "idealrank/pairs/score_boxes_kernel.hpp"
#include "idealrank/pairs/short_places_kernel.hpp"
#include "idealrank/pairs/smoothed_pairs_kernel.hpp"

namespace idealrank {

extern const PairKernels pair_kernels_v3{&v3::choose_sweep, &v3::choose_distance_sweep, &v3::find_decays,
                                         &v3::choose_rows, &v3::sum_smoothed_pairs, &v3::count_places,
                                         &v3::deposit_in_boxes, &v3::evaluate_in_boxes, &v3::act_on_boxes};

}  // namespace idealrank
