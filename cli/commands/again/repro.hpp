// A stored job in the form in which it is measured again by hand, with `kernsweep-slot --once`.
#pragma once

#include <string>
#include <vector>

#include "cli/show/repro_line.hpp"
#include "results/read/reader.hpp"
#include "results/read/stored_job.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/single_job.hpp"

namespace kernsweep {

struct Repro {
  ReproLine line;
  SingleJob job;
  StoredJob stored;
  std::string label, reason;  // of the point; why the stored job has no result
  std::vector<std::string> notes;
};

// `which` as for stored_point(). Errors: those of stored_point(); no pack here has the family; the machine
// cannot be read. Differences from the stored run are in `notes`.
Result<Repro> repro_of(Reader& reader, const std::string& which);

}  // namespace kernsweep
