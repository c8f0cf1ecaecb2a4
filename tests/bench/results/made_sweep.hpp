// A sweep with eight columns and plausible numbers, made from job indices; what the benchmarks store and
// ask.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "results/store/store.hpp"

namespace kernsweep::bench {

// A folder of its own below the system's temporary one, gone with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class MadeSweep {
 public:
  explicit MadeSweep(Store& store);
  // Valid until the next call.
  const AttemptRecord& attempt(std::uint64_t job);

 private:
  AttemptRecord record_;
  std::vector<Value> values_;
  std::array<double, 2> samples_{};
};

// A new database with one finished sweep "made" of so many jobs. False: it could not be written.
bool make_jobs(const std::string& file, std::uint64_t count);

inline constexpr std::uint64_t kMillion = 1'000'000;
// A folder with million.db: a million jobs. Made once.
const Folder& million_jobs();

}  // namespace kernsweep::bench
