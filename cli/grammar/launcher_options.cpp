// The command line: a sweep on hosts that are got from elsewhere.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kSlurmFooter =
    "docs/guides/several-hosts.md tells of time limits and arrays.\n"
    "Exit status: 0 submitted, printed or written, 1 sbatch refused it, 2 bad input or usage.";

constexpr const char* kSshFooter =
    "A line of the hosts' file: [USER@]HOST[:PORT] [options of 'kernsweep worker']; # begins a comment.\n"
    "docs/guides/several-hosts.md has the rules.\n"
    "Exit status: 0 every job has an accepted result, 1 finished but some have none, 2 bad input or "
    "usage,\n"
    "3 stopped and resumable; with --join: 0 all workers ended well, 1 some did not.";

}  // namespace

void CommandLine::add_launchers() {
  LauncherArguments& given = out_.launcher;
  CLI::App* const slurm = command(Command::slurm, "slurm", "Run a sweep as a batch job of a Slurm cluster");
  CLI::App* const ssh = command(Command::ssh, "ssh", "Run a sweep on hosts that ssh reaches");
  for (CLI::App* each : {slurm, ssh}) {
    each->add_option("file", out_.file, "Sweep file (YAML or JSON); not with --join");
    add_replacements(each);
    each->add_option("--db", out_.database,
                     "Results database (default: <name of the sweep>.db in this folder)");
    each->add_option("--join", given.join, "Only workers: join the coordinator that made this file");
    each->add_option("--listen", given.listen,
                     "Address of the coordinator, for a fixed port: tcp://*:7777");
    each->add_option("--worker", given.worker_options, "Options for every worker: --worker '--cores 4'")
        ->take_all()
        ->allow_extra_args(false);
  }
  slurm->add_option("--nodes", given.nodes, "Nodes, each with one worker (default: 1)");
  slurm->add_option("--partition", given.partition, "Partition, as sbatch takes it");
  slurm->add_option("--gres", given.gres, "Resources of each node: --gres gpu:4");
  slurm->add_option("--time", given.time, "Time limit, as sbatch takes it: --time 2:00:00");
  slurm->add_option("--lead", given.lead_s,
                    "Seconds before the time limit when workers begin to finish (default: 120)");
  slurm->add_option("--account", given.account, "Account, as sbatch takes it");
  slurm->add_option("--job-name", given.job_name, "Name of the job (default: that of the sweep)");
  slurm->add_option(
      "--array", given.array,
      "Job array, as sbatch takes it; {task} in -a, --set, --only, --sample and --db is the member's "
      "number");
  slurm->add_option("--extra", given.extra, "A further line: --extra '#SBATCH --constraint=skylake'")
      ->take_all()
      ->allow_extra_args(false);
  slurm->add_option("--program", given.program, "Kernsweep on the nodes (default: the path of this one)");
  slurm->add_option("--output", given.output, "Script to write (default: <job name>.sbatch)");
  slurm->add_flag("--dry-run", given.dry_run, "Print the script, or write it to --output; submit nothing");
  slurm->footer(kSlurmFooter);

  ssh->add_option("--hosts", given.hosts_file, "File with a host per line")->required();
  ssh->add_option("--package", given.package,
                  "Package for the hosts, a .tar.gz (default: made of this installation)");
  ssh->footer(kSshFooter);
}

}  // namespace kernsweep
