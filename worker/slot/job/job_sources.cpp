// The software and files that a job reports, and the fate of the processes that it started.
#include <string.h>

#include <csignal>
#include <filesystem>

#include "shared/base/doubt_cause.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/children.hpp"
#include "worker/slot/job/built_files.hpp"
#include "worker/slot/job/job_attempt.hpp"

namespace kernsweep {

bool JobRunner::note_depends(Attempt& job) {
  for (const std::string& file : job.plan.depends()) {
    const Status read = sources_.note("depends", file, file);
    if (read) continue;
    std::error_code error;
    return job.fail(Outcome::failed_setup,
                    "depends: " + read.error().message + " (seen from " +
                        std::filesystem::current_path(error).string() +
                        ", where the worker was started); put the file there, or take it out of depends");
  }
  return true;
}

void JobRunner::note_builds(Attempt& job) {
  const wire::Built* const own = own_build(job.plan, job.body);
  for (const wire::Built& built : job.body.built())
    sources_.note_built(&built == own ? kBuildPlace : "reference", built.path(), built.command(),
                        built.sources());
  if (!own) return;
  const auto add = [&](const char* name, double value) {
    wire::Metric& metric = *job.result.add_metrics();
    metric.set_name(name);
    metric.set_value(value);
    metric.set_better(static_cast<std::uint32_t>(KS_SMALLER_IS_BETTER));
  };
  add("build_s", own->seconds());
  add("build_bytes", static_cast<double>(own->bytes()));
  for (const std::string& note : own->notes()) job.result.add_notes(note);
}

// Must be called before the variant is released, which may close its libraries.
void JobRunner::tell_software(Attempt& job) {
  constexpr std::size_t kNameShown = 200;
  for (int i = 0; i < job.plan.columns_size() && i < job.body.values_size(); ++i) {
    const std::string& value = job.body.values(i).text();
    if (!value.empty() && job.plan.columns(i).ends_with(".library")) sources_.note_library(value);
  }
  if (!job.broken) {
    for (const std::string& name : sources_.changed())
      job.doubt(one_line(name, kNameShown) + " changed while it was measured");
  }
  if (sources_.is_full()) {
    job.result.add_grades("it uses more than " + std::to_string(Sources::kFilesMax) +
                          " files; a change of the others is not seen");
  }
  if (const std::string note = sources_.text_of_unknown(); !note.empty())
    job.result.add_notes(as_utf8(note));
  job.result.set_software(port_.software(sources_.lines(), isolated_process()));
}

// Nothing: not readable, or the job is too short for it.
std::optional<std::uint64_t> JobRunner::killed_so_far(const Attempt& job) {
  if (!watched(job.rules.measure) && !prints_text()) return std::nullopt;
  if (!groups_) groups_.emplace();
  return groups_->killed();
}

// A helper that was killed or crashed has not done its part of the work, which makes a job fast. Signals
// with which programs end each other on purpose do not count; SIGKILL may be one of them if the kernel's
// count of killed processes, `now`, has not grown. That is one for all slots of a worker.
void JobRunner::tell_killed(Attempt& job, const std::optional<std::uint64_t>& now) {
  if (!watched(job.rules.measure) && !prints_text()) return;
  std::string what;
  bool by_kernel = false, on_purpose = false, own = false;
  for (const auto& [child, number] : children_ended_by_signal()) {
    if (!ended_.insert(child).second) continue;
    const bool crashed = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
                         number == SIGABRT || number == SIGSYS || number == SIGTRAP || number == SIGKILL;
    const char* const name = sigabbrev_np(number);
    own = own || number == SIGKILL;
    on_purpose = crashed && number == SIGKILL && (what.empty() || on_purpose);
    if (crashed) what = "a process that it had started was ended by SIG" + std::string(name ? name : "?");
  }
  const auto& before = job.killed_before;
  if (now && before && *now > *before) {
    by_kernel = true;
    on_purpose = false;
    what = "the kernel killed " + counted(*now - *before, "process", "processes") +
           " for lack of memory while it ran";
  }
  if (what.empty()) return;
  if (!job.broken && on_purpose && before) {
    job.result.add_grades(what +
                          ", not by the kernel: unless the program did so, a part of the work is missing");
  } else if (!job.broken) {
    auto& doubts = *job.result.mutable_doubts();
    doubts.Add(what + (by_kernel && !own ? "; if one was of this job, a part of the work is missing"
                                         : ": a part of the work is missing"));
    for (int at = doubts.size() - 1; at > 0; --at) doubts.SwapElements(at, at - 1);
    job.result.set_doubt_cause(static_cast<std::uint32_t>(DoubtCause::unknown));  // of no other reason
    job.out.set_throttled(false);
  } else if (by_kernel && job.out.outcome() == static_cast<std::uint32_t>(Outcome::failed_run)) {
    job.fail(Outcome::out_of_memory, job.result.reason() + "; " + what);
  }
}

}  // namespace kernsweep
