// Whether what an earlier sweep has measured would be measured again in the same way: by the same host,
// with the same software. Where a coordinator cannot know (its workers have not come yet, or work
// elsewhere), the version of Kernsweep alone decides.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "results/store.hpp"
#include "shared/library_lines.hpp"

namespace kernsweep::coordination {

class ReuseRule {
 public:
  // `fingerprint` of the one host that will measure, which is this machine; empty: not known. `version`: of
  // the software that will measure.
  ReuseRule(std::string fingerprint, std::string version)
      : fingerprint_(std::move(fingerprint)), version_(std::move(version)) {}

  // Reads the files that `by` names to see whether they are still the same, each once.
  bool allows(const MeasuredBy& by);

 private:
  bool unchanged(const LibraryLine& library);

  std::string fingerprint_, version_;
  std::map<std::string, std::string, std::less<>> contents_;  // of files, by path; empty: cannot be read
};

}  // namespace kernsweep::coordination
