// The command `slurm`: runs a sweep as a batch job of a cluster. Checks the sweep before it is submitted.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands/cluster/launch_options.hpp"
#include "cli/commands/run/checked_sweep.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/command_line.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/launch/slurm_script.hpp"
#include "cli/program.hpp"
#include "cli/show/output.hpp"
#include "language/file/command_template.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/keys/join_file.hpp"

namespace kernsweep {
namespace {

// Replaces kTaskPlace by the number of an array's member, as the script does when that member runs.
std::string for_member(std::string text, const std::string& number) {
  const std::string place = kTaskPlace;
  for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + number.size()))
    text.replace(at, place.size(), number);
  return text;
}

Replacements for_member(Replacements replacements, const std::string& number) {
  for (std::string& axis : replacements.axes) axis = for_member(axis, number);
  for (std::string& setting : replacements.settings) setting = for_member(setting, number);
  replacements.only = for_member(replacements.only, number);
  replacements.sample = for_member(replacements.sample, number);
  return replacements;
}

// A job name that sbatch takes without quotes: "my sweep" becomes "my_sweep".
std::string plain_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("_.-").find(c) != std::string::npos;
    out += plain ? c : '_';
  }
  return out.empty() || out.starts_with('-') ? "kernsweep" + out : out;
}

class SlurmCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  SlurmJob job_as_given() const;
  Result<SlurmJob> job_of_workers(SlurmJob job) const;
  Result<SlurmJob> whole_job() const;

  LaunchOptions launch_;
  std::uint32_t nodes_ = 1;
  std::uint32_t lead_s_ = 120;  // seconds before the time limit at which workers begin to finish
  std::string partition_, gres_, time_, account_, job_name_, array_;
  std::vector<std::string> extra_;
  std::string program_;  // path of kernsweep on the nodes; empty: the path of this program
  std::string output_;   // path of the script
  bool dry_run_ = false;
};

void SlurmCommand::declare(Options& to) {
  launch_.declare(to);
  to.option("--nodes", nodes_, "Nodes, each with one worker (default: 1)");
  to.option("--partition", partition_, "Partition, as sbatch takes it");
  to.option("--gres", gres_, "Resources of each node: --gres gpu:4");
  to.option("--time", time_, "Time limit, as sbatch takes it: --time 2:00:00");
  to.option("--lead", lead_s_, "Seconds before the time limit when workers begin to finish (default: 120)");
  to.option("--account", account_, "Account, as sbatch takes it");
  to.option("--job-name", job_name_, "Name of the job (default: that of the sweep)");
  to.option("--array", array_,
            "Job array, as sbatch takes it; {task} in -a, --set, --only, --sample and --db is the "
            "member's number");
  to.option("--extra", extra_, "A further line: --extra '#SBATCH --constraint=skylake'");
  to.option("--program", program_, "Kernsweep on the nodes (default: the path of this one)");
  to.option("--output", output_, "Script to write (default: <job name>.sbatch)");
  to.flag("--dry-run", dry_run_, "Print the script, or write it to --output; submit nothing");
}

// The parts of the job that do not need the sweep file.
SlurmJob SlurmCommand::job_as_given() const {
  SlurmJob job;
  job.program = program_.empty() ? program_path() : program_;
  job.version = version_text();
  job.sweep_file = launch_.join.empty() ? launch_.file : "";
  job.database = launch_.database;
  job.join = launch_.join;
  job.listen = launch_.listen;
  job.replacements = words_of(launch_.replacements);
  job.worker_options = launch_.worker_words();
  job.job_name = job_name_;
  job.nodes = nodes_;
  job.partition = partition_;
  job.gres = gres_;
  job.time = time_;
  job.account = account_;
  job.array = array_;
  job.lead_s = lead_s_;
  job.extra = extra_;
  return job;
}

// Completes a job with --join, which only has workers.
Result<SlurmJob> SlurmCommand::job_of_workers(SlurmJob job) const {
  if (!launch_.file.empty() || !launch_.database.empty() || !job.replacements.empty())
    return failure("with --join the coordinator has the sweep; give no sweep file, --db or replacements");
  if (job.job_name.empty()) job.job_name = plain_name(std::filesystem::path(job.join).stem().string());
  // Without --wait they would occupy the nodes for ever if the coordinator has ended meanwhile.
  const auto& options = job.worker_options;
  const auto waits = [](const std::string& word) { return word.starts_with("--wait"); };
  if (std::none_of(options.begin(), options.end(), waits))
    job.worker_options.insert(job.worker_options.end(), {"--wait", "600"});
  return job;
}

// The complete job. Error: the options or the sweep are not valid.
Result<SlurmJob> SlurmCommand::whole_job() const {
  SlurmJob job = job_as_given();
  KS_RETURN_IF_ERROR(check_slurm_job(job));
  // Checked here, so that a mistake is found before the job has waited for its nodes.
  if (auto good = check_worker_options(job.worker_options); !good)
    return failure("--worker: " + good.error().message);
  if (!job.join.empty()) return job_of_workers(std::move(job));
  if (launch_.file.empty())
    return failure("give a sweep file, such as sweeps/first_look.yaml, or --join FILE for workers alone");
  const std::string first = job.array.empty() ? "" : std::to_string(*first_of_array(job.array));
  const auto replacements = first.empty() ? launch_.replacements : for_member(launch_.replacements, first);
  KS_ASSIGN_OR_RETURN(const auto sweep, checked_sweep(launch_.file, replacements));
  if (job.database.empty()) job.database = sweep.sweep().name + ".db";
  if (job.job_name.empty()) job.job_name = plain_name(sweep.sweep().name);
  return job;
}

// Checks the join file now: workers reject a client's file, or one that other users can read, but only
// after the job has got its nodes.
Status check_join_file(const SlurmJob& job, bool may_be_missing) {
  const std::string number = job.array.empty() ? "" : std::to_string(*first_of_array(job.array));
  const std::string path = number.empty() ? job.join : for_member(job.join, number);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (may_be_missing) return Done{};
    return failure("there is no join file " + path +
                   "; 'kernsweep coordinator FILE --listen tcp://*:7777' makes one");
  }
  KS_ASSIGN_OR_RETURN(const auto file, read_join_file(path));
  if (file.role == KeyRole::worker) return Done{};
  return failure("--join " + path +
                 " is a client's join file; a worker has its own, without '.client' in its name");
}

Status write_script(const std::string& path, const std::string& script) {
  if (std::ifstream there(path); there) {
    std::stringstream text;
    text << there.rdbuf();
    if (!is_slurm_script(text.str()))
      return failure(path +
                     " is there and was not made by 'kernsweep slurm'; give another name with --output");
  }
  std::ofstream file(path, std::ios::trunc);
  file << script;
  file.close();
  if (!file) return failure("cannot write the script " + path + "; give another place with --output");
  return Done{};
}

void print_what_next(const SlurmJob& job, const std::string& script, const std::string& number) {
  const auto line = [](const std::string& command, const char* why) {
    std::printf("  %-44s %s\n", command.c_str(), why);
  };
  const bool array = !job.array.empty();
  std::printf("Submitted job %s by %s\n", number.c_str(), script.c_str());
  line("squeue -j " + number, "is it running?");
  line("tail -f " + job.job_name + "-" + number + (array ? "_*" : "") + ".log", "its output");
  if (job.join.empty() && !array) {
    const std::string base = std::filesystem::path(job.database).replace_extension().string();
    line("kernsweep status --join " + quoted_word(base + "-" + number + ".client.join"), "its progress");
    line("kernsweep best " + quoted_word(job.database), "results so far");
  }
  line("scancel " + number, "stop it");
  line("sbatch " + quoted_word(script), "continue later");
}

int submit_to_slurm(const SlurmJob& job, const std::string& script) {
  const auto answer = run_program({{"sbatch", "--parsable", "--", script}});
  if (!answer) return report_error(answer.error().message);
  if (answer->status != 0) {
    std::fprintf(stderr, "kernsweep: sbatch refused the job (status %d); the script is %s\n%s\n",
                 answer->status, script.c_str(), last_lines(answer->errors, 8, "  ").c_str());
    return kExitSomeWithout;
  }
  const auto end = answer->output.find_first_of(";\n");  // "12;cluster"
  print_what_next(job, script, answer->output.substr(0, end));
  return 0;
}

int SlurmCommand::run(const Invocation&) {
  auto job = whole_job();
  if (!job) return report_error(job.error().message);
  if (!job->join.empty())
    if (auto good = check_join_file(*job, dry_run_); !good) return report_error(good.error().message);
  const bool shown_only = dry_run_ && output_.empty();
  if (!shown_only) job->file = output_.empty() ? job->job_name + ".sbatch" : output_;
  const std::string script = slurm_script(*job);
  if (shown_only) {
    std::printf("%s", script.c_str());
    return 0;
  }
  if (!dry_run_) {
    if (!find_program("sbatch"))
      return report_error(
          "there is no sbatch on this machine; run this where jobs are submitted, or give --dry-run, which "
          "prints the script");
  }
  if (const Status written = write_script(job->file, script); !written)
    return report_error(written.error().message);
  if (!dry_run_) return submit_to_slurm(*job, job->file);
  std::printf("Written: %s. To submit it: sbatch %s\n", job->file.c_str(), quoted_word(job->file).c_str());
  return 0;
}

}  // namespace

CommandEntry slurm_command() {
  return {"slurm", "Run a sweep as a batch job of a Slurm cluster",
          "docs/guides/several-hosts.md explains time limits and arrays.\n"
          "Exit status: 0 submitted, printed or written, 1 sbatch refused it, 2 bad input or usage.",
          std::make_unique<SlurmCommand>()};
}

}  // namespace kernsweep
