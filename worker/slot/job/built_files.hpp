// The paths of built files, in a job's commands and among the parameters of its function.
#pragma once

#include <string>

namespace kernsweep {

namespace wire {
class Built;
class JobBody;
class Plan;
}  // namespace wire

// Puts the paths of `body.built` into the commands or parameters of the job, and into those of a reference
// that is another setting.
void fill_in_builds(const wire::Plan& plan, wire::JobBody& body);

// The build of the job's own commands; null: it has none.
const wire::Built* own_build(const wire::Plan& plan, const wire::JobBody& body);

}  // namespace kernsweep
