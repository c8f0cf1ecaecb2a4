// One run of a command: starts it, reads its output, waits for its end. Processes that it leaves in the
// background are not waited for.
#pragma once

#include <string>
#include <vector>

#include "kernels/command/report.hpp"

namespace kernsweep::command {

class ProcessRun {
 public:
  // `program`: the file to start; `words`: its arguments, the first one its name.
  ProcessRun(std::string program, std::vector<std::string> words);
  ProcessRun(const ProcessRun&) = delete;
  ProcessRun& operator=(const ProcessRun&) = delete;

  // Starts the program with stdin from /dev/null and waits for its end. stdout goes to `report`, stderr to
  // this process's stderr. Returns an empty text if it ended with status 0, otherwise the reason with its
  // last line on stderr. At SIGQUIT it writes the program's last lines to this process's stderr. If the
  // program or this process was stopped and continued meanwhile, it runs again.
  const std::string& run(Report& report);
  // How much of its stderr is kept from now on, and the end of it in the last run.
  void keep_errors(std::size_t most) { kept_errors_ = most; }
  const std::string& errors() const { return said_; }
  // Seconds from before its start to after its end.
  double wall_s() const { return wall_s_; }
  // Seconds of the last run that the program was ready to compute and had no core; below 0: not known, for
  // example if it had several threads or started other processes.
  double waited_s() const { return waited_s_; }

 private:
  void run_once(Report& report);
  bool begin(int out, int errors, int& pid);
  void read_until_end(int pid, int out, int errors, Report& report);
  void say_last_lines(const Report& report) const;
  int wait_for(int pid);
  void end_with(int status);

  std::string program_;
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  std::string said_;  // the last part of its stderr
  std::size_t kept_errors_ = 4 << 10;
  std::string failure_;
  bool was_stopped_ = false;  // in the last run: the program, or this process
  bool prints_much_ = false;  // whether the last run did: more than the system's pipes hold
  double wall_s_ = 0;
  double waited_s_ = -1;
};

}  // namespace kernsweep::command
