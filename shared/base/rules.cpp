#include "shared/base/rules.hpp"

namespace kernsweep {

std::string unkept_distrust(const VerifyRules& rules, bool cold) {
  if (!rules.distrust) return "";
  if (!rules.enabled) return "verification is switched off; leave out `verify: false`";
  if (rules.reference.kind == ReferenceKind::file)
    return "a file has the output of one input, and each call has another one; name a variant, a command "
           "or a "
           "function as the reference";
  if (cold)
    return "the content of operands is written before each call, so the caches cannot be cold; leave out "
           "`measure.cache: cold`";
  return "";
}

}  // namespace kernsweep
