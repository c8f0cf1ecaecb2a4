// The yardstick of the ratios, and their databases.
//
//   yardstick rows FILE COUNT    inserts bare SQLite rows into a new database; prints rows per second
//   yardstick made FILE COUNT    makes a database of that many stored jobs with eight columns each
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/bench/results/made_sweep.hpp"
#include "tests/gates/bare_rows.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string what = argv[1], file = argv[2];
  const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
  if (what == "made") return kernsweep::bench::make_jobs(file, count) ? 0 : 1;
  if (what != "rows") return 2;
  std::printf("%.17g\n", kernsweep::gates::bare_rows_per_s(file, count));
  return 0;
}
