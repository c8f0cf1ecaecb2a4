// Which rows of `software` may be held against each other as one: of a library that both have loaded, both
// have the same content. One that only one of them has loaded (a scalable allocator that comes with the
// second thread, a BLAS that only one variant opens) makes no difference: that follows from the parameters,
// which are held equal anyway.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/reader.hpp"

namespace kernsweep {

struct SoftwareTexts {
  std::int64_t id = 0;
  std::string build;      // all that is ours: version, state of the sources, compiler, flags, pack
  std::string libraries;  // as SoftwareRecord::libraries
};

// To each id the smallest id of its class. A software joins the first class with all of whose members it
// agrees. Pure.
std::map<std::int64_t, std::int64_t> software_classes(const std::vector<SoftwareTexts>& all);

// Those of the database. Error: it cannot be read.
Result<std::map<std::int64_t, std::int64_t>> software_classes(Reader& reader);

}  // namespace kernsweep
