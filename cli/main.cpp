// kernsweep: the one program a person types.
#include <cstdio>

#include "cli/arguments.hpp"
#include "shared/log.hpp"

namespace kernsweep {

namespace {

int dispatch(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::run:
    case Command::coordinator:
    case Command::resume:
      return run_command(arguments);
    case Command::worker:
      return worker_command(arguments);
    case Command::check:
    case Command::expand:
    case Command::schema:
      return sweep_command(arguments);
    case Command::kernels:
      return kernels_command(arguments);
    case Command::doctor:
      return doctor_command(arguments);
    case Command::best:
    case Command::show:
    case Command::sql:
    case Command::export_rows:
      return query_command(arguments);
    case Command::roofs:
      return roofs_command(arguments);
    case Command::replay:
      return replay_command(arguments);
    case Command::repro:
      return repro_command(arguments);
    case Command::compare:
      return compare_command(arguments);
    case Command::bits:
      return bits_command(arguments);
    case Command::claims:
      return claims_command(arguments);
  }
  return kExitBadInput;
}

}  // namespace
}  // namespace kernsweep

int main(int argc, char** argv) {
  kernsweep::Arguments arguments;
  if (const int status = kernsweep::read_arguments(argc, argv, arguments); status >= 0) return status;
  if (arguments.verbose) kernsweep::set_log_level(kernsweep::LogLevel::debug);
  return kernsweep::dispatch(arguments);
}
