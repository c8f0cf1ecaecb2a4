// The batch script that runs a sweep in a Slurm allocation, as text. Pure: reads no file and starts
// nothing.
//
// The script is for a person to read and keep. Bash runs it on the first node; there it starts the
// coordinator and, by one srun over all nodes, one worker per node. It holds these promises:
// - two submissions share no join file, and members of an array share no database either;
// - `lead_s` before the time limit Slurm sends USR1 to the script: workers finish what they measure and
//   leave, the coordinator stops, and the job is put back into the queue, unless it stored nothing new;
// - a node that dies takes its worker along and nothing else (--no-kill); where it was the first one, Slurm
//   requeues the job; scancel stops the sweep, and submitting the script again goes on with it;
// - the exit status is the coordinator's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SlurmJob {
  std::string program;     // kernsweep on the nodes
  std::string version;     // for the script's first lines
  std::string sweep_file;  // empty with `join`
  std::string database;    // empty with `join`; may hold kTaskPlace
  std::string join;        // of a coordinator elsewhere; empty: one in the allocation
  std::string listen;      // of the coordinator in the allocation
  std::string file;        // where the script is written, for the log; empty: not known
  std::vector<std::string>
      replacements;  // words for the coordinator: "--set", "seed=2"; may hold kTaskPlace
  std::vector<std::string> worker_options;  // words
  std::string job_name;
  std::uint32_t nodes = 1;
  std::string partition, gres, time, account, array;  // empty: left out
  std::uint32_t lead_s = 120;
  std::vector<std::string> extra;  // whole lines that begin with "#SBATCH "
};

// Stands for the number of the array's member in a database's name and in replacements.
constexpr const char* kTaskPlace = "{task}";

// Error: something that cannot stand in a script, with the option's name: no node, a name with a line break
// or another control character, a blank in an option of Slurm, a time, an array or an address to listen on
// that is none, a lead that is not shorter than the time, kTaskPlace without an array.
Status check_slurm_job(const SlurmJob& job);

// Requires that check_slurm_job() holds.
std::string slurm_script(const SlurmJob& job);

// Seconds of a time limit as sbatch writes them: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S.
// "infinite", "unlimited" and "0" mean no limit and give 0.
Result<std::uint64_t> slurm_seconds(const std::string& text);

// The first member of an array as sbatch writes them: "0-7:2%3", "4,9,12". Error: any part of it is none.
Result<std::uint64_t> first_of_array(const std::string& text);

// The line by which a script of ours is known, whatever version wrote it.
bool is_slurm_script(const std::string& text);

}  // namespace kernsweep
