// Which results ran the same bytes in the same way, although different commands of the sweep built them:
// their built files have the same content, and whatever else affects a run (the command, the environment,
// threads) is equal. They are one setting, and none of them is faster than another.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "results/read/reader.hpp"

namespace kernsweep {

class SameBuilds {
 public:
  SameBuilds() = default;  // nothing was built
  // Reads the sweep once more, if it has builds. Error: the database cannot be read.
  static Result<SameBuilds> of(Reader& reader, const StoredSweep& sweep);
  // A number for what the result ran; equal numbers mean equal runs, in all databases. 0: it ran nothing
  // that was built.
  std::uint64_t run_of(std::uint64_t result) const;
  bool empty() const { return runs_.empty(); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> runs_;  // by result
};

// Whether both results ran the same built file in the same way.
bool is_same_run(const SameBuilds& a, std::uint64_t result_a, const SameBuilds& b, std::uint64_t result_b);

}  // namespace kernsweep
