// A process that runs foreign code, from the view of the slot: started with only a pack's path, isolated
// before it loads the pack, stopped (SIGSTOP) whenever it has no task.
//
// While it is stopped the slot may change shared memory and read the memory of the process. Its clock is
// not used: a task begins when the process is continued, and ends when its answer arrives, by the slot's
// clock.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/isolated.pb.h"
#include "worker/slot/isolated/temporary_folder.hpp"

namespace kernsweep {

// Size limit of one message between the two.
inline constexpr std::size_t kIsolatedMessageMax = std::size_t{1} << 20;
inline constexpr std::size_t kIsolatedDescriptorsMax = 16;

class IsolatedProcess {
 public:
  // Starts `kernsweep-slot --isolated` with the environment and the cores of this process, which loads the
  // pack. The process ends with the object, with all processes that it has started. Error: it cannot be
  // isolated, the pack cannot be loaded or has no such family. `readable`: further files that it may read.
  static Result<std::unique_ptr<IsolatedProcess>> start(const std::string& pack, const std::string& family,
                                                        const std::vector<std::string>& readable = {});
  ~IsolatedProcess();
  IsolatedProcess(const IsolatedProcess&) = delete;
  IsolatedProcess& operator=(const IsolatedProcess&) = delete;

  const wire::IsolatedFamily& family() const { return family_; }
  // "Landlock 7, seccomp, namespaces of users, processes, IPC and the network".
  const std::string& isolation() const { return isolation_; }
  pid_t pid() const { return pid_; }

  // Sends a task and waits for its answer; then the process is stopped. `descriptors` are duplicated for
  // it. The time is from the moment in which the process is continued until all of its threads are stopped
  // again. Error: it has ended ("was killed by SIGSEGV"), or its answer is invalid.
  Result<wire::IsolatedAnswer> ask(wire::IsolatedTask& task, const std::vector<int>& descriptors = {});
  Duration took() const { return took_; }              // the last task
  bool was_killed() const { return killed_by_ != 0; }  // by another signal than SIGKILL

  // Reads its memory while it is stopped. Error: it has none at this address.
  Status read(std::uint64_t address, void* out, std::size_t bytes) const;

 private:
  IsolatedProcess() = default;
  Status launch(const std::string& pack);
  Status stop();
  Error how_it_ended();

  TemporaryFolder folder_{"kernsweep-isolated-"};
  pid_t pid_ = -1;
  int socket_ = -1;
  bool own_processes_ = false;
  int killed_by_ = 0;
  double stopped_at_cpu_s_ = 0;  // its processor time when it was stopped
  Duration took_{};
  std::string isolation_, buffer_;
  wire::IsolatedFamily family_;
};

}  // namespace kernsweep
