// bench_bare_loop LOOPS COUNT PROGRAM [ARGUMENT...]: as many processes as LOOPS, which together start the
// program COUNT times, one after the other in each: the least that starting programs costs. Nothing is
// kept. Each loop is bound to a core of its own, as slots are.
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace {

// To one of this process's cores, in turn.
void bind_to_core(int loop) {
  cpu_set_t ours, one;
  if (sched_getaffinity(0, sizeof ours, &ours) != 0) return;
  int left = loop % CPU_COUNT(&ours);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &ours) || left-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

void start_each(int loop, int count, char** words) {
  bind_to_core(loop);
  for (int i = 0; i < count; ++i) {
    pid_t child = 0;
    if (posix_spawn(&child, words[0], nullptr, nullptr, words, environ) != 0) _exit(1);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) _exit(1);
  }
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int loops = std::atoi(argv[1]);
  const int count = std::atoi(argv[2]);
  std::vector<pid_t> children;
  for (int i = 0; i < loops; ++i) {
    const pid_t child = fork();
    if (child == 0) start_each(i, count / loops, argv + 3);
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) failed = 1;
  }
  return failed;
}
