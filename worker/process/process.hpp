// Starts and watches child processes. Linux: pidfd, parent-death signal, affinity before exec.
//
// A child gets only the environment, the cores and the descriptors of its Launch. It leads its own process
// group: Ctrl-C on the terminal does not reach it, and kill_group() also ends the processes that it has
// started. It leaves no core file. With `dies_with_parent` it is killed when its parent ends, and is the
// first process that the kernel kills when memory runs out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// Exit status of a child that could not be bound to its cores, get its descriptors, or execute its program.
constexpr int kCannotExecute = 127;

struct Launch {
  std::string program;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::uint32_t> cpus;       // empty: not bound
  std::optional<std::string> setup;      // readable by the child on descriptor 3
  int board = -1;                        // descriptor 4 of the child, with `setup` only; not closed here
  bool capture_output = false;           // stdout goes to output(); otherwise to the same place as stderr
  bool inherit_errors = false;           // the child writes to our stderr; errors() is -1
  bool dies_with_parent = true;
  std::uint64_t data_bytes_max = 0;  // private memory (RLIMIT_DATA); 0: no limit
};

// Owns its descriptors: the destructor closes them, and does not kill the process.
class Child {
 public:
  Child(pid_t pid, int exited, int errors, int output);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  int exited() const { return exited_; }  // a descriptor that becomes readable when the process ends
  int errors() const { return errors_; }  // its stderr, non-blocking; -1: inherited
  int output() const { return output_; }  // its stdout; -1: not captured

  void kill_group() const;  // SIGKILL
  // Sends SIGQUIT to the process: if it handles it, it writes its state to stderr; otherwise it ends.
  void ask_what_it_does() const;
  bool group_is_gone() const;

  struct Ending {
    bool signalled = false;
    int number = 0;  // of the signal, or the exit status
  };
  // How the process ended; returned once. Nothing while it is running.
  std::optional<Ending> reap();

 private:
  pid_t pid_ = -1;
  int exited_ = -1;
  int errors_ = -1;
  int output_ = -1;
};

// Error: no process could be made (limits, memory), with the system's reason. A program that cannot be
// executed is not an error here: the child exits with kCannotExecute.
Result<Child> launch(const Launch& launch);

// "killed by SIGSEGV (segmentation fault)", "exited with status 3".
std::string describe(const Child::Ending& ending);

}  // namespace kernsweep
