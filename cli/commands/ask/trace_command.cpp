// The command `trace`: the time line of a sweep, for Perfetto.
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "cli/show/whole_file.hpp"
#include "results/report/trace.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

class TraceCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    to.option("sweep", sweep_, "Name or number of the sweep (default: the newest)");
    to.option("-o,--output", path_, "File for the time line, such as trace.json (default: none)");
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    TraceSums sums;
    const auto write = [&](const Sink& sink) -> Status {
      KS_ASSIGN_OR_RETURN(sums, write_trace(*reader, sweep_, sink));
      return Done{};
    };
    const auto drop = [](std::string_view) -> Status { return Done{}; };
    const Status written = path_.empty() ? write(drop) : write_whole_file(path_, write);
    if (!written) return report_error(written.error().message);
    return json_ ? print_as_it_is(to_json(sums) + "\n") : print_answer(text_of(sums, path_));
  }

 private:
  std::string database_, sweep_, path_;
  bool json_ = false;
};

}  // namespace

CommandEntry trace_command() {
  return {"trace", "Report where the time of a sweep went, and write its time line for Perfetto",
          kAnswerFooter, std::make_unique<TraceCommand>()};
}

}  // namespace kernsweep
