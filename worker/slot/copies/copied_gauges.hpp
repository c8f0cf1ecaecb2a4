// The gauges of a job with several copies: the load of the other copies is the job's own, and a disturbance
// of one of them disturbs the round.
#pragma once

#include <memory>
#include <vector>

#include "worker/slot/copies/round_board.hpp"
#include "worker/slot/watch/gauges.hpp"

namespace kernsweep {

// `of_this`: of the first copy, with the cores of all. `board` and the processes must outlive it.
std::unique_ptr<Gauges> gauges_of_copies(std::unique_ptr<Gauges> of_this, const RoundBoard& board,
                                         std::vector<int> processes);

}  // namespace kernsweep
