#include "kernels/cpu/libraries/params.hpp"

#include "kernels/api/pack_params.hpp"

namespace kernsweep {

ks_status refuse(ks_status status, ks_why why, std::string_view reason) {
  pack::detail::say(why, reason);
  return status;
}

}  // namespace kernsweep
