// Builds at the same time, each on a thread of its own. No function waits; the destructor ends running
// builds. For one thread, which polls descriptors().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/answering_thread.hpp"
#include "worker/builds/builder.hpp"

namespace kernsweep {

struct BuildDone {
  std::uint32_t number = 0;  // the argument of begin()
  BuildAnswer answer;
};

class BuildLanes {
 public:
  // `host`: as for Builder.
  explicit BuildLanes(std::string host);
  ~BuildLanes();
  BuildLanes(const BuildLanes&) = delete;
  BuildLanes& operator=(const BuildLanes&) = delete;

  // Answered by exactly one BuildDone. `task.interrupted` is set here.
  void begin(std::uint32_t number, BuildTask task);
  void end(std::uint32_t number);  // if it runs
  std::vector<BuildDone> take();
  bool any_runs() const;
  std::vector<int> descriptors() const;  // readable while take() has something

 private:
  struct Lane;
  Result<Lane*> free_lane();

  const std::string host_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<BuildDone> failed_;  // for which no thread could be started
};

}  // namespace kernsweep
