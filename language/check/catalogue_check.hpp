// Checks a sweep against what hosts can run: names of kernels, variants and parameters, and allowed values.
#pragma once

#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

// Checks the values of the axes, not each point: the host decides whether a variant can run a point. These
// columns need no parameter: variant, threads, device, gpus, env.*, input.*, label, count, derived ones.
// Other columns must be a parameter of the family or of a swept variant. A sweep with `command` or `python`
// needs the family of that name. Errors: an unknown kernel, variant or parameter, with place and "did you
// mean"; a family of several variants without a column that chooses one; a variant for GPUs without
// `device` or `gpus`; a value outside a parameter's choices, which are those of all swept variants that
// have a parameter of that name; a required parameter without a column; a value of a kind that its
// parameter does not accept (language/check/kind_check.hpp).
Status check_against(const Sweep& sweep, const Expansion& expansion, const Catalogue& catalogue);

// Whether the sweep can be checked with the catalogue of this host: it has the family, and a variant for
// GPUs if the sweep uses GPUs. If not, another host may be able to run it.
bool can_judge(const Expansion& expansion, const Catalogue& catalogue);

}  // namespace kernsweep
