// One host of `kernsweep ssh`: the commands that run on it through ssh. Blocking; each host has a thread.
//
// Files on the host, below ~/.cache/kernsweep: <version>/<hash of the package>/ has the program. It is
// installed by one rename, so it is complete or missing, and a running program is never overwritten.
// join/<name>, mode 0600, is the join file; it is removed when the worker has ended.
//
// The worker ends with its ssh session. A shell on the host waits for the end of the session's stdin, which
// carries no data. It ends if `lifeline` is closed, this process ends or the connection breaks; then the
// worker gets SIGTERM, and SIGKILL 20 s later. Otherwise it would continue, because sshd does not end
// processes.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/launch/ssh_hosts.hpp"
#include "cli/launch/ssh_package.hpp"
#include "cli/program.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct SshTask {
  SshPackage package;
  std::string version;
  std::string join_file;                    // path on this machine
  std::vector<std::string> worker_options;  // for all hosts; those of the host follow them
  std::string tag;                          // unique text in the names of files on the hosts
  int lifeline = -1;                        // read end of a pipe; owned by the caller
};

class SshSession {
 public:
  SshSession(const SshHost& host, std::size_t number) : host_(host), number_(number) {}

  // Copies the join file and, if it is missing, the package. Error: the last lines of the host or ssh, also
  // if its shell ends with status 0 without having run the command.
  Status prepare(const SshTask& task);
  // Runs the worker until it ends. Requires prepare(). Error: its exit status was not 0, or the
  // shell of the host ended before it.
  Status work(const SshTask& task);
  // Both may be called from another thread. leave(): stops the preparation; a running worker is not stopped
  // by this, but by the lifeline.
  void leave();
  void abandon();  // ends the ssh process in any state

  const SshHost& host() const { return host_; }

 private:
  // Runs `script` with the POSIX shell of the host, for any login shell. `input`: descriptor of its stdin.
  Result<ProgramEnding> say(const std::string& script, const std::vector<std::string>& words, int input);
  Status send_package(const SshTask& task);
  std::string join_name(const SshTask& task) const;

  SshHost host_;
  std::size_t number_;
  Program program_;
  std::atomic<bool> working_ = false, left_ = false;
};

// The command line of ssh for a host, without the remote command.
std::vector<std::string> ssh_words(const SshHost& host);

}  // namespace kernsweep
