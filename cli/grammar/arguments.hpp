// The command line, read: which command, and what it was given. The meaning is in the commands' own files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/grammar/launcher_arguments.hpp"
#include "cli/grammar/worker_arguments.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

enum class Command : std::uint8_t {
  run = 1,
  coordinator,
  worker,
  resume,
  check,
  expand,
  schema,
  kernels,
  doctor,
  best,
  show,
  sql,
  export_rows,
  compare,
  bits,
  claims,
  recover,
  replay,
  repro,
  roofs,
  slurm,
  ssh,
  submit,
  status,
  workers,
  cancel,
  explain,
  drain,
  readmit,
  keys_list,
  keys_add,
  keys_revoke,
  keys_rotate
};

struct Arguments {
  Command command = Command::run;
  std::vector<std::string> words;  // all of the command line but the program
  std::string file;                // sweep file, or database for resume and queries
  std::string database;            // --db
  std::string log;                 // --log
  std::string metrics;             // coordinator
  Replacements replacements;
  bool again = false, stay = false, quiet = false, json = false, verbose = false;
  bool list = false, explain = false, jobs = false;  // expand
  bool only_check = false;                           // recover
  bool csv = false, jsonl = false, all = false;
  bool probe = true;                           // kernels
  bool local = false;                          // worker: started by `run`; its token is on descriptor 3
  std::vector<std::string> listen, advertise;  // coordinator
  std::string connect, insecure;
  std::string to_go_on;  // coordinator that `ssh` or `slurm` has started: what a person does to go on
  std::uint32_t cores = 0;
  double wait_s = 0;
  std::string sweep, metric, better, which, statement, grade;
  std::string other_result;  // show --diff
  std::vector<std::string> by;
  std::vector<std::string> sides;  // compare: [database] A B
  std::string where, threshold = "1%";
  bool all_grades = false, other_inputs = false, against_itself = false;
  std::uint32_t rounds = 0;  // compare --aa; 0: chosen
  std::uint64_t seed = 1;
  std::uint32_t processes = 0;                           // replay; 0: as many as the sweep had
  bool any_host = false;                                 // replay
  std::string thread_list, of_sweep, roofs_file, dtype;  // roofs
  bool gpu_roofs = false;
  bool print_sweep = false;
  LauncherArguments launcher;  // slurm, ssh
  WorkerArguments worker;
  std::string join;                                                     // coordinator, worker, clients
  std::int32_t priority = 0;                                            // submit
  std::string key_file, key_name, key_role = "worker", overlap = "1h";  // keys
  bool watch = false;                                                   // status, workers
};

// Exit statuses that scripts may rely on.
constexpr int kExitAllAccepted = 0;
constexpr int kExitSomeWithout = 1;
constexpr int kExitBadInput = 2;
constexpr int kExitResumable = 3;

// Fills `out` and returns -1, or prints help, version or the error and returns the exit status.
int read_arguments(int argc, char** argv, Arguments& out);

// What a launcher would give to `kernsweep worker` on other hosts. Error: as the worker itself would
// complain, hours later perhaps.
Status check_worker_options(const std::vector<std::string>& options);

int run_command(const Arguments& arguments);  // run, coordinator, resume
int worker_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);  // check, expand, schema
int kernels_command(const Arguments& arguments);
int doctor_command(const Arguments& arguments);
int query_command(const Arguments& arguments);  // best, show, sql, export
int compare_command(const Arguments& arguments);
int roofs_command(const Arguments& arguments);
int bits_command(const Arguments& arguments);
int claims_command(const Arguments& arguments);
int recover_command(const Arguments& arguments);
int replay_command(const Arguments& arguments);
int repro_command(const Arguments& arguments);
int slurm_command(const Arguments& arguments);
int ssh_command(const Arguments& arguments);
int keys_command(const Arguments& arguments);    // keys list, add, revoke, rotate
int client_command(const Arguments& arguments);  // what is asked of a running coordinator

// "kernsweep: <message>" on stderr; returns kExitBadInput.
int report_error(const std::string& message);

// `text` on stdout, without what a terminal would obey: names and reasons in it may be a stranger's.
// Returns `status`, or reports that the output cannot be written.
int print_answer(const std::string& text, int status = 0);
// What a program ends with: `status`, once all that was printed on stdout is written; otherwise this is
// complained of, once, and what would be a success is bad usage (a full disk, a closed pipe).
int flushed(int status);

}  // namespace kernsweep
