// kernsweep-slot: the process that measures. Started by the agent, not by hand.
#include <cstdio>
#include <cstring>

#include "worker/slot/runtime_probe.hpp"
#include "worker/slot/slot.hpp"

int main(int argc, char** argv) {
  constexpr int kSetupDescriptor = 3;
  if (argc >= 3 && std::strcmp(argv[1], "--describe") == 0) {
    const bool probe = argc >= 4 && std::strcmp(argv[3], "--probe") == 0;
    return kernsweep::describe_pack(argv[2], probe, 1);
  }
  if (argc >= 2 && std::strcmp(argv[1], "--runtime") == 0)
    return kernsweep::answer_runtime_question({argv + 2, argv + argc}, 1);
  if (argc == 2 && std::strcmp(argv[1], "--serve") == 0) return kernsweep::serve_slot(kSetupDescriptor);
  std::fprintf(stderr, "kernsweep-slot is started by 'kernsweep worker'; it has no use by hand\n");
  return 2;
}
