// kernsweep-slot: the process that measures. Started by the worker; with --once, by hand for one job.
#include <cstdio>
#include <cstring>

#include "worker/slot/isolated/serve_isolated.hpp"
#include "worker/slot/job/outside_reference.hpp"
#include "worker/slot/once.hpp"
#include "worker/slot/pack/runtime_probe.hpp"
#include "worker/slot/slot.hpp"

int main(int argc, char** argv) {
  constexpr int kSetupDescriptor = 3;
  if (argc >= 3 && std::strcmp(argv[1], "--describe") == 0) {
    const bool probe = argc >= 4 && std::strcmp(argv[3], "--probe") == 0;
    return kernsweep::describe_pack(argv[2], probe, 1);
  }
  if (argc >= 2 && std::strcmp(argv[1], "--runtime") == 0)
    return kernsweep::answer_runtime_question({argv + 2, argv + argc}, 1);
  if (argc >= 2 && std::strcmp(argv[1], "--prepare") == 0)
    return kernsweep::answer_prepare_question({argv + 2, argv + argc}, 1);
  if (argc == 3 && std::strcmp(argv[1], "--opens") == 0) return kernsweep::answer_open_question(argv[2], 1);
  if (argc == 2 && std::strcmp(argv[1], "--gpus") == 0) return kernsweep::describe_gpus(1);
  if (argc == 3 && std::strcmp(argv[1], "--try-gpu") == 0) return kernsweep::answer_gpu_trial(argv[2], 1);
  if (argc == 2 && std::strcmp(argv[1], "--serve") == 0) return kernsweep::serve_slot(kSetupDescriptor);
  if (argc >= 2 && std::strcmp(argv[1], "--once") == 0) return kernsweep::run_once({argv + 2, argv + argc});
  if (argc == 2 && std::strcmp(argv[1], "--isolated") == 0)
    return kernsweep::serve_isolated(kSetupDescriptor);
  if (argc == 3 && std::strcmp(argv[1], "--reference") == 0) return kernsweep::answer_reference(argv[2]);
  std::fprintf(stderr,
               "kernsweep-slot is started by 'kernsweep worker'. By hand it measures one job:\n"
               "  kernsweep-slot --once [--json] JOB\n"
               "'kernsweep repro DATABASE RESULT' prints the whole line for a stored one.\n");
  return 2;
}
