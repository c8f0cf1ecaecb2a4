#include "worker/slot/slot_main.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "worker/slot/isolated/confined_build.hpp"
#include "worker/slot/isolated/serve_isolated.hpp"
#include "worker/slot/once.hpp"
#include "worker/slot/pack/runtime_probe.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/slot.hpp"
#include "worker/slot/verify/outside_reference.hpp"

namespace kernsweep {

int slot_main(int argc, char** argv) {
  constexpr int kSetupDescriptor = 3;
  const std::vector<std::string> words(argv + 1, argv + argc);
  // These options name a pack, which may need a Python; --serve, --once and --reference check it later.
  for (const char* option : {"--describe", "--runtime", "--prepare", "--isolated"})
    if (words.size() >= 2 && words[0] == option) become_interpreter_for(words[1], words);
  if (argc >= 3 && std::strcmp(argv[1], "--describe") == 0) {
    const bool probe = argc >= 4 && std::strcmp(argv[3], "--probe") == 0;
    return describe_pack(argv[2], probe, 1);
  }
  if (argc >= 2 && std::strcmp(argv[1], "--runtime") == 0)
    return answer_runtime_question({argv + 2, argv + argc}, 1);
  if (argc >= 2 && std::strcmp(argv[1], "--prepare") == 0)
    return answer_prepare_question({argv + 2, argv + argc}, 1);
  if (argc == 3 && std::strcmp(argv[1], "--opens") == 0) return answer_open_question(argv[2], 1);
  if (argc == 2 && std::strcmp(argv[1], "--gpus") == 0) return describe_gpus(1);
  if (argc == 3 && std::strcmp(argv[1], "--try-gpu") == 0) return answer_gpu_trial(argv[2], 1);
  if (argc == 2 && std::strcmp(argv[1], "--serve") == 0) return serve_slot(kSetupDescriptor);
  if (argc >= 2 && std::strcmp(argv[1], "--once") == 0) return run_once({argv + 2, argv + argc});
  if (argc > 4 && std::strcmp(argv[1], "--build") == 0) return run_confined_build({argv + 2, argv + argc});
  if (argc == 3 && std::strcmp(argv[1], "--isolated") == 0) return serve_isolated(kSetupDescriptor);
  if (argc == 3 && std::strcmp(argv[1], "--reference") == 0) return answer_reference(argv[2]);
  std::fprintf(stderr,
               "kernsweep-slot is started by 'kernsweep worker'. By hand it measures one job:\n"
               "  kernsweep-slot --once [--json] JOB\n"
               "'kernsweep repro DATABASE RESULT' prints the whole line for a stored one.\n");
  return 2;
}

}  // namespace kernsweep
