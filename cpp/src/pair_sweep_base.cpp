#include "idealrank/pair_sweep_choice.hpp"

namespace idealrank {

const PairSweeps pair_sweeps_base{&base::choose_pair_sweep};

}  // namespace idealrank
