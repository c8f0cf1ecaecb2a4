#include "worker/slot/verify/outside_reference.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/duration_text.hpp"
#include "worker/host/stopped_processes.hpp"
#include "worker/slot/isolated/temporary_folder.hpp"

namespace kernsweep {
namespace {

namespace files = std::filesystem;

constexpr std::string_view kFolderPrefix = "kernsweep-reference-";

std::string read_whole(const files::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// Both run after fork in a process with threads: async-signal-safe calls only.
[[noreturn]] void kill_group_at_end_of(int pipe) {
  if (dup2(pipe, 0) < 0) _exit(1);
  close_range(1, ~0U, 0);
  char byte = 0;
  while (read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  kill(0, SIGKILL);
  _exit(0);
}

[[noreturn]] void become_reference(int alive, const char* program, char* const* words) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int watcher = fork();
  if (watcher == 0) kill_group_at_end_of(alive);
  const int nothing = open("/dev/null", O_RDONLY);
  if (watcher < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0) _exit(126);
  close_range(3, ~0U, 0);
  execv(program, words);
  _exit(127);
}

// Waits for killed processes of its group: they are children of this slot now, and must not count as killed
// helpers of the kernel. Waits 100 ms at most, because one may be busy in the kernel.
void wait_for_group(pid_t group) {
  const Instant latest = monotonic_now() + std::chrono::milliseconds(100);
  for (pid_t ended = 0; ended >= 0 && monotonic_now() < latest;) {
    ended = waitpid(-group, nullptr, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

struct Ended {
  bool started = false, in_time = false;
  int status = 0;
  std::string stopped;  // stopped_below() it, if it was too slow
};

Ended run_reference(const std::string& folder, Duration limit) {
  Ended ended;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ended;
  std::string program = slot_program(), option = "--reference", argument = folder;
  char* const words[] = {program.data(), option.data(), argument.data(), nullptr};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    become_reference(ends[0], program.c_str(), words);
  }
  close(ends[0]);
  if (child > 0) {
    setpgid(child, child);  // parent and child both call it, because either may be first
    const int end = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    const Instant latest = monotonic_now() + limit;
    pollfd watched{end, POLLIN, 0};
    while (end >= 0 && !ended.in_time) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - monotonic_now()).count();
      if (left <= 0) break;
      const int told = poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
      ended.in_time = told > 0;
      if (told < 0 && errno != EINTR) break;
    }
    if (end >= 0) close(end);
    if (!ended.in_time) ended.stopped = stopped_below(child);
    kill(-child, SIGKILL);  // processes that it has left running, and the watcher
    while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
    }
    wait_for_group(child);
    ended.started = true;
  }
  close(ends[1]);
  return ended;
}

OutsideAnswer failed_outside(Outcome outcome, std::string reason) {
  OutsideAnswer answer;
  answer.outcome = outcome;
  answer.reason = std::move(reason);
  return answer;
}

OutsideAnswer answer_in(const files::path& folder) {
  const auto told = json_tree_of(read_whole(folder / "answer"));
  const JsonTree* outcome = told ? told->find("outcome") : nullptr;
  const auto named = outcome && outcome->is_text() ? outcome_named(*outcome->scalar.text()) : std::nullopt;
  if (!named) return failed_outside(Outcome::failed_setup, "its process ended without an answer");
  OutsideAnswer answer;
  answer.outcome = *named;
  if (const JsonTree* reason = told->find("reason")) answer.reason = reason->scalar.to_text();
  auto output = reference_output_from(read_whole(folder / "output"));
  if (*named != Outcome::ok) {
    if (output) answer.output.sources = std::move(output->sources);
    return answer;
  }
  if (!output) return failed_outside(Outcome::failed_setup, output.error().message);
  answer.output = std::move(*output);
  if (const JsonTree* reads = told->find("reads")) {
    answer.reads.emplace();
    for (const auto& [unused, name] : reads->members) answer.reads->push_back(name.scalar.to_text());
  }
  std::error_code error;
  if (!files::exists(folder / "again", error)) return answer;
  if (auto again = reference_output_from(read_whole(folder / "again")))
    answer.again.push_back(std::move(*again));
  return answer;
}

}  // namespace

JsonTree tree_of(const OutsideTask& task) {
  JsonTree out = JsonTree::object();
  out.add("family", Value(task.family));
  out.add("threads", JsonTree::natural(task.threads));
  out.add("seed", JsonTree::natural(task.seed));
  out.add("is_function", Value(task.is_function));
  JsonTree& values = out.add("values", JsonTree::object());
  for (const auto& [name, value] : task.values) values.add(name, value);
  return out;
}

std::string text_of(const OutsideTask& task) {
  return text_of(tree_of(task));
}

Result<OutsideTask> outside_task_of(const std::string& text) {
  KS_ASSIGN_OR_RETURN(const auto tree, json_tree_of(text));
  OutsideTask task;
  for (const char* name : {"family", "threads", "seed", "is_function", "values", "operands"})
    if (!tree.find(name)) return failure(std::string("the task of a reference has no '") + name + "'");
  task.family = tree.find("family")->scalar.to_text();
  task.threads = static_cast<std::uint32_t>(tree.find("threads")->whole().value_or(1));
  task.seed = tree.find("seed")->whole().value_or(0);
  const bool* const is_function = tree.find("is_function")->scalar.boolean();
  task.is_function = is_function && *is_function;
  for (const auto& [name, value] : tree.find("values")->members)
    task.values.emplace_back(name, value.scalar);
  for (const auto& [unused, one] : tree.find("operands")->members) {
    if (!one.find("name") || !one.find("path") || !one.find("bytes") || !one.find("dtype") ||
        !one.find("shape"))
      return failure("the task of a reference has an operand that is not complete");
    OutsideTask::Operand& operand = task.operands.emplace_back();
    operand.name = one.find("name")->scalar.to_text();
    operand.path = one.find("path")->scalar.to_text();
    operand.bytes = one.find("bytes")->whole().value_or(0);
    operand.dtype = static_cast<std::int32_t>(one.find("dtype")->whole().value_or(0));
    for (const auto& [none, extent] : one.find("shape")->members)
      operand.shape.push_back(static_cast<std::int64_t>(extent.whole().value_or(0)));
  }
  return task;
}

OutsideAnswer compute_outside(const OutsideTask& task, Duration limit) {
  const TemporaryFolder folder{std::string(kFolderPrefix)};
  if (!folder.flaw().empty()) return failed_outside(Outcome::failed_setup, folder.flaw());
  JsonTree tree = tree_of(task);
  JsonTree& operands = tree.add("operands", JsonTree::list());
  for (const OutsideTask::Operand& operand : task.operands) {
    JsonTree& one = operands.add(JsonTree::object());
    one.add("name", Value(operand.name));
    one.add("path", Value(operand.path));
    one.add("bytes", JsonTree::natural(operand.bytes));
    one.add("dtype", Value(static_cast<std::int64_t>(operand.dtype)));
    JsonTree& shape = one.add("shape", JsonTree::list());
    for (const std::int64_t extent : operand.shape) shape.add(Value(extent));
  }
  std::ofstream written(folder.path() / "task", std::ios::binary);
  written << text_of(tree);
  written.close();
  if (!written)
    return failed_outside(Outcome::failed_setup,
                          folder.path().string() + " cannot be written; is it full?");
  const Ended ended = run_reference(folder.path().string(), limit);
  if (!ended.started)
    return failed_outside(Outcome::failed_setup,
                          "no process can be started for it: " + std::string(std::strerror(errno)));
  if (!ended.in_time)
    return failed_outside(Outcome::timeout_setup,
                          "it took longer than the " +
                              exact_text(std::chrono::floor<std::chrono::milliseconds>(limit)) +
                              " that timeout.setup leaves for it; " +
                              (ended.stopped.empty() ? "raise timeout.setup" : ended.stopped));
  if (WIFSIGNALED(ended.status))
    return failed_outside(Outcome::failed_setup,
                          "its process was killed by signal " + std::to_string(WTERMSIG(ended.status)));
  return answer_in(folder.path());
}

}  // namespace kernsweep
