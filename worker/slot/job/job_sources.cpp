// The software and files that a job reports.
#include <filesystem>

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

// To be called before the variant is released, which may close its libraries.
void JobRunner::tell_software(Attempt& job) {
  constexpr std::size_t kNameShown = 200;
  for (int i = 0; i < job.plan.columns_size() && i < job.body.values_size(); ++i) {
    const std::string& value = job.body.values(i).text();
    if (!value.empty() && job.plan.columns(i).ends_with(".library")) sources_.note_library(value);
  }
  if (!job.broken) {
    for (const std::string& name : sources_.changed())
      job.result.add_doubts(one_line(name, kNameShown) + " changed while it was measured");
  }
  if (sources_.is_full()) {
    job.result.add_grades("it uses more than " + std::to_string(Sources::kFilesMax) +
                          " files; a change of the others is not seen");
  }
  job.result.set_software(port_.software(sources_.lines(), isolated_process()));
}

}  // namespace kernsweep
