// bits: which axis changes the bits of the output.
#include "cli/grammar/arguments.hpp"
#include "results/answer/bits.hpp"

namespace kernsweep {

int bits_command(const Arguments& arguments) {
  auto reader = Reader::open(arguments.file);
  if (!reader) return report_error(reader.error().message);
  const BitsQuestion question{arguments.sweep, arguments.all_grades ? 'C' : 'B'};
  const auto answer = bits(*reader, question);
  if (!answer) return report_error(answer.error().message);
  return print_answer(arguments.json ? to_json(*answer) + "\n" : text_of(*answer, question));
}

}  // namespace kernsweep
