// The command `doctor`: checks whether this host is suitable for measurements. Changes nothing.
#include <cstdlib>

#include "cli/commands/repair/library_probe.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/doctor_text.hpp"
#include "cli/show/json.hpp"
#include "cli/show/output.hpp"
#include "shared/base/installation.hpp"
#include "worker/gpus.hpp"
#include "worker/host/doctor/activity.hpp"
#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

constexpr double kWindow_s = 0.5;
constexpr int kExitBadHost = 1;

std::vector<std::uint32_t> numbers_of(const std::vector<CpuConditions>& cpus) {
  std::vector<std::uint32_t> numbers;
  for (const CpuConditions& cpu : cpus) numbers.push_back(cpu.cpu);
  return numbers;
}

// Reads the state of this host. The load is measured first, because the other checks cause load themselves.
HostConditions look_at_this_host() {
  HostConditions host = conditions_under("/");
  host.disturbance = watch_disturbance(numbers_of(host.cpus), kWindow_s);
  auto asked_gpus = ask_for_gpus();
  add_capabilities(host);
  const char* const given = std::getenv("LD_LIBRARY_PATH");
  const std::string search_path = std::string(given ? given : "") + ":" + library_folder();
  ask_libraries(blas_files_in(library_folders_under("/", search_path)), host);
  host.gpu.reported = std::make_shared<const wire::Gpus>(gpus_of(asked_gpus));
  return host;
}

class DoctorCommand : public Command {
 public:
  void declare(Options& to) override { add_json(to, json_); }

  int run(const Invocation& given) override {
    const auto findings = examine(look_at_this_host());
    const std::string answer =
        json_ ? findings_json(findings) + "\n" : doctor_text(findings, given.verbose);
    return print_answer(answer, count_of(findings, Verdict::bad) > 0 ? kExitBadHost : 0);
  }

 private:
  bool json_ = false;
};

}  // namespace

CommandEntry doctor_command() {
  return {"doctor", "Check whether this machine is fit for measurements; changes nothing",
          "-v also explains good findings; docs/reference/doctor.md explains each check.\n"
          "Exit status: 0 nothing is bad, 1 something is, 2 bad usage.",
          std::make_unique<DoctorCommand>()};
}

}  // namespace kernsweep
