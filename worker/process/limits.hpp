// What a worker was told to keep to: its share of the machine, its tags, and which kinds of kernels a
// coordinator may have it run. All of it is read from text, and every refusal says what to write instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

namespace wire {
class SlotKey;
}

using Facts = std::map<std::string, Value>;

// "8GiB", "500MB", "1073741824" or "50%" of `machine_bytes`. Error: not so written, no whole byte, or more
// than the machine has.
Result<std::uint64_t> memory_of(const std::string& text, std::uint64_t machine_bytes);

// "name=value" each: facts that `requires` of a sweep may ask for as host.name; what looks like a number is
// one. Error: not so written, a name twice, or one that is a fact of every host already.
Status add_tags(const std::vector<std::string>& tags, Facts& facts);

// Kinds of kernels, as HostFacts.allow names them.
const std::vector<std::string>& kernel_kinds();
// "packs,command" -> both, in the order of kernel_kinds(). Error: another word, or none.
Result<std::vector<std::string>> allowed_kinds(const std::string& text);

// Why a slot for this key is not started by a worker that runs only `allowed` kinds; nothing: it may be.
// An empty list allows all. A worker that may run no commands also takes no environment variables through
// which a program or a library of the sweep's choice would get into the process: LD_PRELOAD and its like.
std::optional<std::string> forbidden(const std::vector<std::string>& allowed, const wire::SlotKey& key);

}  // namespace kernsweep
