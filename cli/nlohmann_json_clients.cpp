#include <nlohmann/json.hpp>

#include "cli/json.hpp"

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

Json json_of(const wire::WorkerStatus& worker) {
  auto active = Json::array();
  for (const std::string& each : worker.active()) active.push_back(each);
  auto facts = Json::object();
  for (const auto& [name, value] : worker.facts()) facts[name] = value;
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
          {"facts", facts}};
}

}  // namespace

std::string answer_json(const wire::Answer& answer) {
  Json out;
  if (answer.has_status()) {
    out = json_of(answer.status());
  } else if (answer.has_workers()) {
    out = Json::array();
    for (const auto& worker : answer.workers().workers()) out.push_back(json_of(worker));
  } else if (answer.has_submitted()) {
    const wire::Submitted& told = answer.submitted();
    out = {{"sweep", told.name()},      {"sweep_id", told.sweep()}, {"jobs", told.jobs()},
           {"earlier", told.earlier()}, {"reused", told.reused()},  {"ran_already", told.ran_already()}};
  } else {
    out = {{"answer", answer.has_why() ? answer.why().text() : answer.done().text()}};
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kernsweep
