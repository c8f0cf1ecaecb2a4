// One host of `kernsweep ssh`: what is said to it through ssh, in order. Blocking; a thread for each.
//
// On the host, below ~/.cache/kernsweep: <version>/<hash of the package>/ for the program, made in one
// rename, so that it is whole or not there and a running one is never overwritten; join/<name>, mode 0600,
// for the join file, gone when the worker has ended.
//
// The worker lives as long as its ssh session. Its shell reads the session's stdin, which carries nothing:
// the end of it (we have closed `lifeline`, we have died, the connection has) is SIGTERM to the worker, and
// SIGKILL 20 s later. Without that it would outlive the session, as sshd ends no process by itself.
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
  std::string join_file;                    // here
  std::vector<std::string> worker_options;  // for all hosts; the host's own come after them
  std::string tag;                          // of this call, in the names of files there
  int lifeline = -1;                        // the read end of a pipe
};

class SshSession {
 public:
  SshSession(const SshHost& host, std::size_t number) : host_(host), number_(number) {}

  // Brings the join file and, where it is missing, the package. Error: what the host or ssh said at last.
  Status prepare(const SshTask& task);
  // Runs the worker to its end; after prepare(). Error: it ended with another status than 0.
  Status work(const SshTask& task);
  // Both from another thread. leave: gives up what is not yet a worker at work; that one ends by the
  // lifeline.
  void leave();
  void abandon();  // ends ssh itself, whatever it does

  const SshHost& host() const { return host_; }

 private:
  // `script` for the POSIX shell of the host, whatever the login shell is.
  Result<ProgramEnding> say(const std::string& script, const std::vector<std::string>& words, int input);
  Status send_package(const SshTask& task);
  std::string join_name(const SshTask& task) const;

  SshHost host_;
  std::size_t number_;
  Program program_;
  std::atomic<bool> working_ = false, left_ = false;
};

// The words of ssh for a host, before the command.
std::vector<std::string> ssh_words(const SshHost& host);

}  // namespace kernsweep
