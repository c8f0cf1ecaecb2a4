#include "cli/launch/ssh_session.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "language/file/command_template.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// The scripts are one line without single quotes, so that all login shells pass them on unchanged. Each
// ends with kDone, because a shell that ends early, by a start file or a command that the host forces, may
// do so with status 0.
constexpr const char* kBegun = "kernsweep-begun\n";
constexpr const char* kDone = "kernsweep-done\n";

constexpr const char* kTakeJoinFile =
    "echo kernsweep-begun; umask 077; d=$HOME/.cache/kernsweep; mkdir -p \"$d/join\" && cat > "
    "\"$d/join/$1\" || exit 1; "
    "if [ -x \"$d/$2/$3/bin/kernsweep\" ]; then echo has-it; fi; echo kernsweep-done";

constexpr const char* kTakePackage =
    "d=$HOME/.cache/kernsweep/$1; mkdir -p \"$d\" && t=$(mktemp -d \"$d/.new.XXXXXX\") || exit 1; "
    "trap \"rm -rf \\\"$t\\\"\" EXIT; cat > \"$t/package\" || exit 1; s=$(sha256sum < \"$t/package\"); "
    "if [ \"${s%% *}\" != \"$2\" ]; then echo \"the package arrived damaged\" >&2; exit 1; fi; "
    "mkdir \"$t/root\" && tar -xzf \"$t/package\" -C \"$t/root\" --strip-components=1 || exit 1; "
    // Another host with the same home folder may have installed the package meanwhile.
    "mv -T \"$t/root\" \"$d/$2\" 2> /dev/null || [ -x \"$d/$2/bin/kernsweep\" ] || exit 1; "
    "echo kernsweep-done";

constexpr const char* kWork =
    "d=$HOME/.cache/kernsweep; j=$d/join/$1; p=$d/$2/$3/bin/kernsweep; shift 3; exec 3<&0; "
    "\"$p\" worker --join \"$j\" \"$@\" < /dev/null 3<&- & w=$!; "
    "{ cat <&3; kill -TERM $w; sleep 20; kill -KILL $w; } > /dev/null 2>&1 & "
    "exec 3<&-; c=$!; wait $w; s=$?; kill $c; rm -f \"$j\"; echo kernsweep-done; exit $s";

// The last lines of the host's output: ":" and a line for each, or nothing.
std::string printed(const ProgramEnding& ending) {
  std::string output = ending.output;
  for (const std::string own : {kBegun, kDone})
    if (const std::size_t at = output.find(own); at != std::string::npos) output.erase(at, own.size());
  const std::string lines = last_lines(output, 6, "    "), errors = last_lines(ending.errors, 6, "    ");
  return (lines.empty() && errors.empty() ? "" : ":\n") + lines +
         (lines.empty() || errors.empty() ? "" : "\n") + errors;
}

Status finished(const ProgramEnding& ending, const std::string& doing) {
  if (ending.status != 0)
    return failure(doing + " failed with status " + std::to_string(ending.status) + printed(ending));
  if (ending.output.find(kDone) != std::string::npos) return Done{};
  return failure("the shell of the host ended before " + doing + " had" + printed(ending));
}

// A file open for reading, closed at the end of the block.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::vector<std::string> ssh_words(const SshHost& host) {
  std::vector<std::string> words = {"ssh"};
  for (const char* option :
       {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=4"})
    words.insert(words.end(), {"-o", option});
  if (host.port != 0) words.insert(words.end(), {"-p", std::to_string(host.port)});
  words.insert(words.end(), {"-T", "--", host.destination});
  return words;
}

std::string SshSession::join_name(const SshTask& task) const {
  return task.tag + "-" + std::to_string(number_) + ".join";
}

void SshSession::leave() {
  left_ = true;
  if (!working_) program_.signal(SIGTERM);
}

void SshSession::abandon() {
  left_ = true;
  program_.signal(SIGTERM);
}

Result<ProgramEnding> SshSession::say(const std::string& script, const std::vector<std::string>& words,
                                      int input) {
  std::string command = "exec sh -c '" + script + "' sh";
  for (const std::string& word : words) command += " " + quoted_word(word);
  ProgramCall call{ssh_words(host_), input};
  call.words.push_back(command);
  if (left_) return failure("stopped");
  KS_RETURN_IF_ERROR(program_.start(call));
  return program_.wait();
}

Status SshSession::send_package(const SshTask& task) {
  const OpenFile package(task.package.path);
  if (package.descriptor() < 0)
    return failure("cannot read " + task.package.path + ": " + std::strerror(errno));
  KS_ASSIGN_OR_RETURN(const auto sent,
                      say(kTakePackage, {task.version, task.package.hash}, package.descriptor()));
  return finished(sent, "copying the package");
}

Status SshSession::prepare(const SshTask& task) {
  const OpenFile join(task.join_file);
  if (join.descriptor() < 0) return failure("cannot read " + task.join_file + ": " + std::strerror(errno));
  KS_ASSIGN_OR_RETURN(
      const auto sent,
      say(kTakeJoinFile, {join_name(task), task.version, task.package.hash}, join.descriptor()));
  if (sent.status != 255 && sent.output.find(kBegun) == std::string::npos)
    return failure("the shell of the host ended with status " + std::to_string(sent.status) +
                   " before it ran a command; look at its start files, such as ~/.bashrc, and at "
                   "ForceCommand of its sshd" +
                   printed(sent));
  KS_RETURN_IF_ERROR(finished(sent, sent.status == 255 ? "ssh" : "copying the join file"));
  if (sent.output.find("has-it") != std::string::npos) return Done{};
  return send_package(task);
}

Status SshSession::work(const SshTask& task) {
  std::vector<std::string> words = {join_name(task), task.version, task.package.hash};
  words.insert(words.end(), task.worker_options.begin(), task.worker_options.end());
  words.insert(words.end(), host_.worker_options.begin(), host_.worker_options.end());
  working_ = true;
  KS_ASSIGN_OR_RETURN(const auto ended, say(kWork, words, task.lifeline));
  return finished(ended, ended.status == 255 ? "ssh" : "the worker");
}

}  // namespace kernsweep
