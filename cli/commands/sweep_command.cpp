// check, expand, schema: what a sweep file means, without running it.
#include <cstdio>

#include "cli/commands/checked_sweep.hpp"
#include "cli/grammar/arguments.hpp"
#include "language/check/explain.hpp"
#include "language/file/keys.hpp"

namespace kernsweep {
namespace {

int show_points(const Arguments& arguments, const Expansion& expansion) {
  bool closed = false;
  expand(expansion, arguments.jobs, [&](const ExpandedPoint& each) {
    if (each.rejection && !arguments.explain) return true;
    const std::string line = arguments.json ? to_json(expansion, each) : to_text(expansion, each);
    closed = std::printf("%s\n", line.c_str()) < 0;
    return !closed;
  });
  return 0;
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  if (arguments.command == Command::schema) {
    std::printf("%s", sweep_json_schema().c_str());
    return 0;
  }
  const auto expansion = checked_sweep(arguments.file, arguments.replacements);
  if (!expansion) return report_error(expansion.error().message);
  if (arguments.command == Command::expand) return show_points(arguments, *expansion);
  const CheckReport report = check_report(*expansion);
  std::printf("%s\n", (arguments.json ? to_json(report) : to_text(report)).c_str());
  return 0;
}

}  // namespace kernsweep
