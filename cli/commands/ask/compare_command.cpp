// The command `compare`: compares two sets of results.
#include <filesystem>

#include "cli/commands/ask/check_output.hpp"
#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/report/answer_checks.hpp"
#include "results/report/compare_text.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

class CompareCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<std::vector<Side>> read_sides() const;
  int print_comparison(Reader& a, Reader& b, const std::vector<Side>& sides, EvidenceRules rules) const;

  std::vector<std::string> sides_;  // [database] A B
  std::string database_, sweep_, where_, margin_ = "1%";
  bool all_grades_ = false, other_inputs_ = false, json_ = false;
  CheckOutput checks_;
};

void CompareCommand::declare(Options& to) {
  to.option("sides", sides_, "[DATABASE] A B").required().count(1, 3);
  to.option("--db", database_, "Results database of sides that name none");
  add_sweep_name(to, sweep_);
  add_where(to, where_);
  add_margin(to, margin_);
  add_all_grades(to, all_grades_);
  to.flag("--other-inputs", other_inputs_, "Compare times although the inputs differ");
  add_json(to, json_);
  checks_.declare(to);
}

// The sides that were given. If there is one word more than sides, the first is the database of the others.
Result<std::vector<Side>> CompareCommand::read_sides() const {
  std::vector<std::string> texts = sides_;
  std::string database = database_;
  if (texts.size() == 3) {
    if (!database.empty()) return failure("compare: the database is named twice, in front and by --db");
    if (!is_file(texts.front())) return failure(texts.front() + ": there is no such file");
    database = texts.front();
    texts.erase(texts.begin());
  }
  if (texts.size() != 2)
    return failure("compare takes two sides, such as gemm.db variant=blas variant=onednn");
  std::vector<Side> sides;
  for (const std::string& text : texts) {
    KS_ASSIGN_OR_RETURN(auto side, parse_side(text, is_file));
    if (side.file.empty()) side.file = database;
    if (side.file.empty())
      return failure("'" + text +
                     "' names no database; give --db FILE.db, or FILE.db in front of both sides");
    sides.push_back(std::move(side));
  }
  return sides;
}

int CompareCommand::print_comparison(Reader& a, Reader& b, const std::vector<Side>& sides,
                                     EvidenceRules rules) const {
  const CompareQuestion question{.a = sides[0],
                                 .b = sides[1],
                                 .sweep = sweep_,
                                 .where = where_,
                                 .worst_grade = all_grades_ ? 'C' : 'B',
                                 .other_inputs = other_inputs_,
                                 .rules = rules};
  const auto answer = compare(a, b, question);
  if (!answer) return report_error(answer.error().message);
  const int status = answer->not_comparable.empty() ? exit_status_of(answer->verdict) : kExitNotComparable;
  return checks_.print(json_ ? to_json(*answer) + "\n" : text_of(*answer, question), status,
                       checks_of(*answer), json_);
}

int CompareCommand::run(const Invocation&) {
  const auto rules = comparison_rules(margin_);
  if (!rules) return report_error(rules.error().message);
  const auto sides = read_sides();
  if (!sides) return report_error(sides.error().message);
  auto a = Reader::open(sides->front().file);
  if (!a) return report_error(a.error().message);
  std::error_code error;
  if (std::filesystem::equivalent(sides->at(0).file, sides->at(1).file, error))
    return print_comparison(*a, *a, *sides, *rules);
  auto b = Reader::open(sides->at(1).file);
  if (!b) return report_error(b.error().message);
  return print_comparison(*a, *b, *sides, *rules);
}

}  // namespace

CommandEntry compare_command() {
  return {
      "compare", "Compare two sets of results",
      "A and B: FILE.db, SWEEP, tag:KEY=VALUE, commit:PREFIX, host:NAME, AXIS=VALUE (both of one "
      "axis), or\n"
      "FILE.db: and one of these; docs/guides/comparing.md has the rules.\n"
      "Exit status: 0 same or faster, 1 B is slower somewhere, 2 bad usage, 3 not comparable, 4 undecided "
      "somewhere.",
      std::make_unique<CompareCommand>()};
}

}  // namespace kernsweep
