// The system calls that an isolated process must not make. Private to the folder.
#pragma once

namespace kernsweep {

// Forbids them to this process and to all processes that it starts; such a call fails with EPERM (EACCES
// for sockets, ENOSYS for clone3, so that callers fall back to clone). Requires no_new_privs. Returns 0 or
// an errno. `own_processes`, `may_group`: IsolationRules.
int forbid_system_calls(bool own_processes, bool may_group);

}  // namespace kernsweep
