#include "idealrank/pair_sweep_choice.hpp"

namespace idealrank {

const PairSweeps pair_sweeps_v3{&v3::choose_pair_sweep};

}  // namespace idealrank
