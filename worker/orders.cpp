// The worker's shell: the requirements of jobs for the core, and their builds.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "shared/base/log.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/utf8.hpp"
#include "worker/shell.hpp"

namespace kernsweep::worker {
namespace {

// The line with the reason: the first that contains one of these, else the last one.
constexpr std::array<std::string_view, 5> kTelling = {"error", "fatal", "undefined reference",
                                                      "cannot find", "No such file"};
std::string telling_line(std::string_view said) {
  std::string last;
  while (!said.empty()) {
    const std::string line = one_line(said.substr(0, said.find('\n')), 300);
    said.remove_prefix(
        std::min(said.size(), said.find('\n') == said.npos ? said.size() : said.find('\n') + 1));
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    last = line;
    if (std::ranges::any_of(kTelling, [&](auto each) { return line.find(each) != std::string::npos; }))
      break;
  }
  return last;
}

}  // namespace

std::vector<std::uint32_t> cpus_of(const Topology& topology) {
  std::vector<std::uint32_t> cpus;
  for (const HostCore& core : topology.cores) cpus.push_back(core.cpu);
  return cpus;
}

std::uint64_t build_memory_max(const Equipment& equipment) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 30;  // for compilers
  return std::max(equipment.slot_bytes / std::max<std::size_t>(equipment.topology.cores.size(), 1), kLeast);
}

Rebuild Shell::rebuild() {
  if (forbidden_build(config_.allow)) return nullptr;
  return [this](const std::set<std::string>& commands) { return rebuilds_.hashes_of(commands); };
}

bool Shell::order_of(const wire::Job& job, Order& order) {
  const auto rules = rules_.find({job.sweep(), job.rules()});
  const auto key = local_keys_.find(job.key());
  const auto plan = plans_.find(job.sweep());
  if (rules == rules_.end() || key == local_keys_.end() || plan == plans_.end()) return false;
  const Rules& known = rules->second.second;
  order.key = key->second;
  const wire::SlotKey& of_slot = keys_[order.key];
  order.cores = job.cores();
  order.gpus = of_slot.gpus();
  order.alone_on = known.measure.alone_on;
  order.setup_timeout = known.timeout.setup;
  order.run_timeout = known.timeout.run;
  order.watched = watched(known.measure);
  // Each job of a function has a process of its own.
  order.runs_alone = !of_slot.function().empty();
  const bool free_to_choose = order.gpus == 0 && of_slot.copies() == 0 && order.alone_on == Exclusion::host;
  if (free_to_choose && plan->second.in_blocks()) order.block = of_slot.process();
  order.builds = builds_of(job, plan->second, known.timeout);
  return true;
}

// The builds of a job: those of its command, and of a reference that is another setting.
std::vector<std::uint32_t> Shell::builds_of(const wire::Job& job, const wire::Plan& plan,
                                            const TimeoutRules& timeout) {
  std::vector<std::uint32_t> numbers;
  const auto column = std::ranges::find(plan.columns(), kBuildColumn);
  if (column == plan.columns().end()) return numbers;
  const auto at = static_cast<int>(column - plan.columns().begin());
  wire::JobBody body;
  if (!body.ParseFromString(job.body()) || at >= body.values_size()) return numbers;
  std::vector<std::string> commands = {body.values(at).text()};
  if (const auto other = body.replaced().find(static_cast<std::uint32_t>(at));
      other != body.replaced().end())
    commands.push_back(other->second.text());
  for (std::string& command : commands) {
    if (command.empty()) continue;
    const auto [known, fresh] = build_numbers_.try_emplace(std::pair(job.sweep(), command),
                                                           static_cast<std::uint32_t>(builds_.size()));
    if (fresh) builds_.push_back({std::move(command), plan.build_place(), timeout.build, {}, ""});
    numbers.push_back(known->second);
  }
  return numbers;
}

void Shell::act(const BeginBuild& order) {
  KS_ASSERT(order.build < builds_.size());
  const KnownBuild& build = builds_[order.build];
  BuildTask task;
  task.command = build.command;
  task.limit = build.limit;
  task.memory_max = build_memory_max(equipment_);
  task.cpus = cpus_of(topology_);
  lanes_.begin(order.build, std::move(task));
}

void Shell::act(const EndBuild& order) {
  lanes_.end(order.build);
}

void Shell::read_builds() {
  std::vector<BuildDone> done = lanes_.take();
  // The load of builds must not count for the next measurement.
  if (!done.empty() && !lanes_.any_runs()) (void)host_look_.look({{getpid()}, slots_.groups()});
  for (BuildDone& each : done) {
    KnownBuild& build = builds_[each.number];
    BuildAnswer& answer = each.answer;
    std::string failure = std::move(answer.failure);
    if (!failure.empty()) {
      const std::string line = telling_line(answer.said);
      failure = build.place + ": build: " + failure + (line.empty() ? "" : ": " + line);
    }
    build.said = std::move(answer.said);
    build.built = std::move(answer.built);
    if (log_file_is_open()) log_event("built", {{"command", build.command}, {"failure", failure}});
    apply(Built{each.number, answer.interrupted, as_utf8(failure)});
  }
}

// The file that the slot fills in for {build}.
void Shell::add_built(const HeldJob& held, wire::Job& job) const {
  if (held.builds.empty()) return;
  wire::JobBody more;
  for (const std::uint32_t number : held.builds) *more.add_built() = builds_[number].built;
  more.AppendToString(job.mutable_body());  // merges them
}

// The output of the command that builds the file of the job.
std::string Shell::said_of_builds(const HeldJob& held) const {
  for (const std::uint32_t number : held.builds)
    if (builds_[number].built.path().empty()) return builds_[number].said;
  return "";
}

}  // namespace kernsweep::worker
