#include "cli/commands/run/tried_pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/commands/again/job_by_hand.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/try.hpp"
#include "shared/text/duration_text.hpp"
#include "shared/text/suggest.hpp"
#include "worker/catalogue.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/process.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

// The GPUs that CUDA shows to this process; the first one if none is given.
std::string gpus_for(const SingleJob& job) {
  const bool for_gpu = std::ranges::any_of(job.values, [](const auto& column) {
    return column.first == "device" && column.second == Value("gpu");
  });
  if (!for_gpu) return "";
  const char* const shown = std::getenv("CUDA_VISIBLE_DEVICES");
  return shown == nullptr ? "0" : shown;
}

Tried without_answer(const SingleJob& job, std::string outcome, const std::string& reason) {
  Tried out;
  out.answer = JsonTree::object();
  out.answer.add("outcome", Value(outcome));
  out.answer.add("reason", Value(reason));
  out.answer.add("family", Value(job.family));
  out.answer.add("variant", Value(variant_of(job)));
  out.outcome = std::move(outcome);
  return out;
}

}  // namespace

Result<wire::Family> tried_family(const std::string& pack, const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(pack, error)) return failure(pack + ": there is no such file; build the pack first");
  if (fs::is_directory(pack, error)) return failure(pack + " is a folder; give the .so of a pack");
  KS_ASSIGN_OR_RETURN(auto described, read_pack(fs::absolute(pack).string()));
  std::string broken;
  for (const std::string& reason : described.broken()) broken += (broken.empty() ? "" : "\n") + reason;
  if (!broken.empty()) return failure(broken);
  std::vector<std::string> names;
  for (const auto& family : described.families()) names.push_back(family.name());
  for (auto& family : *described.mutable_families())
    if (name == family.name() || (name.empty() && names.size() == 1)) return std::move(family);
  if (names.empty()) return failure(pack + " has no family of kernels");
  if (name.empty())
    return failure(fmt::format("{} has the families {}; choose by --family", pack, fmt::join(names, ", ")));
  return failure(pack + " has no family '" + name + "'" + did_you_mean(name, names));
}

Result<Tried> try_job(const SingleJob& job, const std::vector<std::uint32_t>& cores,
                      const TryLimits& limits, const Starter& starter) {
  std::vector<std::string> words = starter;
  words.insert(words.end(), {slot_program(), "--once", "--json", text_of(job)});
  Launch start;
  start.program = words.front();
  start.arguments.assign(words.begin() + 1, words.end());
  start.environment = slot_environment(job.environment, job.threads, gpus_for(job));
  start.cpus = cores;
  start.capture_output = true;
  start.inherit_errors = true;
  start.data_bytes_max = limits.memory_bytes;
  KS_ASSIGN_OR_RETURN(auto child, launch(start));
  const ExitedProcess exited = run_to_exit(child, limits.time);
  if (!exited.in_time)
    return without_answer(job, "timeout", "no answer within " + exact_text(limits.time) + " (--timeout)");
  const std::string ending = exited.ending ? describe(*exited.ending) : "its process does not end";
  const bool answered = exited.ending && !exited.ending->signalled && exited.ending->number < 2;
  auto answer = json_tree_of(answered ? exited.output : "");
  if (answer && answer->is_object() && answer->find("outcome")) {
    Tried out{std::move(*answer), "", false};
    out.outcome = out.answer.find("outcome")->scalar.to_text();
    out.bad_parameter = out.answer.find("bad_parameter") != nullptr;
    return out;
  }
  return without_answer(job, std::string(name_of(Outcome::signal)), ending);
}

}  // namespace kernsweep
