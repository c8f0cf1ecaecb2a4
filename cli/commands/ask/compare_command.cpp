// The command `compare`: compares two sets of results, or with --aa one set with itself.
#include <filesystem>

#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/answer/compare.hpp"
#include "results/answer/split_halves.hpp"

namespace kernsweep {
namespace {

constexpr int kExitTooOften = 1;  // --aa found more differences than chance allows

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
  int print_split(Reader& reader, Side side, ComparisonRules rules) const;
  int print_comparison(Reader& a, Reader& b, const std::vector<Side>& sides, ComparisonRules rules) const;

  std::vector<std::string> sides_;  // [database] A B
  std::string database_, sweep_, where_, threshold_ = "1%";
  std::uint64_t seed_ = 1;
  std::uint32_t rounds_ = 0;  // of --aa; 0: chosen by the program
  bool all_grades_ = false, other_inputs_ = false, against_itself_ = false, json_ = false;
};

void CompareCommand::declare(Options& to) {
  to.option("sides", sides_, "[DATABASE] A B; with --aa only what to test").required().count(1, 3);
  to.option("--db", database_, "Results database of sides that name none");
  add_sweep_name(to, sweep_);
  to.option("--where", where_, "SQL condition over the columns of the sweep's view: --where 'm > 64'");
  add_threshold(to, threshold_);
  add_all_grades(to, all_grades_);
  to.flag("--other-inputs", other_inputs_, "Compare times although the inputs differ");
  to.flag("--aa", against_itself_,
          "Split the processes of each point in halves: how often are these called different?");
  to.option("--rounds", rounds_, "How often --aa splits each point (default: chosen)")
      .range(std::int64_t{1}, std::int64_t{100'000});
  to.option("--seed", seed_, "Of intervals and splits (default: 1)");
  add_json(to, json_);
}

// The sides that were given. If there is one word more than sides, the first is the database of the others.
Result<std::vector<Side>> CompareCommand::read_sides() const {
  const std::size_t wanted = against_itself_ ? 1 : 2;
  std::vector<std::string> texts = sides_;
  std::string database = database_;
  if (texts.size() == wanted + 1) {
    if (!database.empty()) return failure("compare: the database is named twice, in front and by --db");
    if (!is_file(texts.front())) return failure(texts.front() + ": there is no such file");
    database = texts.front();
    texts.erase(texts.begin());
  }
  if (texts.size() != wanted)
    return failure(against_itself_
                       ? "compare --aa takes one side; see kernsweep compare --help"
                       : "compare takes two sides, such as gemm.db variant=blas variant=onednn");
  std::vector<Side> sides;
  for (const std::string& text : texts) {
    auto side = parse_side(text, is_file);
    if (!side) return tl::unexpected<Error>(side.error());
    if (side->file.empty()) side->file = database;
    if (side->file.empty())
      return failure("'" + text +
                     "' names no database; give --db FILE.db, or FILE.db in front of both sides");
    sides.push_back(std::move(*side));
  }
  return sides;
}

int CompareCommand::print_split(Reader& reader, Side side, ComparisonRules rules) const {
  const SplitQuestion question{.side = std::move(side),
                               .sweep = sweep_,
                               .where = where_,
                               .worst_grade = all_grades_ ? 'C' : 'B',
                               .rounds = rounds_,
                               .rules = rules};
  const auto answer = split_halves(reader, question);
  if (!answer) return report_error(answer.error().message);
  const int status = answer->points == 0                  ? kExitNotComparable
                     : too_often(*answer, question.rules) ? kExitTooOften
                                                          : kExitSameOrFaster;
  return print_answer(json_ ? to_json(*answer) + "\n" : text_of(*answer, question), status);
}

int CompareCommand::print_comparison(Reader& a, Reader& b, const std::vector<Side>& sides,
                                     ComparisonRules rules) const {
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
  return print_answer(json_ ? to_json(*answer, question) + "\n" : text_of(*answer, question), status);
}

int CompareCommand::run(const Invocation&) {
  const auto rules = comparison_rules(threshold_, seed_);
  if (!rules) return report_error(rules.error().message);
  const auto sides = read_sides();
  if (!sides) return report_error(sides.error().message);
  auto a = Reader::open(sides->front().file);
  if (!a) return report_error(a.error().message);
  if (against_itself_) return print_split(*a, sides->front(), *rules);
  std::error_code error;
  if (std::filesystem::equivalent(sides->at(0).file, sides->at(1).file, error))
    return print_comparison(*a, *a, *sides, *rules);
  auto b = Reader::open(sides->at(1).file);
  if (!b) return report_error(b.error().message);
  return print_comparison(*a, *b, *sides, *rules);
}

}  // namespace

CommandEntry compare_command() {
  return {"compare", "Compare two sets of results",
          "A and B: FILE.db, SWEEP, tag:KEY=VALUE, commit:PREFIX, host:NAME, AXIS=VALUE (both of one "
          "axis), or\n"
          "FILE.db: and one of these; docs/guides/comparing.md has the rules.\n"
          "Exit status: 0 same or faster, 1 B is slower somewhere, 2 ambiguous (or bad usage: then stderr "
          "says\n"
          "what is wrong), 3 not comparable. With --aa: 0, or 1 when more halves are called different than "
          "chance\n"
          "may do (1 %), 3 no point has enough processes.",
          std::make_unique<CompareCommand>()};
}

}  // namespace kernsweep
