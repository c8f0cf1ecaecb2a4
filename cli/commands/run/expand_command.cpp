// The command `expand`: lists the points of a sweep file.
#include <cstdio>

#include "cli/commands/run/checked_sweep.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "language/check/explain.hpp"

namespace kernsweep {
namespace {

class ExpandCommand : public Command {
 public:
  void declare(Options& to) override {
    add_sweep_source(to, source_);
    to.flag("--list", list_, "Only the points that will be measured (default)");
    to.flag("--explain", explain_, "Rejected points too, with the rule that rejected each");
    to.flag("--jobs", jobs_, "The job numbers of each point, as `explain` and the database use them");
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    const auto expansion = checked_sweep(source_);
    if (!expansion) return report_error(expansion.error().message);
    const Sweep& sweep = expansion->sweep();
    if (jobs_ && sweep.order == Order::shuffle && sweep.order_seed == 0)
      return report_error(
          "the order of the jobs is drawn when the sweep begins, so they have no numbers yet; of a sweep "
          "that has begun, kernsweep sql DB \"select name, replacements from sweep\" shows its order_seed: "
          "give --set measure.order_seed=N");
    bool closed = false;
    expand(*expansion, jobs_, [&](const ExpandedPoint& each) {
      if (each.rejection && !explain_) return true;
      const std::string line = json_ ? to_json(*expansion, each) : to_text(*expansion, each);
      closed = std::printf("%s\n", line.c_str()) < 0;
      return !closed;
    });
    return 0;
  }

 private:
  SweepSource source_;
  bool list_ = false, explain_ = false, jobs_ = false, json_ = false;
};

}  // namespace

CommandEntry expand_command() {
  return {"expand", "Show each point of a sweep file", kAnswerFooter, std::make_unique<ExpandCommand>()};
}

}  // namespace kernsweep
