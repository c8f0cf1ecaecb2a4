// The command `show`: one result.
#include <cstdio>
#include <utility>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/answer/compare/provenance_difference.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "results/read/reader.hpp"
#include "results/read/show.hpp"
#include "results/read/wrong_points.hpp"
#include "results/report/json.hpp"
#include "results/report/show_text.hpp"
#include "results/roofs/roof_rows.hpp"
#include "results/text/table.hpp"

namespace kernsweep {
namespace {

class ShowCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  int print_changes(Reader& reader, const Shown& one, bool verbose) const;

  std::string database_, result_, other_result_, roofs_file_;
  bool json_ = false;
};

void ShowCommand::declare(Options& to) {
  add_database(to, database_);
  add_result(to, result_);
  to.option("--diff", other_result_,
            "Another result: show how hosts, software, inputs, settings and outputs differ");
  to.option("--roofs", roofs_file_, "Database with the roofs of its host (default: the same)");
  add_json(to, json_);
}

int ShowCommand::print_changes(Reader& reader, const Shown& one, bool verbose) const {
  const auto other = show(reader, other_result_);
  if (!other) return report_error(other.error().message);
  RowSet changes = provenance_changes(one, *other);
  for (auto& row : output_changes(one, *other).rows) changes.rows.push_back(std::move(row));
  if (json_) {
    std::printf("%s\n", to_json(changes).c_str());
  } else if (changes.rows.empty()) {
    std::printf("same point, process settings, software, inputs, output and host\n");
  } else {
    TableStyle style;
    style.cell_max = verbose ? static_cast<std::size_t>(-1) : 48;
    std::printf("%s", text_table(changes, style).c_str());
  }
  return 0;
}

int ShowCommand::run(const Invocation& given) {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  auto shown = show(*reader, result_);
  if (!shown) return report_error(shown.error().message);
  if (!other_result_.empty()) return print_changes(*reader, *shown, given.verbose);
  const auto roofs = roofs_for(*reader, roofs_file_);
  if (!roofs) return report_error(roofs.error().message);
  add_share(*shown, *reader, *roofs, json_ ? Detail::numbers : Detail::line);
  if (const Status added = add_outputs(*shown, *reader); !added) return report_error(added.error().message);
  if (const Status graded = grade_beside_wrong(*shown, *reader); !graded)
    return report_error(graded.error().message);
  if (json_) {
    std::printf("%s\n", to_json(*shown).c_str());
    return 0;
  }
  const std::string more = "kernsweep show " + database_ + " " + result_ + " -v";
  std::printf("%s", summary_of(*shown, given.verbose ? "" : more).c_str());
  if (given.verbose) std::printf("\n%s", text_of(*shown).c_str());
  return 0;
}

}  // namespace

CommandEntry show_command() {
  return {"show", "One result: what matters; with -v everything", kAnswerFooter,
          std::make_unique<ShowCommand>()};
}

}  // namespace kernsweep
