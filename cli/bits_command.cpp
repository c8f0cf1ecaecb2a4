// bits: which axis changes the bits of the output.
#include <cstdio>

#include "cli/arguments.hpp"
#include "results/bits.hpp"

namespace kernsweep {

int bits_command(const Arguments& arguments) {
  auto reader = Reader::open(arguments.file);
  if (!reader) return report_error(reader.error().message);
  const BitsQuestion question{arguments.sweep, arguments.all_grades ? 'C' : 'B'};
  const auto answer = bits(*reader, question);
  if (!answer) return report_error(answer.error().message);
  std::printf("%s",
              arguments.json ? (to_json(*answer) + "\n").c_str() : text_of(*answer, question).c_str());
  if (std::fflush(stdout) != 0) return report_error("the output could not be written");
  return 0;
}

}  // namespace kernsweep
