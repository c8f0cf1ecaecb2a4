#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shared/text/number_text.hpp"
#include "worker/slot/isolated/confined_build.hpp"
#include "worker/slot/isolated/isolation.hpp"

namespace kernsweep {
namespace {

bool write_to(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return done;
}

// As root directly; otherwise with a namespace of users, in which the user keeps its number.
bool leave_network_and_processes() {
  if (unshare(CLONE_NEWNET | CLONE_NEWPID) == 0) return true;
  const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID) != 0) return false;
  write_to("/proc/self/setgroups", "deny");
  return write_to("/proc/self/uid_map", user + " " + user + " 1") &&
         write_to("/proc/self/gid_map", group + " " + group + " 1");
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  std::vector<std::string> kept = words;
  std::vector<char*> argv;
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr, "%s: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

int run_confined_build(const std::vector<std::string>& words) {
  constexpr std::size_t kFirst = 2;
  const auto bytes = words.size() > kFirst ? number_of<std::uint64_t>(words[1]) : std::nullopt;
  if (!bytes) return 2;
  const std::string& folder = words[0];
  const std::string unconfined = folder + "/unconfined";
  mkdir((folder + "/tmp").c_str(), 0700);
  const rlimit size{*bytes, *bytes};
  setrlimit(RLIMIT_FSIZE, &size);
  const bool apart = leave_network_and_processes();
  if (!apart)
    write_to(unconfined.c_str(), "the build could use the network: this system permits no namespaces\n");
  if (const auto refused = confine_writes(folder))
    write_to(unconfined.c_str(), "the build could write anywhere: " + *refused + "\n");
  const std::vector<std::string> command(words.begin() + kFirst, words.end());
  if (!apart) become(command);
  const pid_t child = fork();  // the first of its namespace: processes that it starts end with it
  if (child < 0) {
    std::fprintf(stderr, "no process can be started: %s\n", std::strerror(errno));
    return 1;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    become(command);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace kernsweep
