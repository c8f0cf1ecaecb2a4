#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/show/json.hpp"

namespace kernsweep {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const wire::SweepStatus& sweep) {
  return {{"sweep", sweep.name()},
          {"sweep_id", sweep.number()},
          {"priority", sweep.priority()},
          {"state", sweep.state()},
          {"jobs", sweep.jobs()},
          {"exact", sweep.exact()},
          {"most_jobs", std::max(sweep.jobs(), sweep.most_jobs())},
          {"ok", sweep.ok()},
          {"failed", sweep.failed()},
          {"in_flight", sweep.in_flight()},
          {"waiting_for_host", sweep.waiting_for_host()},
          {"retried", sweep.retried()},
          {"seconds", sweep.seconds()}};
}

Json json_of(const wire::Status& status) {
  auto sweeps = Json::array();
  for (const auto& sweep : status.sweeps()) sweeps.push_back(json_of(sweep));
  return {{"sweeps", sweeps},
          {"workers", status.workers()},
          {"jobs_per_s", status.jobs_per_s()},
          {"database", status.database()},
          {"store_failure", status.store_failure()},
          {"version", status.version()}};
}

template <class Number>
Json number_or_null(bool known, Number number) {
  return known ? Json(number) : Json();
}

Json json_of(const wire::Gpu& gpu) {
  auto slowed_by = Json::array();
  for (const std::string& reason : gpu.slowed_by()) slowed_by.push_back(reason);
  auto processes = Json::array();
  for (const auto& process : gpu.processes())
    processes.push_back(
        {{"pid", process.pid()},
         {"name", process.name()},
         {"memory_bytes", number_or_null(process.has_memory_bytes(), process.memory_bytes())}});
  return {
      {"name", gpu.name()},
      {"uuid", gpu.uuid()},
      {"pci", gpu.pci()},
      {"compute_capability", gpu.capability_tenths() / 10.0},
      {"multiprocessors", gpu.multiprocessors()},
      {"memory_bytes", gpu.memory_bytes()},
      {"memory_free_bytes", number_or_null(gpu.has_memory_free_bytes(), gpu.memory_free_bytes())},
      {"l2_bytes", gpu.l2_bytes()},
      {"clock_mhz", number_or_null(gpu.has_clock_mhz(), gpu.clock_mhz())},
      {"clock_max_mhz", number_or_null(gpu.has_clock_max_mhz(), gpu.clock_max_mhz())},
      {"temperature_c", number_or_null(gpu.has_temperature_c(), gpu.temperature_c())},
      {"memory_clock_mhz", number_or_null(gpu.has_memory_clock_mhz(), gpu.memory_clock_mhz())},
      {"memory_clock_max_mhz", number_or_null(gpu.has_memory_clock_max_mhz(), gpu.memory_clock_max_mhz())},
      {"power_w", number_or_null(gpu.has_power_w(), gpu.power_w())},
      {"power_limit_w", number_or_null(gpu.has_power_limit_w(), gpu.power_limit_w())},
      {"ecc", number_or_null(gpu.has_ecc(), gpu.ecc())},
      {"mig", number_or_null(gpu.has_mig(), gpu.mig())},
      {"slowed_by", slowed_by},
      {"processes", processes}};
}

Json json_of(const wire::WorkerStatus& worker) {
  auto active = Json::array();
  for (const std::string& each : worker.active()) active.push_back(each);
  auto facts = Json::object();
  for (const auto& [name, value] : worker.facts()) facts[name] = value;
  auto gpus = Json::array();
  for (const auto& gpu : worker.gpus().gpus()) gpus.push_back(json_of(gpu));
  auto lost = Json::array();
  for (const auto& gpu : worker.gpus().lost())
    lost.push_back({{"uuid", gpu.uuid()}, {"name", gpu.name()}, {"why", gpu.why()}});
  auto lost_cores = Json::array();
  for (const auto& each : worker.lost_cores()) {
    auto cpus = Json::array();
    for (const std::uint32_t cpu : each.cpus()) cpus.push_back(cpu);
    lost_cores.push_back({{"cpus", cpus}, {"why", each.why()}});
  }
  return {{"worker", worker.number()},
          {"host", worker.name()},
          {"cores", worker.cores()},
          {"state", worker.state()},
          {"reason", worker.reason()},
          {"held", worker.held()},
          {"ok", worker.ok()},
          {"failed", worker.failed()},
          {"heard_ago_s", worker.heard_ago_s()},
          {"key", worker.key()},
          {"version", worker.version()},
          {"active", active},
          {"facts", facts},
          {"gpus", gpus},
          {"lost_gpus", lost},
          {"lost_cores", lost_cores}};
}

}  // namespace

std::string answer_json(const wire::Answer& answer) {
  Json out;
  switch (answer.what_case()) {
    case wire::Answer::kStatus:
      out = json_of(answer.status());
      break;
    case wire::Answer::kWorkers:
      out = Json::array();
      for (const auto& worker : answer.workers().workers()) out.push_back(json_of(worker));
      break;
    case wire::Answer::kSubmitted: {
      const wire::Submitted& submitted = answer.submitted();
      out = {{"sweep", submitted.name()},
             {"sweep_id", submitted.sweep()},
             {"jobs", submitted.jobs()},
             {"earlier", submitted.earlier()},
             {"reused", submitted.reused()},
             {"ran_already", submitted.ran_already()},
             {"checked_later", submitted.checked_later()}};
      if (!submitted.taken_over().empty()) out["taken_over"] = submitted.taken_over();
      if (submitted.again_size() > 0)
        out["measured_again"] =
            std::vector<std::string>(submitted.again().begin(), submitted.again().end());
      break;
    }
    case wire::Answer::kWhy:
      out = {{"answer", answer.why().text()}};
      break;
    case wire::Answer::kDone:
    case wire::Answer::WHAT_NOT_SET:
      out = {{"answer", answer.done().text()}};
      break;
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kernsweep
