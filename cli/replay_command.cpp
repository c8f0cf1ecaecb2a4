// replay: one stored job, measured again here, and held against what is stored.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/comparison_rules.hpp"
#include "cli/local_catalogue.hpp"
#include "cli/local_run.hpp"
#include "cli/stored_point.hpp"
#include "results/replay.hpp"
#include "shared/home_path.hpp"
#include "shared/tensors/spec.hpp"
#include "worker/host/fingerprint.hpp"

namespace kernsweep {
namespace {

// Why the library cannot be opened; "" when it can. Asked in a process of its own, which a library may
// crash.
std::string why_not_opened(const std::string& library) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::string why;
    if (!dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) why = dlerror();
    _exit(write(ends[1], why.data(), why.size()) == static_cast<ssize_t>(why.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string told;
  char buffer[512];
  ssize_t got = 0;
  while (child > 0 && (got = read(ends[0], buffer, sizeof buffer)) > 0)
    told.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && status != 0)
    return library + ": it ends the process that opens it";
  return told;
}

std::string why_no_kernel(const StoredPoint& wanted) {
  const Sweep& sweep = wanted.expansion.sweep();
  const auto catalogue = local_catalogue(true);
  if (!catalogue) return catalogue.error().message;
  const auto family = std::ranges::find(catalogue->families, sweep.kernel, &CatalogueFamily::name);
  if (family == catalogue->families.end())
    return "the kernel '" + sweep.kernel + "': no pack here has it; see kernsweep kernels";
  for (const auto& [name, value] : wanted.job.values) {
    if (name != "variant" || value.is_null()) continue;
    const auto variant = std::ranges::find(family->variants, value.to_text(), &CatalogueVariant::name);
    if (variant == family->variants.end())
      return fmt::format("the variant '{}' of {}: the pack here does not have it", value.to_text(),
                         sweep.kernel);
    if (!variant->available)
      return fmt::format("the variant '{}' of {} cannot run here: {}", value.to_text(), sweep.kernel,
                         variant->reason);
  }
  return "";
}

// What the job needs and this machine does not have, each named; empty: it can be measured here.
Result<std::vector<std::string>> missing_here(const StoredPoint& wanted, bool any_host) {
  const auto topology = read_topology();
  if (!topology) return tl::unexpected(topology.error());
  const auto cores = static_cast<std::uint32_t>(topology->cores.size());
  const HostIdentity here = identify_host(*topology, cores);
  std::vector<std::string> missing;
  const StoredJob& job = wanted.job;
  const bool same_host = here.name == job.host || here.fingerprint.hex() == job.fingerprint;
  if (!any_host && !job.host.empty() && !same_host)
    missing.push_back(
        fmt::format("the host: it was measured on {} ({}), and this is {} ({}); --any-host "
                    "measures it here all the same",
                    job.host, job.cpu, here.name, topology->cpu_model));
  if (const std::string why = why_no_kernel(wanted); !why.empty()) missing.push_back(why);
  for (const auto& [name, value] : job.values) {
    if (name == "threads" && value.integer() && *value.integer() > std::int64_t{cores})
      missing.push_back(fmt::format("cores: it needs {}, and there are {} here", *value.integer(), cores));
    if (name.starts_with("input.") && value.text()) {
      const auto file = tensor_file_of(*value.text());
      if (file && !std::filesystem::exists(file->path))
        missing.push_back(fmt::format("the file {} of {}", file->path, name));
    }
    if (!name.ends_with(".library") || !value.text()) continue;
    if (const std::string why = why_not_opened(*value.text()); !why.empty())
      missing.push_back(fmt::format("the library {} of {}: {}", *value.text(), name, why));
  }
  const auto unmet = wanted.expansion.unmet_requirement(wanted.point, [&](std::string_view name) {
    const auto fact = here.facts.find(std::string(name.substr(std::min(name.find('.') + 1, name.size()))));
    return fact == here.facts.end() ? Value() : fact->second;
  });
  if (unmet) missing.push_back("what the sweep requires: " + *unmet);
  return missing;
}

Replacements only_this(const StoredPoint& wanted, std::uint32_t processes) {
  Replacements out = wanted.replacements;
  // A replay is a sweep of one point itself: then its stored replacements name the point.
  if (!out.point) out.point = wanted.job.point;
  out.settings.push_back("measure.cache=[" + wanted.job.cache + "]");
  if (processes > 0) out.settings.push_back(fmt::format("measure.processes={}", processes));
  out.settings.push_back(fmt::format("tags.replay_of={}@{}/{}", wanted.job.sweep.record.name,
                                     wanted.job.sweep.id.value, wanted.job.job));
  return out;
}

// Measures it, and says in whose rows: the sweep's number in `database`.
Result<SweepSummary> measure(const Arguments& arguments, const StoredPoint& wanted,
                             const std::string& database) {
  const SweepRecord& record = wanted.job.sweep.record;
  const Replacements replacements = only_this(wanted, arguments.processes);
  const auto expansion = Expansion::parse(record.text, with_home(record.file), replacements);
  if (!expansion) return tl::unexpected(expansion.error());
  LocalRun run;
  run.database = database;
  run.replacements = replacements;
  run.again = true;
  run.verbose = arguments.verbose;
  run.quiet = arguments.quiet || arguments.json;
  return run_here(run, *expansion);
}

}  // namespace

int replay_command(const Arguments& arguments) {
  const auto rules = comparison_rules(arguments);
  if (!rules) return report_error(rules.error().message);
  auto stored = Reader::open(arguments.file);
  if (!stored) return report_error(stored.error().message);
  const auto wanted = stored_point(*stored, arguments.which);
  if (!wanted) return report_error(wanted.error().message);
  const auto missing = missing_here(*wanted, arguments.any_host);
  if (!missing) return report_error(missing.error().message);
  if (!missing->empty()) {
    std::string text =
        fmt::format("result {} cannot be measured here, nothing was run. Missing:", wanted->job.result);
    for (const std::string& each : *missing) text += "\n  " + each;
    report_error(text);
    return kExitNotComparable;
  }
  if (!wanted->same_key && !arguments.quiet)
    std::fprintf(stderr, "kernsweep: this version measures that job by other rules than were used then\n");
  const std::string database =
      arguments.database.empty() ? wanted->job.sweep.record.name + "-replay.db" : arguments.database;
  const auto summary = measure(arguments, *wanted, database);
  if (!summary) return report_error(summary.error().message);
  using coordination::Ending;
  if (summary->ending != Ending::complete && summary->ending != Ending::incomplete) {
    std::fprintf(stderr, "Stopped before the end; nothing is compared.\n");
    return kExitNotComparable;
  }
  auto replayed = Reader::open(database);
  if (!replayed) return report_error(replayed.error().message);
  const auto answer = hold_against(*stored, wanted->job, *replayed, summary->sweep, *rules);
  if (!answer) return report_error(answer.error().message);
  const std::string text =
      arguments.json ? to_json(*answer, wanted->job, *rules) + "\n"
                     : text_of(*answer, wanted->job, wanted->expansion.label_of(wanted->point), *rules) +
                           fmt::format("kept as {}@{} in {}\n", wanted->job.sweep.record.name,
                                       summary->sweep.value, database);
  std::printf("%s", text.c_str());
  if (std::fflush(stdout) != 0) return report_error("the output could not be written");
  return answer->time ? exit_status_of(answer->verdict) : kExitNotComparable;
}

}  // namespace kernsweep
