// compare: two sides, or one against itself.
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "cli/arguments.hpp"
#include "results/compare.hpp"
#include "results/split_halves.hpp"

namespace kernsweep {
namespace {

constexpr int kExitSameOrFaster = 0;
constexpr int kExitSlower = 1;
constexpr int kExitAmbiguous = 2;
constexpr int kExitNotComparable = 3;

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// "1%", "0.5 %" or "0.01", as a share.
std::optional<double> share_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error != std::errc() || (!rest.empty() && rest != "%")) return std::nullopt;
  if (!rest.empty()) number /= 100;
  if (!(number >= 0 && number <= 1)) return std::nullopt;
  return number;
}

Result<ComparisonRules> rules_of(const Arguments& arguments) {
  ComparisonRules rules;
  rules.seed = arguments.seed;
  if (arguments.threshold.empty()) return rules;
  const auto share = share_of(arguments.threshold);
  if (!share || *share <= 0)
    return failure("--threshold is a share above 0, such as 1% or 0.01, not '" + arguments.threshold + "'");
  rules.threshold = *share;
  return rules;
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

int finish(const std::string& text, int status) {
  std::printf("%s", text.c_str());
  if (std::fflush(stdout) != 0) return report_error("the output could not be written");
  return status;
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
  return finish(arguments.json ? to_json(*answer) + "\n" : text_of(*answer, question),
                answer->points > 0 ? kExitSameOrFaster : kExitNotComparable);
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
  int status = kExitSameOrFaster;
  if (answer->verdict == TimeVerdict::slower) status = kExitSlower;
  if (answer->verdict == TimeVerdict::ambiguous) status = kExitAmbiguous;
  if (!answer->not_comparable.empty()) status = kExitNotComparable;
  return finish(arguments.json ? to_json(*answer, question) + "\n" : text_of(*answer, question), status);
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const auto rules = rules_of(arguments);
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
