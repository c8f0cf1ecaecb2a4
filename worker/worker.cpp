#include "worker/worker.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "shared/base/digest.hpp"
#include "shared/base/log.hpp"
#include "shared/base/random_token.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "worker/catalogue.hpp"
#include "worker/host/programs.hpp"
#include "worker/host_layout.hpp"
#include "worker/process/limits.hpp"
#include "worker/shell.hpp"
#include "worker/spool/spool_folder.hpp"

namespace kernsweep {
namespace worker {
namespace {

constexpr int kProcessesTold = 16;  // number of processes of each GPU that the hello lists
constexpr std::uint64_t kNoMemoryKnown = std::uint64_t{8} << 30;

// Idle processes need descriptors; if the limit of these is low, fewer processes are kept.
WorkerOptions worker_options(const WorkerConfig& config) {
  constexpr std::uint64_t kOurs = 40;
  constexpr std::uint64_t kOfSlot = 5;
  WorkerOptions options;
  options.patience = config.patience;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return options;
  const std::uint64_t room = files.rlim_cur > kOurs ? (files.rlim_cur - kOurs) / kOfSlot : 0;
  options.idle_slots_max =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(options.idle_slots_max, room));
  return options;
}

}  // namespace

Shell::Shell(const WorkerConfig& config, Equipment& equipment, CoordinatorLink coordinator, Socket slots,
             Spool spool, WakeUp tensors_made, WakeUp checked)
    : config_(config),
      equipment_(equipment),
      topology_(equipment.topology),
      coordinator_(std::move(coordinator)),
      slot_socket_(std::move(slots)),
      maker_(std::move(tensors_made), equipment.tensor_bytes,
             config.reserve_core ? 1 : static_cast<int>(topology_.cores.size())),
      rebuilds_(equipment.identity.text, cpus_of(topology_), build_memory_max(equipment)),
      check_(packs_of(equipment.catalogue), find_library, rebuild()),
      checks_("kernsweep-check", std::move(checked),
              [this](const AskedChecks& asked) { return answer(check_, asked); }),
      core_(layout_of(topology_, equipment.gpus), worker_options(config)),
      spool_(std::move(spool)),
      spool_begun_(!spool_.database().empty()),
      lanes_(equipment.identity.text) {}

Duration Shell::wait_limit() const {
  Duration limit = last_sent_ + heartbeat_every_ - now_;
  if (const auto deadline = core_.next_deadline()) limit = std::min(limit, *deadline - now_);
  if (outgoing_.outcomes_size() > 0) limit = std::min(limit, outcomes_due() - now_);
  if (const auto deadline = looks_.next_deadline()) limit = std::min(limit, *deadline - now_);
  if (slots_.any_ending()) limit = std::min(limit, kExitGrace);
  return std::max(limit, Duration::zero());
}

void Shell::fill_poll() {
  poll_.clear();
  poll_.add(coordinator_.socket());
  poll_.add(slot_socket_);
  poll_.add_readable(maker_.descriptor());
  poll_.add_readable(checks_.descriptor());
  poll_.add_readable(stop_.descriptor());
  for (const int descriptor : slots_.descriptors()) poll_.add_readable(descriptor);
  for (const int descriptor : looks_.descriptors()) poll_.add_readable(descriptor);
  for (const int descriptor : lanes_.descriptors()) poll_.add_readable(descriptor);
}

std::optional<int> Shell::serve() {
  now_ = started_ = last_received_ = monotonic_now();
  log_line(LogLevel::info, "looking for a coordinator at " + coordinator_.addresses());
  say_hello();
  while (!exit_status_ && !needs_new_shell_) {
    fill_poll();
    poll_.wait(wait_limit());
    now_ = monotonic_now();
    read_coordinator();
    read_slots();
    read_tensors();
    read_checks();
    read_builds();
    watch_slots();
    read_looks();
    watch_stop();
    const auto deadline = core_.next_deadline();
    if (deadline && *deadline <= now_) apply(TimePassed{});
    send_outcomes();
    if (!exit_status_ && !needs_new_shell_) heartbeat_if_due();
    spool_.tend(now_);
  }
  if (goodbye_sent_) await_answer_to_goodbye();
  slots_.end_all();
  spool_.release_sweeps(ended_sweeps_);  // last: a slot may have sent outcomes after the goodbye
  return exit_status_;
}

namespace {

void tell_quota(const Topology& topology) {
  if (!topology.quota) return;
  std::array<char, 32> amount{};
  std::snprintf(amount.data(), amount.size(), "%.2f", *topology.quota);
  log_line(
      LogLevel::warning,
      std::string("a control group limits this host to ") + amount.data() +
          " processors' worth of time (a CPU quota): " + counted(topology.cores.size(), "core", "cores") +
          (topology.cores.size() == 1 ? " is" : " are") +
          " offered, and results that the quota stopped are graded C; give whole processors instead "
          "(docker run --cpuset-cpus=0-3, not --cpus=4)");
}

// The cores that jobs get. This process and all its threads are bound to the reserved core.
Status choose_cores(const WorkerConfig& config, Topology& topology,
                    std::optional<std::uint32_t>& reserved) {
  std::vector<HostCore>& cores = topology.cores;
  if (config.reserve_core) {
    if (cores.size() < 2) {
      return failure(
          "--reserve-core: this worker may use one core, and jobs need one; leave it out, or give the "
          "worker more cores");
    }
    const auto lowest = std::min_element(
        cores.begin(), cores.end(), [](const HostCore& a, const HostCore& b) { return a.cpu < b.cpu; });
    reserved = lowest->cpu;
    cores.erase(lowest);
  }
  if (config.cores > cores.size()) {
    return failure("--cores " + std::to_string(config.cores) + " is more than the " +
                   counted(cores.size(), "core", "cores") + " that may be used here" +
                   (reserved ? " in addition to the reserved one" : "") +
                   "; give fewer, or leave it out for all");
  }
  if (config.cores > 0) cores.resize(config.cores);
  static_assert(CPU_SETSIZE <= kCoresMax, "a topology may have more cores than a set of units");
  return Done{};
}

Status share_memory(const WorkerConfig& config, Equipment& equipment) {
  const std::uint64_t machine = equipment.topology.memory_bytes;
  equipment.tensor_bytes = (machine ? machine : kNoMemoryKnown) / 4;
  equipment.slot_bytes = machine / 5 * 4;
  if (config.memory.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(const auto limit, memory_of(config.memory, machine));
  equipment.tensor_bytes = limit / 4;
  equipment.slot_bytes = limit - equipment.tensor_bytes;
  equipment.shared = true;
  equipment.identity.facts["memory_bytes"] = static_cast<std::int64_t>(limit);
  return Done{};
}

// Keeps the first `config.gpus` of them. Error: there are fewer.
Status choose_gpus(const WorkerConfig& config, wire::Gpus& gpus) {
  auto& found = *gpus.mutable_gpus();
  const auto offered = static_cast<int>(std::min<std::size_t>(config.gpus.value_or(kGpusMax), kGpusMax));
  if (config.gpus && *config.gpus > static_cast<std::uint32_t>(found.size())) {
    std::string why = !gpus.none().empty() ? gpus.none() : gpus.troubles_size() > 0 ? gpus.troubles(0) : "";
    return failure("--gpus " + std::to_string(*config.gpus) + " is more than the " +
                   std::to_string(found.size()) + " that CUDA shows here" +
                   (why.empty() ? "" : ": " + why));
  }
  if (found.size() > offered) found.DeleteSubrange(offered, found.size() - offered);
  for (wire::Gpu& gpu : found) {
    auto& processes = *gpu.mutable_processes();
    if (processes.size() > kProcessesTold)
      processes.DeleteSubrange(kProcessesTold, processes.size() - kProcessesTold);
  }
  return Done{};
}

void tell(const wire::Gpus& gpus) {
  for (const wire::Gpu& gpu : gpus.gpus())
    log_line(gpu.processes_size() > 0 ? LogLevel::warning : LogLevel::info,
             "GPU: " + gpu.name() + " " + gpu.uuid() +
                 (gpu.processes_size() > 0 ? ", on which others compute; see 'kernsweep doctor'" : ""));
  if (!gpus.none().empty()) log_line(LogLevel::info, gpus.none());
  for (const std::string& trouble : gpus.troubles()) log_line(LogLevel::warning, trouble);
}

Result<Equipment> equip(const WorkerConfig& config) {
  KS_ASSIGN_OR_RETURN(auto topology, read_topology());
  tell_quota(topology);
  auto asked_gpus = ask_for_gpus();  // runs at the same time as the packs, because drivers start slowly
  KS_ASSIGN_OR_RETURN(auto catalogue, read_catalogue(config.pack_folders, false, config.family));
  // A machine without a Python lacks nothing unless a sweep has functions, which then reports it.
  for (const std::string& broken : catalogue.broken()) {
    const bool is_of_python = needs_interpreter(broken.substr(0, broken.find(':')));
    log_line(is_of_python ? LogLevel::info : LogLevel::warning, broken);
  }
  Equipment equipment;
  equipment.gpus = gpus_of(asked_gpus);
  KS_RETURN_IF_ERROR(choose_gpus(config, equipment.gpus));
  tell(equipment.gpus);
  std::optional<std::uint32_t> reserved;
  KS_RETURN_IF_ERROR(choose_cores(config, topology, reserved));
  equipment.topology = std::move(topology);
  equipment.catalogue = std::move(catalogue);
  equipment.identity = identify_host(
      equipment.topology, static_cast<std::uint32_t>(equipment.topology.cores.size()), config.name);
  KS_RETURN_IF_ERROR(share_memory(config, equipment));
  KS_RETURN_IF_ERROR(add_tags(config.tags, equipment.identity.facts));
  if (reserved) {  // last: all processors are visible while the host is described
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(*reserved, &own);
    if (sched_setaffinity(0, sizeof own, &own) != 0)
      return failure("--reserve-core: this process cannot be bound to core " + std::to_string(*reserved));
  }
  return equipment;
}

SpoolPlace spool_place(const WorkerConfig& config, const HostIdentity& identity,
                       const CoordinatorLink& link) {
  SpoolPlace place;
  place.host = identity.name + " " + identity.fingerprint.hex();
  place.endpoint = link.coordinator_id();
  place.folder = config.spool_folder;
  if (place.folder.empty()) return place;
  if (const Status prepared = prepare_spool_folder(place.folder); !prepared) {
    log_line(LogLevel::warning,
             "the spool folder cannot be used (" + prepared.error().message +
                 "); results that are not delivered are in memory only, and lost if this worker is "
                 "killed; choose another folder with --spool");
    place.folder.clear();
    return place;
  }
  if (const std::size_t forgotten = count_forgotten(place.folder); forgotten > 0)
    log_line(
        LogLevel::warning,
        place.folder + " has " + counted(forgotten, "file", "files") +
            " with results that no coordinator has fetched for 30 days; remove what will not be resumed");
  return place;
}

int cannot_work(const Error& error) {
  complain("kernsweep worker: " + error.message);
  return 2;
}

}  // namespace
}  // namespace worker

int run_worker(const WorkerConfig& config) {
  if (const Status ready = StopSignal::prepare(); !ready) return worker::cannot_work(ready.error());
  auto equipment = worker::equip(config);
  if (!equipment) return worker::cannot_work(equipment.error());
  std::optional<Spool> spool;
  while (true) {
    auto coordinator = config.join_file.empty() ? worker::CoordinatorLink::to(config.endpoint)
                                                : worker::CoordinatorLink::by_join_file(config.join_file);
    if (!coordinator) return worker::cannot_work(coordinator.error());
    if (!spool) spool.emplace(worker::spool_place(config, equipment->identity, *coordinator));
    // An abstract address leaves no file behind, however this process ends. A process that connects must
    // send the token of its slot.
    auto slots = Socket::router("ipc://@kernsweep-slots-" + digest_of(random_token()).hex());
    if (!slots) return worker::cannot_work(slots.error());
    auto tensors_made = WakeUp::make();
    if (!tensors_made) return worker::cannot_work(tensors_made.error());
    auto checked = WakeUp::make();
    if (!checked) return worker::cannot_work(checked.error());
    worker::Shell shell(config, *equipment, std::move(*coordinator), std::move(*slots), std::move(*spool),
                        std::move(*tensors_made), std::move(*checked));
    spool.reset();
    if (const auto status = shell.serve()) return *status;
    spool.emplace(shell.follow());
    equipment->gpus = gpus_left(equipment->gpus, equipment->lost_gpus);
    equipment->lost_gpus.clear();
    equipment->topology = cores_left(equipment->topology, equipment->lost_cores);
    equipment->lost_cores.clear();
    if (equipment->topology.cores.empty())
      return worker::cannot_work(
          Error{"no core is left: each has a process that was killed and does not end; start this worker "
                "again when they are gone"});
  }
}

}  // namespace kernsweep
