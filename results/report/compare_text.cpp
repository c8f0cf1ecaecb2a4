#include "results/report/compare_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

// Four decimals for ordinary ratios, fewer digits for the extreme bounds that very few processes give.
std::string text_of_ratio(double ratio) {
  if (ratio >= 0.001 && ratio < 100) return fmt::format("{:.4f}", ratio);
  return ratio >= 100 && ratio < 1e5 ? fmt::format("{:.1f}", ratio) : fmt::format("{:.2g}", ratio);
}

std::string left_out(const ComparedSide& side, const std::string& name, char worst_grade) {
  std::string text;
  if (side.failed > 0) text += fmt::format(", {} failed", text_of_count(side.failed));
  if (side.graded_below > 0)
    text += fmt::format(", {} graded below {}", text_of_count(side.graded_below), worst_grade);
  if (side.alone > 0) text += fmt::format(", {} without a partner", counted(side.alone, "point", "points"));
  if (text.empty()) return "";
  return fmt::format("left out of {} ({}, {}): {}\n{}", name, counted(side.jobs, "job", "jobs"),
                     counted(side.points, "point", "points"), text.substr(2), text_of(side.implausible));
}

}  // namespace

RowSet table_of(const CompareAnswer& comparison, bool whole) {
  RowSet table{comparison.differing, {}};
  const bool needs = whole || comparison.undecided > 0;
  for (const char* name :
       {"a_median_s", "b_median_s", whole ? "ratio" : "B/A", "low", "high", "p", "processes", "verdict"})
    table.columns.emplace_back(name);
  if (needs) table.columns.emplace_back("processes_needed");
  if (whole) table.columns.insert(table.columns.end(), {"equal_within", "a_result", "b_result"});
  for (const ComparedPair& pair : comparison.rows) {
    const TimeDifference& found = pair.difference;
    const auto bound = [&](double of) {
      if (whole) return pair.is_bounded() ? Value(of) : Value();
      return Value(pair.is_bounded() && is_told(of, found.ratio) ? text_of_ratio(of) : "not known");
    };
    const bool equal = pair.verdict == TimeVerdict::undecided && found.equal_within <= kEqualMost;
    const std::string verdict = equal && !whole ? "equal within " + percent_at_most(found.equal_within)
                                                : std::string(name_of(pair.verdict));
    std::vector<Value>& row = table.rows.emplace_back(pair.parameters);
    row.insert(row.end(),
               {pair.a_median_s, pair.b_median_s,
                whole ? Value(found.ratio) : Value(text_of_ratio(found.ratio)), bound(found.bounds.low),
                bound(found.bounds.high), whole ? Value(pair.p) : Value(fmt::format("{:.2g}", pair.p)),
                fmt::format("{}/{}", found.processes_a, found.processes_b), verdict});
    const auto needed = static_cast<std::int64_t>(pair.processes_needed());
    if (needs) row.push_back(needed > 0 ? Value(needed) : Value());
    if (whole)
      row.insert(row.end(), {finite_value(found.equal_within), static_cast<std::int64_t>(pair.a_result),
                             static_cast<std::int64_t>(pair.b_result)});
  }
  return table;
}

std::string text_of(const CompareAnswer& comparison, const CompareQuestion& question) {
  std::string text =
      fmt::format("A  {}\nB  {}\n", one_line(comparison.a.text), one_line(comparison.b.text));
  if (!comparison.not_comparable.empty())
    return text + "not comparable: " + one_line(comparison.not_comparable) + "\n" +
           text_of(comparison.a.implausible) + text_of(comparison.b.implausible);
  text += text_of_everywhere(comparison.everywhere);
  text += text_table(table_of(comparison, false), {.settings = comparison.differing.size()});
  for (const auto& [side, name] : {std::pair(&comparison.a, "A"), std::pair(&comparison.b, "B")})
    text += left_out(*side, name, question.worst_grade);
  if (const std::uint64_t disturbed = comparison.a.disturbed + comparison.b.disturbed; disturbed > 0)
    text += fmt::format("{} measured under disturbance; {}, with the time that it may have added\n",
                        counted(disturbed, "result was", "results were"),
                        disturbed == 1 ? "it counts" : "they count");
  if (comparison.other_inputs > 0 && !question.other_inputs)
    text +=
        fmt::format("left out: {} with other inputs\n", counted(comparison.other_inputs, "pair", "pairs"));
  if (comparison.shared > 0)
    text += fmt::format("left out: {} that both sides share (in {})\n",
                        counted(comparison.shared, "measurement", "measurements"),
                        counted(comparison.shared_pairs, "pair", "pairs"));
  if (comparison.nothing_own > 0)
    text += fmt::format(
        "left out: {} where one side has no measurements of its own; --again measures both again\n",
        counted(comparison.nothing_own, "pair", "pairs"));
  if (comparison.single > 0) {
    const bool doubtful = comparison.a.graded_below > comparison.a.implausible.size() ||
                          comparison.b.graded_below > comparison.b.implausible.size();
    text += fmt::format(
        "too few processes: {} with a single one on a side, which says nothing of "
        "the spread between processes; {}{}\n",
        counted(comparison.single, "pair", "pairs"),
        text_of_more_processes(comparison.a.imported_from.empty() ? comparison.b.imported_from
                                                                  : comparison.a.imported_from),
        doubtful && question.worst_grade < 'C' ? ", --all-grades uses those graded C" : "");
  }
  if (comparison.identical > 0)
    text += fmt::format("{} hold the same stored measurements on both sides; --again measures both again\n",
                        counted(comparison.identical, "pair", "pairs"));
  for (const std::string& note : comparison.notes) text += one_line(note) + "\n";
  const EvidenceRules& rules = comparison.rules;
  text += fmt::format("{} tested; p adjusted for that many; {} confidence; the margin is {}\n",
                      counted(comparison.compared, "pair", "pairs"), percent(1 - rules.alpha),
                      percent(rules.margin));
  if (comparison.pairs > 1)  // of one pair the table has it
    text += fmt::format("B over A, geometric mean of {}: {} ({})\n",
                        counted(comparison.pairs, "pair", "pairs"), text_of_ratio(comparison.mean_ratio),
                        text_of_bounds(comparison.mean_bounds, comparison.mean_ratio, text_of_ratio));
  return text + fmt::format("{}: {} slower, {} undecided, {} faster, {} same\n",
                            name_of(comparison.verdict), text_of_count(comparison.slower),
                            text_of_count(comparison.undecided), text_of_count(comparison.faster),
                            text_of_count(comparison.same));
}

namespace {

std::string json_side(const ComparedSide& side) {
  JsonObject object;
  object.add("what", side.text).count("jobs", side.jobs).count("failed", side.failed);
  object.count("graded_below", side.graded_below).count("disturbed", side.disturbed);
  object.count("points", side.points).count("alone", side.alone);
  if (!side.implausible.empty()) object.add_raw("implausible", to_json(side.implausible));
  return object.text();
}

}  // namespace

std::string to_json(const CompareAnswer& comparison) {
  JsonObject object;
  object.add_raw("a", json_side(comparison.a)).add_raw("b", json_side(comparison.b));
  if (!comparison.not_comparable.empty())
    return object.add("not_comparable", comparison.not_comparable).text();
  const EvidenceRules& rules = comparison.rules;
  object.add("verdict", name_of(comparison.verdict)).count("pairs", comparison.pairs);
  object.count("compared", comparison.compared).count("identical", comparison.identical);
  object.count("other_inputs", comparison.other_inputs).count("other_outputs", comparison.other_outputs);
  object.count("single_process", comparison.single);
  object.count("shared", comparison.shared).count("shared_pairs", comparison.shared_pairs);
  object.count("nothing_own", comparison.nothing_own);
  object.count("slower", comparison.slower).count("undecided", comparison.undecided);
  object.count("faster", comparison.faster).count("same", comparison.same);
  const auto known = [&](double bound) {
    return std::isfinite(comparison.mean_bounds.high) ? Value(bound) : Value();
  };
  object.add("mean_ratio", comparison.mean_ratio).add("mean_low", known(comparison.mean_bounds.low));
  object.add("mean_high", known(comparison.mean_bounds.high));
  object.add("margin", rules.margin).add("alpha", rules.alpha);
  object.add_raw("notes", json_list(comparison.notes));
  object.add_raw("everywhere", json_of_members(comparison.everywhere));
  object.add_raw("differing", json_list(comparison.differing));
  return object.add_raw("rows", to_json(table_of(comparison, true))).text();
}

}  // namespace kernsweep
