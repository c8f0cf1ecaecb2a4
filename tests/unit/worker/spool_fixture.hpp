// Shared by tests of the spool: small outcomes, and a temporary folder.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "shared/wire/convert.hpp"
#include "worker/spool/spool_record.hpp"

namespace kernsweep {

inline AttemptId attempt_of(std::uint64_t index, std::uint32_t number = 1) {
  return {{SweepId{3}, index, 0}, number};
}

inline wire::Outcome outcome_of(std::uint64_t index, const std::string& body) {
  wire::Outcome outcome;
  encode(attempt_of(index), *outcome.mutable_attempt());
  outcome.set_outcome(1);
  outcome.set_body(body);
  return outcome;
}

inline wire::Software software_of(const std::string& identity) {
  wire::Software software;
  software.set_identity(identity);
  software.set_version("1.2.3");
  return software;
}

class SpoolHome {
 public:
  SpoolHome() {
    std::string name = (std::filesystem::temp_directory_path() / "kernsweep-spool-XXXXXX").string();
    if (mkdtemp(name.data())) folder_ = name;
  }
  ~SpoolHome() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  SpoolHome(const SpoolHome&) = delete;
  SpoolHome& operator=(const SpoolHome&) = delete;

  const std::string& folder() const { return folder_; }
  std::vector<std::string> files(const std::string& ending) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
    }
    return found;
  }

 private:
  std::string folder_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace kernsweep
