// The entry point of the program `kernsweep`.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <new>
#include <string_view>

#include "cli/exit_status.hpp"
#include "cli/grammar/command_line.hpp"
#include "cli/show/output.hpp"
#include "shared/base/log.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep {
namespace {

// Ends the program at once, because a regular end would need memory too. No stored result is lost: as after
// a kill, they are in the database or in a spool.
[[noreturn]] void end_without_memory() {
  constexpr std::string_view kText =
      "kernsweep: out of memory: this machine has too little, or the limit under which this program runs "
      "(ulimit -v, -d, a batch system's); what is stored is safe\n";
  if (write(STDERR_FILENO, kText.data(), kText.size()) < 0) _exit(kExitResumable);
  _exit(kExitResumable);
}

// What a parent may have left. A file of ours must not get the number of a standard stream, and the ends of
// child processes must be waited for.
void repair_inherited() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);  // gets the lowest free number
  signal(SIGCHLD, SIG_DFL);
}

int run_program(int argc, char** argv) {
  ChosenCommand chosen;
  if (const int status = read_command_line(argc, argv, chosen); status >= 0) return status;
  if (chosen.given.verbose) set_log_level(LogLevel::debug);
  if (!chosen.given.log.empty()) {
    if (const auto opened = open_log_file(chosen.given.log); !opened)
      return report_error(opened.error().message);
  }
  silence_decoders();
  return chosen.command->run(chosen.given);
}

}  // namespace
}  // namespace kernsweep

int main(int argc, char** argv) {
  std::set_new_handler(kernsweep::end_without_memory);
  kernsweep::repair_inherited();
  signal(SIGXFSZ, SIG_IGN);  // a file at its size limit gives an error instead of ending the program
  return kernsweep::flushed(kernsweep::run_program(argc, argv));
}
