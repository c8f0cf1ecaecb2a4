// The command `ssh`: starts a worker on every host of a list, and without --join the coordinator here.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <thread>

#include "cli/commands/cluster/launch_options.hpp"
#include "cli/commands/run/checked_sweep.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/command_line.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/launch/ssh_session.hpp"
#include "cli/show/output.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/base/random_token.hpp"
#include "shared/base/stop_signal.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// A temporary folder; it is removed with this object.
class OwnFolder {
 public:
  OwnFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kernsweep-ssh-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  OwnFolder(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Removes the coordinator's key file and join files when it is destroyed; they are useless after the
// coordinator has ended. They are in the current folder, so that `kernsweep status` finds the client's one.
class CoordinatorFiles {
 public:
  explicit CoordinatorFiles(std::string base) : base_(std::move(base)) {}
  CoordinatorFiles(const CoordinatorFiles&) = delete;
  ~CoordinatorFiles() {
    std::error_code error;
    for (const char* end : {".join", ".client.join", ".keys"}) {
      if (!base_.empty()) std::filesystem::remove(base_ + end, error);
    }
  }
  std::string join() const { return base_ + ".join"; }

 private:
  std::string base_;  // empty: there are none
};

// Runs the coordinator and one ssh session per host, each in a thread. A thread that ends writes its number
// into the pipe `endings_`, which the main thread reads.
class SshLaunch {
 public:
  explicit SshLaunch(const std::vector<SshHost>& hosts) {
    for (const SshHost& host : hosts) sessions_.emplace_back(host, sessions_.size());
  }
  SshLaunch(const SshLaunch&) = delete;
  ~SshLaunch() {
    cut_lifeline();
    for (std::thread& thread : threads_) thread.join();
    for (const int end : {lifeline_[0], endings_[0], endings_[1]}) {
      if (end >= 0) close(end);
    }
  }
  // Must be called first. Error: the pipes cannot be created.
  Status open();

  // Starts the coordinator and waits for its join file. Error: it cannot be started, it ended before (it
  // has printed the reason), or a signal stopped the wait.
  Status coordinate(const std::vector<std::string>& words, const std::string& join);
  void start_workers(SshTask task);
  // Waits until all have ended. Returns the exit status of the command.
  int watch();

 private:
  static constexpr std::size_t kCoordinator = SIZE_MAX;

  void tell(std::size_t who) { (void)!write(endings_[1], &who, sizeof who); }
  void work(std::size_t number);
  void hear(std::size_t who);
  void obey_signal();
  void cut_lifeline() {
    if (lifeline_[1] >= 0) close(lifeline_[1]);
    lifeline_[1] = -1;
  }
  bool over() const { return coordinator_ended_ && hosts_ended_ == sessions_.size(); }

  StopSignal stop_;
  std::deque<SshSession> sessions_;
  std::vector<std::thread> threads_;
  std::deque<Status> outcomes_;  // of the sessions; written by the thread before it reports its end
  SshTask task_;
  Program coordinator_;
  bool coordinates_ = false, coordinator_ended_ = true, stopping_ = false;
  int coordinator_status_ = 0;
  std::size_t hosts_ended_ = 0, hosts_failed_ = 0;
  int lifeline_[2] = {-1, -1}, endings_[2] = {-1, -1};
};

Status SshLaunch::open() {
  if (pipe2(lifeline_, O_CLOEXEC) == 0 && pipe2(endings_, O_CLOEXEC) == 0) return Done{};
  return failure("no pipes for the hosts: " + std::string(std::strerror(errno)) + "; raise 'ulimit -n'");
}

Status SshLaunch::coordinate(const std::vector<std::string>& words, const std::string& join) {
  ProgramCall call{words};
  call.shown = true;
  KS_RETURN_IF_ERROR(coordinator_.start(call));
  coordinates_ = true;
  coordinator_ended_ = false;
  threads_.emplace_back([this] {
    coordinator_status_ = coordinator_.wait().status;
    tell(kCoordinator);
  });
  constexpr int kLookMs = 50;
  std::error_code error;
  while (!std::filesystem::exists(join, error)) {
    pollfd watched[] = {{endings_[0], POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    poll(watched, 2, kLookMs);
    if (watched[0].revents != 0) return failure("the coordinator ended before a host could join");
    if (watched[1].revents != 0) {
      coordinator_.signal(SIGTERM);
      return failure("stopped before a host could join");
    }
  }
  return Done{};
}

void SshLaunch::start_workers(SshTask task) {
  task_ = std::move(task);
  task_.lifeline = lifeline_[0];
  for (std::size_t i = 0; i < sessions_.size(); ++i) outcomes_.emplace_back(Done{});
  for (std::size_t i = 0; i < sessions_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
}

void SshLaunch::work(std::size_t number) {
  SshSession& session = sessions_[number];
  Status outcome = session.prepare(task_);
  if (outcome) {
    std::fprintf(stderr, "%s: the worker starts\n", session.host().text.c_str());
    outcome = session.work(task_);
  }
  outcomes_[number] = std::move(outcome);
  tell(number);
}

void SshLaunch::hear(std::size_t who) {
  if (who == kCoordinator) {
    coordinator_ended_ = true;
    return;
  }
  ++hosts_ended_;
  const std::string& name = sessions_[who].host().text;
  if (!outcomes_[who] && !stopping_) {
    ++hosts_failed_;
    complain(name + ": " + outcomes_[who].error().message);
  } else {
    std::fprintf(stderr, "%s: ended\n", name.c_str());
  }
  if (hosts_ended_ < sessions_.size() || coordinator_ended_) return;
  if (!stopping_) std::fprintf(stderr, "no host is left, so the coordinator stops\n");
  coordinator_.signal(SIGTERM);
}

void SshLaunch::obey_signal() {
  stop_.acknowledge();
  const bool again = stop_.count() > 1;
  if (!stopping_) std::fprintf(stderr, "stopping the workers; Ctrl-C again does not wait for them\n");
  stopping_ = true;
  cut_lifeline();
  coordinator_.signal(SIGTERM);
  for (SshSession& session : sessions_) again ? session.abandon() : session.leave();
}

int SshLaunch::watch() {
  constexpr int kPoliteMs = 5000;  // time for workers to end on their own after the coordinator
  while (!over()) {
    pollfd watched[] = {{endings_[0], POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    const bool hurry = coordinates_ && coordinator_ended_ && lifeline_[1] >= 0;
    if (poll(watched, 2, hurry ? kPoliteMs : -1) == 0) cut_lifeline();
    if (watched[1].revents != 0) obey_signal();
    std::size_t who = 0;
    if (watched[0].revents != 0 && read(endings_[0], &who, sizeof who) == sizeof who) hear(who);
  }
  if (coordinates_) return coordinator_status_;
  return hosts_failed_ > 0 ? kExitSomeWithout : 0;
}

class SshCommand : public Command {
 public:
  void declare(Options& to) override {
    launch_.declare(to);
    to.option("--hosts", hosts_file_, "File with a host per line").required();
    to.option("--package", package_,
              "Package for the hosts, a .tar.gz (default: made of this installation)");
  }
  int run(const Invocation& given) override;

 private:
  std::vector<std::string> coordinator_words(const Invocation& given, const std::string& join) const;
  Result<std::string> check_given() const;

  LaunchOptions launch_;
  std::string hosts_file_, package_;
};

std::vector<std::string> SshCommand::coordinator_words(const Invocation& given,
                                                       const std::string& join) const {
  std::vector<std::string> words = {program_path(), "coordinator", launch_.file};
  const auto replacements = words_of(launch_.replacements);
  words.insert(words.end(), replacements.begin(), replacements.end());
  words.insert(words.end(), {"--listen", launch_.listen, "--join", join});
  if (!launch_.database.empty()) words.insert(words.end(), {"--db", launch_.database});
  words.insert(words.end(), {"--to-go-on", command_to_go_on(given.words)});
  return words;
}

// Checks all arguments before anything is started. Returns the name of the sweep; with --join it is empty.
Result<std::string> SshCommand::check_given() const {
  const std::string& join = launch_.join;
  if (launch_.file.empty() == join.empty())
    return failure(
        "give either a sweep file, such as sweeps/first_look.yaml, or --join FILE for workers alone");
  if (!find_program("ssh")) return failure("there is no ssh on this machine; install openssh-client");
  if (!join.empty()) {
    if (access(join.c_str(), R_OK) == 0) return "";
    return failure("cannot read the join file " + join + ": " + std::strerror(errno) +
                   "; 'kernsweep coordinator FILE --listen tcp://*:7777' makes one");
  }
  KS_ASSIGN_OR_RETURN(const auto sweep, checked_sweep(launch_.file, launch_.replacements));
  return sweep.sweep().name;
}

int SshCommand::run(const Invocation& given) {
  const auto sweep = check_given();
  if (!sweep) return report_error(sweep.error().message);
  const auto hosts = read_hosts(hosts_file_);
  if (!hosts) return report_error(hosts.error().message);
  const OwnFolder own;
  if (own.path().empty()) return report_error("cannot make a folder for temporary files; set TMPDIR");
  const auto package = package_for_hosts(package_, own.path());
  if (!package) return report_error(package.error().message);

  const CoordinatorFiles files(sweep->empty() ? "" : *sweep + "-" + std::to_string(getpid()));
  SshTask task;
  task.package = *package;
  task.version = version_text();
  task.join_file = launch_.join.empty() ? files.join() : launch_.join;
  task.tag = digest_of(random_token()).hex().substr(0, 12);
  task.worker_options = launch_.worker_words();
  for (const SshHost& host : *hosts) {
    std::vector<std::string> all = task.worker_options;
    all.insert(all.end(), host.worker_options.begin(), host.worker_options.end());
    if (const Status good = check_worker_options(all); !good)
      return report_error(host.text + ": " + good.error().message);
  }
  if (const Status ready = StopSignal::prepare(); !ready) return report_error(ready.error().message);
  SshLaunch launch(*hosts);
  if (const Status opened = launch.open(); !opened) return report_error(opened.error().message);
  if (launch_.join.empty()) {
    const Status started = launch.coordinate(coordinator_words(given, task.join_file), task.join_file);
    if (!started) return report_error(started.error().message);
  }
  launch.start_workers(std::move(task));
  return launch.watch();
}

}  // namespace

CommandEntry ssh_command() {
  return {"ssh", "Run a sweep on hosts that ssh reaches",
          "A line of the hosts' file: [USER@]HOST[:PORT] [options of 'kernsweep worker']; # begins a "
          "comment.\n"
          "docs/guides/several-hosts.md has the rules.\n" +
              std::string(kMeasureFooter) + "\nWith --join: 0 all workers ended well, 1 some did not.",
          std::make_unique<SshCommand>()};
}

}  // namespace kernsweep
