// The threads of a variant in C++ (kernels/api/pack.hpp), or Refused.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cpu/libraries/pack_settings.hpp"
#include "kernels/cpu/parallel/tbb.hpp"

namespace kernsweep {

// Refused: the system gives no threads.
inline std::unique_ptr<Team> team_of(const pack::Setup& setup) {
  return made([&](ks_status& status, ks_why why) { return Team::make(setup.threads(), status, why); });
}

// Calls body(part) for each part, on the threads of the team. Error: Refused.
template <class Body>
void on_each(Team& team, std::int64_t parts, const Body& body) {
  if (team.each(parts, body) != KS_OK) throw pack::Refused(KS_FAILED, "oneTBB could not run the threads");
}

}  // namespace kernsweep
