// bench_bare_loop LOOPS COUNT PROGRAM [ARGUMENT...]: as many processes as LOOPS, which together start the
// program COUNT times, one after the other in each: the least that starting programs costs. Nothing is
// kept.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace {

void start_each(int count, char** words) {
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
    if (child == 0) start_each(count / loops, argv + 3);
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) failed = 1;
  }
  return failed;
}
