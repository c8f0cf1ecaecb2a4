#include "worker/agent/agent.hpp"

#include <cstdio>

#include "shared/digest.hpp"
#include "shared/log.hpp"
#include "shared/random_token.hpp"
#include "worker/agent/catalogue.hpp"
#include "worker/agent/shell.hpp"

namespace kernsweep {
namespace agency {
namespace {

constexpr std::uint64_t kNoMemoryKnown = std::uint64_t{8} << 30;

std::uint64_t memory_of(const Topology& topology) {
  return topology.memory_bytes ? topology.memory_bytes : kNoMemoryKnown;
}

Stage stage_of(const Topology& topology) {
  Stage stage;
  stage.cores = static_cast<std::uint32_t>(topology.cores.size());
  for (const HostCore& core : topology.cores) {
    CoreSet numa;
    CoreSet cache;
    for (std::size_t other = 0; other < topology.cores.size(); ++other) {
      numa.set(other, topology.cores[other].numa_node == core.numa_node);
      cache.set(other, topology.cores[other].cache == core.cache);
    }
    stage.numa_of.push_back(numa);
    stage.cache_of.push_back(cache);
  }
  return stage;
}

}  // namespace

Shell::Shell(const AgentConfig& config, Topology topology, wire::Catalogue catalogue, Socket coordinator,
             Socket slots)
    : config_(config),
      topology_(std::move(topology)),
      catalogue_(std::move(catalogue)),
      identity_(identify_host(topology_, static_cast<std::uint32_t>(topology_.cores.size()))),
      coordinator_(std::move(coordinator)),
      slot_socket_(std::move(slots)),
      maker_(config.tensor_budget_bytes ? config.tensor_budget_bytes : memory_of(topology_) / 4,
             static_cast<int>(topology_.cores.size())),
      core_(stage_of(topology_), AgentOptions{}),
      instance_(random_token()) {}

Duration Shell::wait_limit() const {
  Duration limit = said_ + heartbeat_every_ - now_;
  if (const auto deadline = core_.next_deadline()) limit = std::min(limit, *deadline - now_);
  if (slots_.any_ending()) limit = std::min(limit, kExitGrace);
  return std::max(limit, Duration::zero());
}

void Shell::fill_poll() {
  poll_.clear();
  poll_.add(coordinator_);
  poll_.add(slot_socket_);
  poll_.add_readable(maker_.descriptor());
  poll_.add_readable(stop_.descriptor());
  for (const int descriptor : slots_.descriptors()) poll_.add_readable(descriptor);
}

int Shell::serve() {
  now_ = started_ = heard_ = monotonic_now();
  say_hello();
  while (!exit_status_) {
    fill_poll();
    poll_.wait(wait_limit());
    now_ = monotonic_now();
    read_coordinator();
    read_slots();
    read_tensors();
    watch_slots();
    if (stop_.count() > 0 && !stopping_) {
      stop_.acknowledge();
      stopping_ = true;
      apply(StopAsked{});
      wire::ToCoordinator message;
      message.mutable_goodbye()->set_reason("the worker was stopped");
      send_outcomes();
      send(message);
      exit_status_ = 0;
    }
    const auto deadline = core_.next_deadline();
    if (deadline && *deadline <= now_) apply(TimePassed{});
    send_outcomes();
    heartbeat_if_due();
  }
  slots_.kill_all();
  return *exit_status_;
}

}  // namespace agency

int run_agent(const AgentConfig& config) {
  auto topology = read_topology();
  auto catalogue = read_catalogue(config.pack_folders, false);
  auto coordinator = Socket::dealer(config.endpoint);
  // An abstract address: it leaves no file behind, however we end. Who connects must show the token of its
  // slot.
  auto slots = Socket::router("ipc://@kernsweep-slots-" + digest_of(random_token()).hex());
  for (const Error* error :
       {topology ? nullptr : &topology.error(), catalogue ? nullptr : &catalogue.error(),
        coordinator ? nullptr : &coordinator.error(), slots ? nullptr : &slots.error()}) {
    if (!error) continue;
    std::fprintf(stderr, "kernsweep worker: %s\n", error->message.c_str());
    return 2;
  }
  for (const std::string& broken : catalogue->broken()) log_line(LogLevel::warning, broken);
  if (config.cores > topology->cores.size()) {
    std::fprintf(stderr, "kernsweep worker: --cores %u is more than the %zu cores that may be used here\n",
                 config.cores, topology->cores.size());
    return 2;
  }
  if (config.cores > 0) topology->cores.resize(config.cores);
  if (topology->cores.size() > agency::kCoresMax) topology->cores.resize(agency::kCoresMax);
  agency::Shell shell(config, std::move(*topology), std::move(*catalogue), std::move(*coordinator),
                      std::move(*slots));
  return shell.serve();
}

}  // namespace kernsweep
