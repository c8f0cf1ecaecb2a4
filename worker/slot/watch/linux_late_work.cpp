#include <link.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "worker/host/children.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/watch/late_work.hpp"

namespace kernsweep {
namespace {

// proc(5): the folder has a link for each thread, in addition to its own two. Where that is not known, the
// largest number.
std::uint64_t threads_of_this_process() {
  constexpr std::uint64_t kOwnLinks = 2;
  struct stat folder {};
  const bool known = stat("/proc/self/task", &folder) == 0 && folder.st_nlink > kOwnLinks;
  return known ? folder.st_nlink - kOwnLinks : ~std::uint64_t{0};
}

bool has_any_children() {
  siginfo_t ended{};
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// Whether another thread computes, or waits for a core or a disk. Takes about ten microseconds for each
// thread.
bool others_are_ready() {
  const std::string own = std::to_string(gettid());
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename() == own) continue;
    std::ifstream in(at->path() / "stat");
    std::string text;
    std::getline(in, text, '\0');  // does not throw if the thread has ended meanwhile
    const auto end_of_name = text.rfind(") ");
    if (end_of_name == std::string::npos) continue;
    const char state = text[end_of_name + 2];
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

}  // namespace

LateWorkWatch::LateWorkWatch(Of calls) : calls_(calls), threads_(threads_of_this_process()) {}

void LateWorkWatch::note(const TreeTime& tree) {
  known_.clear();
  for (const ProcessBelow& each : tree.processes) known_[each.process] = each.cpu_s;
}

void LateWorkWatch::before_calls() {
  known_.clear();
  if (calls_ == Of::programs) {
    children_ = children_of_first_thread();
    std::istringstream children(children_);
    for (int child = 0; children >> child;) known_[child] = 0;
    return;
  }
  threads_before_ = threads_of_this_process();
  if (has_any_children()) note(tree_time());
}

void LateWorkWatch::count_threads(std::size_t left) {
  left_threads_ = left;
  std::vector<int> now = threads_of(getpid());
  std::sort(now.begin(), now.end());
  std::vector<int> fresh;
  std::set_difference(now.begin(), now.end(), last_threads_.begin(), last_threads_.end(),
                      std::back_inserter(fresh));
  new_threads_ = fresh.size();
  last_threads_ = std::move(now);
}

std::optional<LateTail> LateWorkWatch::after_calls() {
  left_ = unawaited_ = left_threads_ = new_threads_ = 0;
  // The other processes belong to this one, and are not part of the program.
  if (calls_ == Of::programs && children_of_first_thread() == children_) return std::nullopt;
  const bool has_children = has_any_children();
  if (!has_children && threads_of_this_process() <= threads_) return std::nullopt;
  TreeTime tree = tree_time();
  const auto is_idle = [this](const ProcessBelow& each) {
    const auto before = known_.find(each.process);
    return before != known_.end() && before->second == each.cpu_s && !each.is_ready;
  };
  bool all_idle = threads_of_this_process() <= threads_;
  for (const ProcessBelow& each : tree.processes) all_idle = all_idle && is_idle(each);
  if (all_idle) return std::nullopt;
  const InterpreterReleased released;
  LateTail tail(monotonic_now(), tree);
  do {
    std::this_thread::sleep_for(LateTail::kStep);
    tree = tree_time();
  } while (tail.add(monotonic_now(), tree, others_are_ready()));
  for (const ProcessBelow& each : tree.processes) {
    const bool is_new = !known_.contains(each.process);
    unawaited_ += is_new;
    left_ += is_new && !each.has_ended;
  }
  if (const auto threads = threads_of_this_process(); calls_ == Of::process && threads > threads_before_)
    count_threads(static_cast<std::size_t>(threads - threads_before_));
  return tail;
}

bool has_spinning_library() {
  bool found = false;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        constexpr std::array<std::string_view, 11> kNames = {
            "libgomp", "libomp",   "libiomp5",    "openblas",   "libblis", "libmkl",
            "libdnnl", "libtorch", "onnxruntime", "tensorflow", "jaxlib"};
        const std::string_view path = object->dlpi_name ? object->dlpi_name : "";
        for (const std::string_view name : kNames)
          if (path.find(name) != std::string_view::npos) *static_cast<bool*>(out) = true;
        return 0;
      },
      &found);
  return found;
}

}  // namespace kernsweep
