// Makes the text of the batch script that runs a sweep in a Slurm allocation. Pure functions: they read no
// files and start nothing.
//
// The script is meant to be read and kept by the user. Bash runs it on the first node. There it starts the
// coordinator (not with `join`), and with one srun over all nodes one worker per node. Promises:
// - two submissions share no join file, and members of an array share no database either;
// - `lead_s` before the time limit Slurm sends USR1 to the script: workers finish running jobs and leave,
//   the coordinator stops, and the job is put back into the queue, unless it stored nothing new;
// - if a node fails, only its worker is lost (--no-kill); if it was the first node, Slurm requeues the job;
// - scancel stops the sweep, and submitting the script again resumes it;
// - the exit status is that of the coordinator; with `join` it is that of srun.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SlurmJob {
  std::string program;     // path of kernsweep on the nodes
  std::string version;     // of this program, for the script's first lines
  std::string sweep_file;  // empty with `join`
  std::string database;    // empty with `join`; may contain kTaskPlace
  std::string join;        // join file of a coordinator elsewhere; empty: one in the allocation
  std::string listen;      // address of the coordinator in the allocation
  std::string file;        // path of the script, for messages in the log; empty: not known
  std::vector<std::string>
      replacements;  // words for the coordinator: "--set", "seed=2"; may contain kTaskPlace
  std::vector<std::string> worker_options;  // words
  std::string job_name;
  std::uint32_t nodes = 1;
  std::string partition, gres, time, account, array;  // empty: left out
  std::uint32_t lead_s = 120;
  std::vector<std::string> extra;  // whole lines that begin with "#SBATCH -"
};

// Placeholder for the number of the array's member, in `database`, `join` and `replacements`.
constexpr const char* kTaskPlace = "{task}";

// Errors, with the name of the option: no nodes; a word with a line break or another control character; a
// blank in an option of Slurm; an invalid time, array, extra line or address to listen on; `lead_s` is not
// from 1 to 65535 or not shorter than the time limit; kTaskPlace without an array.
Status check_slurm_job(const SlurmJob& job);

// The script. Requires that check_slurm_job() returned no error.
std::string slurm_script(const SlurmJob& job);

// Seconds of a time limit in the form of sbatch: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S.
// "infinite", "unlimited" and "0" mean no limit and give 0.
Result<std::uint64_t> slurm_seconds(const std::string& text);

// The first member of an array in the form of sbatch: "0-7:2%3", "4,9,12". Error: a part is not valid.
Result<std::uint64_t> first_of_array(const std::string& text);

// True if the text is a script that `kernsweep slurm` made, in any version.
bool is_slurm_script(const std::string& text);

}  // namespace kernsweep
