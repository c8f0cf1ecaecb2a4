// Runs one loop, for a program that counts its instructions.
//
//   hot_loops LOOP COUNT    prints what the loop returned
//   hot_loops               prints the loops, one a line, each with the COUNT that takes about 0.1 s
//   hot_loops --built-by    prints compiler, libc and architecture: with others it takes other instructions
#include "tests/gates/hot_loops.hpp"

#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

using namespace kernsweep::gates;

struct Loop {
  const char* name;
  std::uint64_t (*run)(std::uint64_t);
  std::uint64_t count;
};
constexpr Loop kLoops[] = {
    {"coordinator_core", coordinator_core, 20'480}, {"worker_core", worker_core, 20'480},
    {"jobs_written", jobs_written, 5'120},          {"jobs_read", jobs_read, 10'240},
    {"outcomes_written", outcomes_written, 10'240}, {"outcomes_read", outcomes_read, 10'240},
    {"sampler_blocks", sampler_blocks, 20},         {"sampler_calls", sampler_calls, 500},
};

void print_built_by() {
  utsname system{};
  uname(&system);
#ifdef __clang__
  const char* const compiler = "clang";
  const std::string version = std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  const char* const compiler = "gcc";
  const std::string version = std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
  std::printf("%s %s, glibc %s, %s\n", compiler, version.c_str(), gnu_get_libc_version(), system.machine);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string asked = argc > 1 ? argv[1] : "";
  if (asked == "--built-by") return print_built_by(), 0;
  for (const Loop& loop : kLoops) {
    if (argc == 1) {
      std::printf("%s %llu\n", loop.name, static_cast<unsigned long long>(loop.count));
    } else if (argc == 3 && asked == loop.name) {
      std::printf("%llu\n", static_cast<unsigned long long>(loop.run(std::strtoull(argv[2], nullptr, 10))));
      return 0;
    }
  }
  return argc == 1 ? 0 : 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "hot_loops: %s\n", error.what());
  return 1;
}
