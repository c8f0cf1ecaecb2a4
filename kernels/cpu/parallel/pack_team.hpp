// Threads and libraries for a variant in C++ (kernels/api/pack.hpp): with what they need, or Refused.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/parallel/tbb.hpp"

namespace kernsweep {

// Calls make(status, why), which gives a pointer, or null and the reason. Error: Refused with it.
template <class Make>
auto made(Make&& make) {
  char reason[512] = "";
  ks_status status = KS_OK;
  auto out = make(status, ks_why{reason, sizeof reason});
  if (out == nullptr) throw pack::Refused(status, reason);
  return out;
}

inline std::unique_ptr<Team> team_of(const pack::Setup& setup) {
  return made([&](ks_status& status, ks_why why) { return Team::make(setup.threads(), status, why); });
}

// Calls body(part) for each part, on the threads of the team. Error: Refused.
template <class Body>
void on_each(Team& team, std::int64_t parts, const Body& body) {
  if (team.each(parts, body) != KS_OK) throw pack::Refused(KS_FAILED, "oneTBB could not run the threads");
}

}  // namespace kernsweep
