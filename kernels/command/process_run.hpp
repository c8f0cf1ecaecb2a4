// One run of a command: started, read from, waited for. It ends when its process ends; what it leaves in
// the background is not waited for.
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

  // Starts it with stdin from /dev/null and waits for its end. stdout goes to `report`, stderr to this
  // process's stderr. Empty: it ended with status 0. Else what went wrong, with its last line on stderr.
  const std::string& run(Report& report);
  // From before its start to after its end.
  double wall_s() const { return wall_s_; }

 private:
  bool begin(int out, int errors, int& pid);
  void read_until_end(int pid, int out, int errors, Report& report);
  void end_with(int status);

  std::string program_;
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  std::string said_;  // the end of its stderr
  std::string failure_;
  double wall_s_ = 0;
};

}  // namespace kernsweep::command
