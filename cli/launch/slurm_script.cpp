#include "cli/launch/slurm_script.hpp"

#include <filesystem>

#include "language/file/command_template.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

constexpr const char* kFirstWords = "# kernsweep slurm:";

// Quotes `word` for the shell, with the variable for the member's number in place of kTaskPlace.
std::string shell_word(const std::string& word) {
  const std::string place = kTaskPlace;
  std::string out;
  std::size_t at = 0;
  for (auto next = word.find(place); next != std::string::npos; next = word.find(place, at)) {
    if (next > at) out += quoted_word(word.substr(at, next - at));
    out += "\"$SLURM_ARRAY_TASK_ID\"";
    at = next + place.size();
  }
  if (at < word.size() || out.empty()) out += quoted_word(word.substr(at));
  return out;
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += " " + shell_word(word);
  return out;
}

std::string head(const SlurmJob& job) {
  const std::string nodes = counted(job.nodes, "node", "nodes");
  const std::string what = job.join.empty() ? "runs " + quoted_word(job.sweep_file) + " on " + nodes
                                            : "workers on " + nodes + " for a coordinator elsewhere";
  std::string out = "#!/bin/bash\n" + std::string(kFirstWords) + " " + what + ". Made by Kernsweep " +
                    job.version + ".\n#\n";
  out += "# Submit it with sbatch, in the folder from which the names below count.";
  if (job.join.empty()) {
    out +=
        " A sweep that was stopped\n"
        "# continues when it is submitted again, and measures nothing twice.";
  }
  return out + "\n";
}

std::string directives(const SlurmJob& job) {
  std::string out;
  const auto add = [&out](const std::string& name, const std::string& value) {
    if (!value.empty()) out += "#SBATCH --" + name + "=" + value + "\n";
  };
  add("job-name", job.job_name);
  add("nodes", std::to_string(job.nodes));
  out += "#SBATCH --ntasks-per-node=1\n#SBATCH --exclusive\n#SBATCH --mem=0\n";
  add("partition", job.partition);
  add("account", job.account);
  add("gres", job.gres);
  add("time", job.time);
  add("array", job.array);
  add("output", job.job_name + (job.array.empty() ? "-%j.log" : "-%A_%a.log"));
  out +=
      "#SBATCH --open-mode=append\n"
      "# A node that fails ends no job but its own; a job that lost its first node is queued again.\n"
      "#SBATCH --no-kill\n#SBATCH --requeue\n"
      "# USR1 to this script so many seconds before the time limit.\n";
  add("signal", "B:USR1@" + std::to_string(job.lead_s));
  for (const std::string& line : job.extra) out += line + "\n";
  return out;
}

std::string names(const SlurmJob& job) {
  std::string out = "\nkernsweep=" + quoted_word(job.program) + "\n";
  if (!job.join.empty()) return out + "join=" + shell_word(job.join) + "\n";
  const std::filesystem::path database = job.database;
  const std::string extension = database.extension().string();
  const std::string base = job.database.substr(0, job.database.size() - extension.size());
  out += "# Members of an array share no file, and two submissions share no join file.\n";
  out += "base=" + shell_word(base);
  if (base.find(kTaskPlace) == std::string::npos) out += "${SLURM_ARRAY_TASK_ID:+-$SLURM_ARRAY_TASK_ID}";
  out += "\ndatabase=$base" + (extension.empty() ? "" : quoted_word(extension)) + "\n";
  return out + "join=$base-$SLURM_JOB_ID.join\n";
}

constexpr const char* kCommon =
    R"sh(# One member of an array has the number of the whole array: this name means us alone.
job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
job=${job:-$SLURM_JOB_ID}

say() { printf 'kernsweep slurm: %s\n' "$*" >&2; }
alive() { kill -0 "$1" 2> /dev/null; }

# Slurm ends all of the job as soon as it has queued it again: scontrol too, which is no failure of it, and
# this script.
queue_again() {
  local code=0
  scontrol requeue "$job" || code=$?
  if (( code == 0 || code > 128 )); then
    sleep 60
  elif [[ $ending != stop ]]; then
    say 'the job could not be queued again: submit it again to continue'
  fi
}

# One worker per node, with all cores that Slurm gives it there. The join file may come late to a node.
# URG makes it finish: Slurm signals every process of a step, and this is one that slots do not notice.
workers() {
  srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 --overlap --cpu-bind=none \
       --no-kill --kill-on-bad-exit=0 --wait=0 --label \
       bash -c 'for ((i = 0; i < 60; ++i)); do [[ -s $1 ]] && break; sleep 1; done
                "$0" worker --join "$@" &
                trap "again=yes; kill -TERM $!" URG
                trap again=yes TERM
                again=yes
                while [[ -n $again ]]; do
                  again=
                  wait $!
                  code=$?
                  (( code == 127 )) || status=$code
                done
                exit $status' \
       "$kernsweep" "$join")sh";

constexpr const char* kWorkersEnd = R"sh( < /dev/null
}

# outcome PID: waits for its end, whatever signals come meanwhile, and sets status.
outcome() {
  local code
  status=1
  while :; do
    interrupted=
    wait "$1"
    code=$?
    (( code == 127 )) || status=$code
    [[ -n $interrupted ]] || break
  done
}

ending= interrupted= coordinator=
)sh";

constexpr const char* kCoordinated = R"sh(# Results so far.
stored() {
  [[ -s $database ]] || { echo 0; return; }
  "$kernsweep" sql "$database" 'select count(*) from results' --csv 2> /dev/null | tail -n 1 | tr -dc 0-9
}

# When all workers have left, the coordinator would wait for ever: it is ended.
work() {
  until [[ -s $join ]]; do alive "$coordinator" || return; sleep 0.2; done
  workers
  for ((left = 5; left > 0; --left)); do alive "$coordinator" || return; sleep 1; done
  say 'all workers have left'
  kill -TERM "$coordinator"
}

# Half of the time before the limit is for what is being measured, the rest for what must be stored.
on_limit() {
  ending=limit interrupted=yes
  say 'the time limit is near: workers finish what they measure'
  scancel --signal=URG "$job"
  { sleep "$((lead / 2))"; kill -TERM "$coordinator"; } 2> /dev/null &
}
# scancel reaches the coordinator as well, so this is for a signal to the script alone.
on_stop() {
  ending=stop interrupted=yes
  { sleep 2; kill -TERM "$coordinator"; } 2> /dev/null &
}
trap on_limit USR1
trap on_stop TERM

# What only this run's coordinator and workers need; its end may have been too sudden the last time.
forget() { rm -f -- "$join" "${join%.join}.client.join" "${join%.join}.keys"; }
forget
before=$(stored)
)sh";

constexpr const char* kCoordinatedEnd = R"sh(coordinator=$!
[[ -z $ending ]] || kill -TERM "$coordinator"
work &
work=$!
outcome "$coordinator"
result=$status
{ sleep 30; say 'workers do not end'; kill -TERM "$work"; } 2> /dev/null &
wait "$work"
forget

if [[ $ending == limit && $result == 3 ]]; then
  after=$(stored)
  if (( ${after:-0} > ${before:-0} )); then
    queue_again
  else
    say 'nothing was stored in this run, so the job is not queued again: it needs a longer --time'
  fi
fi
exit "$result"
)sh";

constexpr const char* kElsewhere = R"sh(
# Workers finish what they measure and leave; the job is queued again, as the coordinator may have more.
on_limit() {
  ending=limit interrupted=yes
  say 'the time limit is near: workers finish what they measure'
  scancel --signal=URG "$job"
}
on_stop() { ending=stop interrupted=yes; }  # Slurm signals the workers itself
trap on_limit USR1
trap on_stop TERM

workers &
outcome "$!"
if [[ $ending == limit ]]; then
  queue_again
fi
exit "$status"
)sh";

// The advice that the coordinator prints into the log after a stop.
std::string how_to_go_on(const SlurmJob& job) {
  const std::string script = job.file.empty() ? "this script" : quoted_word(job.file);
  return "sbatch " + script + ", unless Slurm has queued the job again";
}

}  // namespace

std::string slurm_script(const SlurmJob& job) {
  std::string out = head(job) + directives(job) + names(job);
  out += kCommon + shell_words(job.worker_options) + kWorkersEnd;
  if (!job.join.empty()) return out + kElsewhere;
  out += "lead=" + std::to_string(job.lead_s) + "\n\n" + kCoordinated;
  out += "\"$kernsweep\" coordinator " + quoted_word(job.sweep_file) + shell_words(job.replacements) +
         " \\\n  --listen " + quoted_word(job.listen) +
         " --db \"$database\" --join \"$join\" \\\n  --to-go-on " + quoted_word(how_to_go_on(job)) +
         " < /dev/null &\n";
  return out + kCoordinatedEnd;
}

bool is_slurm_script(const std::string& text) {
  const auto line = text.find('\n');
  return line != std::string::npos &&
         text.compare(line + 1, std::string(kFirstWords).size(), kFirstWords) == 0;
}

}  // namespace kernsweep
