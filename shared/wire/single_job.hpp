// One complete job as one line of JSON that a person can read, copy and edit: `kernsweep repro` prints it
// and `kernsweep-slot --once` measures it.
//
//   {"family":"gemm","seed":1,"threads":2,"cache":"hot","values":{"variant":"blas","m":768,"n":768,"k":768},
//    "environment":{"OPENBLAS_CORETYPE":"Haswell"},"measure":{"samples":{"min":10}},"verify":{"repeat":2}}
//
// Keys within `measure`, `verify` and `timeout` are those of a sweep file, and so are their words and
// durations; shares are numbers. A key that is left out has its default (shared/base/rules.hpp); only
// `family` is required.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

struct SingleJob {
  std::string pack;  // path of its shared object; empty: the first pack that has the family
  std::string family;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  // of each copy
  std::uint32_t copies = 0;   // at the same time; 0: one, and the result does not name copies
  Cache cache = Cache::hot;
  std::uint32_t process = 0;  // index among the processes of its point; changes nothing
  // By column, in the order of the sweep, without null, `threads`, `copies`, `env.NAME` and derived
  // columns.
  std::vector<std::pair<std::string, Value>> values;
  std::map<std::string, std::string> environment;  // variables that the sweep sets
  std::string built;  // hash of the file {build} that the stored result ran; empty: not known
  Rules rules;        // without `retry` and `timeout.sweep`, which have their defaults
  std::uint64_t cores() const { return std::uint64_t{threads} * (copies > 0 ? copies : 1); }
  friend bool operator==(const SingleJob&, const SingleJob&) = default;
};

std::string text_of(const SingleJob& job);

// Errors, with the key: not JSON, no `family`, an unknown key (with "did you mean"), a value of another
// kind or out of its range, bounds that contradict each other.
Result<SingleJob> single_job_of(std::string_view text);

// The same as a tree, for answers that contain a job among other members.
struct JsonTree;
JsonTree tree_of(const SingleJob& job);

}  // namespace kernsweep
