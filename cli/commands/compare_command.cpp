// compare: two sides, or one against itself.
#include <filesystem>

#include "cli/commands/comparison_rules.hpp"
#include "cli/grammar/arguments.hpp"
#include "results/answer/compare.hpp"
#include "results/answer/split_halves.hpp"

namespace kernsweep {
namespace {

constexpr int kExitTooOften = 1;  // --aa

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// The sides that were given; where the first of three is the database, all others are in it.
Result<std::vector<Side>> sides_of(const Arguments& arguments) {
  const std::size_t wanted = arguments.against_itself ? 1 : 2;
  std::vector<std::string> texts = arguments.sides;
  std::string database = arguments.database;
  if (texts.size() == wanted + 1) {
    if (!database.empty()) return failure("compare: the database is named twice, in front and by --db");
    if (!is_file(texts.front())) return failure(texts.front() + ": there is no such file");
    database = texts.front();
    texts.erase(texts.begin());
  }
  if (texts.size() != wanted)
    return failure(arguments.against_itself
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

int print_split(const Arguments& arguments, Reader& reader, Side side, ComparisonRules rules) {
  const SplitQuestion question{.side = std::move(side),
                               .sweep = arguments.sweep,
                               .where = arguments.where,
                               .worst_grade = arguments.all_grades ? 'C' : 'B',
                               .rounds = arguments.rounds,
                               .rules = rules};
  const auto answer = split_halves(reader, question);
  if (!answer) return report_error(answer.error().message);
  const int status = answer->points == 0                  ? kExitNotComparable
                     : too_often(*answer, question.rules) ? kExitTooOften
                                                          : kExitSameOrFaster;
  return print_answer(arguments.json ? to_json(*answer) + "\n" : text_of(*answer, question), status);
}

int print_comparison(const Arguments& arguments, Reader& a, Reader& b, const std::vector<Side>& sides,
                     ComparisonRules rules) {
  const CompareQuestion question{.a = sides[0],
                                 .b = sides[1],
                                 .sweep = arguments.sweep,
                                 .where = arguments.where,
                                 .worst_grade = arguments.all_grades ? 'C' : 'B',
                                 .other_inputs = arguments.other_inputs,
                                 .rules = rules};
  const auto answer = compare(a, b, question);
  if (!answer) return report_error(answer.error().message);
  const int status = answer->not_comparable.empty() ? exit_status_of(answer->verdict) : kExitNotComparable;
  return print_answer(arguments.json ? to_json(*answer, question) + "\n" : text_of(*answer, question),
                      status);
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const auto rules = comparison_rules(arguments);
  if (!rules) return report_error(rules.error().message);
  const auto sides = sides_of(arguments);
  if (!sides) return report_error(sides.error().message);
  auto a = Reader::open(sides->front().file);
  if (!a) return report_error(a.error().message);
  if (arguments.against_itself) return print_split(arguments, *a, sides->front(), *rules);
  std::error_code error;
  if (std::filesystem::equivalent(sides->at(0).file, sides->at(1).file, error))
    return print_comparison(arguments, *a, *a, *sides, *rules);
  auto b = Reader::open(sides->at(1).file);
  if (!b) return report_error(b.error().message);
  return print_comparison(arguments, *a, *b, *sides, *rules);
}

}  // namespace kernsweep
