// kernsweep: the one program a person types.
#include <unistd.h>

#include <new>
#include <string_view>

#include "cli/grammar/arguments.hpp"
#include "shared/base/log.hpp"
#include "shared/wire/convert.hpp"

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
    case Command::recover:
      return recover_command(arguments);
    case Command::slurm:
      return slurm_command(arguments);
    case Command::ssh:
      return ssh_command(arguments);
    case Command::keys_list:
    case Command::keys_add:
    case Command::keys_revoke:
    case Command::keys_rotate:
      return keys_command(arguments);
    case Command::submit:
    case Command::status:
    case Command::workers:
    case Command::cancel:
    case Command::explain:
    case Command::drain:
    case Command::readmit:
      return client_command(arguments);
  }
  return kExitBadInput;
}

// Whatever else we tried would need memory, too. All that counts is in the database or in a spool already,
// as when we are killed.
[[noreturn]] void end_without_memory() {
  constexpr std::string_view kText =
      "kernsweep: out of memory: this machine has too little, or the limit under which this program runs "
      "(ulimit -v, -d, a batch system's); what is stored is safe\n";
  if (write(STDERR_FILENO, kText.data(), kText.size()) < 0) _exit(kExitResumable);
  _exit(kExitResumable);
}

}  // namespace
}  // namespace kernsweep

int main(int argc, char** argv) {
  std::set_new_handler(kernsweep::end_without_memory);
  kernsweep::Arguments arguments;
  if (const int status = kernsweep::read_arguments(argc, argv, arguments); status >= 0)
    return kernsweep::flushed(status);
  if (arguments.verbose) kernsweep::set_log_level(kernsweep::LogLevel::debug);
  if (!arguments.log.empty()) {
    if (const auto opened = kernsweep::open_log_file(arguments.log); !opened)
      return kernsweep::report_error(opened.error().message);
  }
  kernsweep::silence_decoders();
  return kernsweep::flushed(kernsweep::dispatch(arguments));
}
