// A kernel that does nothing: a sweep of it shows the cost of Kernsweep per job.
//
// Every parameter is accepted, so any sweep file becomes a dry run if its family is replaced. There is no
// input, no reference and no output element.
#include "kernels/api/pack.hpp"

namespace kernsweep::pack {

struct Anything {
  static std::vector<Param<Anything>> params() { return {}; }
};

struct Noop {
  Noop(const Anything&, Setup&) {}
  void run() const {}
};

}  // namespace kernsweep::pack

KERNSWEEP_PACK("noop", KERNSWEEP_PACK_VERSION,
               family<Anything>("noop", "nothing: measures what a job costs", {.any_params = true},
                                variant<Noop>("noop", "returns at once")))
