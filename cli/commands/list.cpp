// The list of all commands: one line each, in the order of --help.
#include "cli/grammar/command.hpp"

// COMMAND(name): the command whose entry the function `name`_command() returns.
#define COMMANDS_TO_RUN(COMMAND) \
  COMMAND(run)                   \
  COMMAND(check)                 \
  COMMAND(expand)                \
  COMMAND(example)               \
  COMMAND(schema)                \
  COMMAND(completion)            \
  COMMAND(kernels)               \
  COMMAND(new_pack)              \
  COMMAND(try)                   \
  COMMAND(bench)                 \
  COMMAND(roofs)                 \
  COMMAND(replay)                \
  COMMAND(repro)                 \
  COMMAND(profile)

#define COMMANDS_TO_ASK(COMMAND) \
  COMMAND(best)                  \
  COMMAND(pivot)                 \
  COMMAND(plot)                  \
  COMMAND(pareto)                \
  COMMAND(scaling)               \
  COMMAND(total)                 \
  COMMAND(trace)                 \
  COMMAND(show)                  \
  COMMAND(sql)                   \
  COMMAND(export)                \
  COMMAND(import)                \
  COMMAND(compare)               \
  COMMAND(bits)                  \
  COMMAND(claims)                \
  COMMAND(report)

#define COMMANDS_OF_A_CLUSTER(COMMAND) \
  COMMAND(coordinator)                 \
  COMMAND(worker)                      \
  COMMAND(slurm)                       \
  COMMAND(ssh)                         \
  COMMAND(keys)                        \
  COMMAND(keys_list)                   \
  COMMAND(keys_add)                    \
  COMMAND(keys_revoke)                 \
  COMMAND(keys_rotate)                 \
  COMMAND(submit)                      \
  COMMAND(status)                      \
  COMMAND(workers)                     \
  COMMAND(cancel)                      \
  COMMAND(explain)                     \
  COMMAND(drain)

#define COMMANDS_TO_REPAIR(COMMAND) \
  COMMAND(doctor)                   \
  COMMAND(resume)                   \
  COMMAND(recover)                  \
  COMMAND(readmit)

namespace kernsweep {

#define COMMAND(name) CommandEntry name##_command();
COMMANDS_TO_RUN(COMMAND)
COMMANDS_TO_ASK(COMMAND)
COMMANDS_OF_A_CLUSTER(COMMAND)
COMMANDS_TO_REPAIR(COMMAND)
#undef COMMAND

std::vector<CommandGroup> all_commands() {
  std::vector<CommandGroup> groups;
#define COMMAND(name) groups.back().commands.push_back(name##_command());
  groups.push_back({"Run", {}});
  COMMANDS_TO_RUN(COMMAND)
  groups.push_back({"Ask the results", {}});
  COMMANDS_TO_ASK(COMMAND)
  groups.push_back({"Cluster", {}});
  COMMANDS_OF_A_CLUSTER(COMMAND)
  groups.push_back({"Repair", {}});
  COMMANDS_TO_REPAIR(COMMAND)
#undef COMMAND
  return groups;
}

}  // namespace kernsweep
