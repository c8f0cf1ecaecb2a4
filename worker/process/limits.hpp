// Options that limit a worker: its share of the memory, its tags, and the kinds of kernels that it runs.
// All are read from text; every error message has the valid forms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

namespace wire {
class SlotKey;
}

using Facts = std::map<std::string, Value>;

// "8GiB", "500MB", "1073741824" or "50%" of `machine_bytes`. Error: another form, not a whole number of
// bytes, zero, or more than the machine has.
Result<std::uint64_t> memory_of(const std::string& text, std::uint64_t machine_bytes);

// Each is "name=value": a fact that `requires` of a sweep may use as host.name. A value that looks like a
// number is one. Error: another form, a name given twice, or a name that every host has already.
Status add_tags(const std::vector<std::string>& tags, Facts& facts);

// Kinds of kernels, and `build`, as HostFacts.allow names them.
const std::vector<std::string>& kernel_kinds();
// "packs,command" -> both, in the order of kernel_kinds(). Error: another word, or none.
Result<std::vector<std::string>> allowed_kinds(const std::string& text);

// Why a worker that runs only `allowed` kinds must not start a slot for this key; nothing: it may. An empty
// list allows all. A worker that may not run commands also rejects environment variables that load a
// program or library of the sweep's choice into the process, such as LD_PRELOAD.
std::optional<std::string> forbidden(const std::vector<std::string>& allowed, const wire::SlotKey& key);
// The same for the verification of outputs: a command or a Python function is a kind, too.
std::optional<std::string> forbidden(const std::vector<std::string>& allowed, const VerifyRules& verify);
// The same for a job that needs a build.
std::optional<std::string> forbidden_build(const std::vector<std::string>& allowed);

}  // namespace kernsweep
