#include "results/report/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "results/answer/best/best_metric.hpp"
#include "results/report/best_table.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/end_notes.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/metric_name.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

// Whether `--grade C` would show any result that is left out.
bool is_some_graded_c(const BestAnswer& answer) {
  return answer.worst_grade < 'C' && answer.left_out_grade > answer.implausible.size();
}

std::string no_rows(const BestAnswer& answer, const std::string& database) {
  if (answer.jobs == 0)
    return fmt::format("no result to compare: no job of '{}' has its outcome yet\n", answer.sweep);
  const auto of_all = [&](std::uint64_t count, const char* one, const char* more) {
    return fmt::format("{} of {} {}", text_of_count(count), counted(answer.jobs, "job", "jobs"),
                       count == 1 ? one : more);
  };
  std::vector<std::string> reasons;
  if (answer.left_out_failed > 0)
    reasons.push_back(fmt::format("{} none; see kernsweep sql {} \"select status, reason from results\"",
                                  of_all(answer.left_out_failed, "has", "have"), database));
  if (answer.left_out_without > 0)
    reasons.push_back(fmt::format("{} no {}{}", of_all(answer.left_out_without, "has", "have"),
                                  answer.metric, reason_of_lack(answer.metric)));
  if (answer.left_out_grade > 0)
    reasons.push_back(fmt::format("{} graded below {}{}", of_all(answer.left_out_grade, "is", "are"),
                                  answer.worst_grade,
                                  is_some_graded_c(answer) ? "; see " + best_with_grade_c(database) : ""));
  return fmt::format("no result to compare: {}\n{}{}", fmt::join(reasons, "; "),
                     text_of(answer.grade_cause), text_of(answer.implausible));
}

// The values of the row that distinguish its problem, cache state and host from the others.
std::string problem_of(const BestAnswer& answer, const BestRow& row,
                       const std::vector<BestColumn>& columns) {
  std::string text;
  for (std::size_t at = 0; at < columns.size() && columns[at].kind <= BestColumn::Kind::place; ++at) {
    const bool same_for_all = at < answer.by.size() && answer.everywhere[at] != 0;
    const Value value = columns[at].of(row);
    if (same_for_all || value.is_null()) continue;
    text += (text.empty() ? "" : " ") + columns[at].name + "=" + one_line(value.to_text());
  }
  return text.empty() ? "" : text + ": ";
}

// "5.5 ms in 2, 10.7 ms in 2 of 4 processes"
std::string text_of_split(const Split& split, const BestAnswer& answer) {
  const auto shown = [&](double log) {
    const double number = std::exp(answer.better == Better::larger ? -log : log);
    return is_in_seconds(answer.metric) ? text_of_seconds(number) : text_of_number(number);
  };
  return fmt::format("{} in {}, {} in {} of {} processes", shown(split.fast_log), split.fast,
                     shown(split.slow_log), split.slow, split.fast + split.slow);
}

std::string text_of_member(const BestSetMember& member, const BestAnswer& answer) {
  std::string text = one_line(member.difference);
  if (member.disturbed) text += " (disturbed)";
  if (member.other_output) text += " (another output)";
  if (member.split) text += " (" + text_of_split(member.split, answer) + ")";
  return text;
}

// A line for each row whose contest is undecided: which other points could be best, and how to decide it.
std::string text_of_open(const BestAnswer& answer, const std::vector<BestColumn>& columns) {
  constexpr std::size_t kOpenShown = 6, kOthersShown = 3;
  std::string text;
  std::size_t open = 0;
  for (const BestRow& row : answer.rows) {
    const BestSet& set = row.set;
    if (!row.verdict || row.verdict == ContestVerdict::wins) continue;
    if (++open > kOpenShown) continue;
    std::string others;
    std::size_t shown = 1;  // the table has the first one
    for (; shown < set.members.size() && shown <= kOthersShown; ++shown)
      others += (shown > 1 ? "; " : "") + text_of_member(set.members[shown], answer);
    if (set.size > shown) others += fmt::format("; and {} more", set.size - shown);
    std::vector<std::string> parts;
    if (!others.empty())
      parts.push_back((row.equal_within > 0
                           ? fmt::format("equal within {}: ", percent_at_most(row.equal_within))
                           : "could also be best: ") +
                      others);
    if (row.processes_disturbed > 0)
      parts.push_back(fmt::format("{} of {} processes of the setting in the table were disturbed",
                                  row.processes_disturbed, row.processes));
    if (const Split& split = set.members.front().split)
      parts.push_back("processes of the setting in the table fall into two groups: " +
                      text_of_split(split, answer));
    if (row.processes_needed > 0)
      parts.push_back(fmt::format("about {} processes a point would decide it", row.processes_needed));
    text += fmt::format("  {}{}\n", problem_of(answer, row, columns), fmt::join(parts, "; "));
  }
  if (open == 0) return "";
  if (open > kOpenShown) text += fmt::format("  ... and {} more\n", open - kOpenShown);
  return fmt::format("Where nothing wins with {:g} % confidence ({}):\n{}", 100 * (1 - answer.alpha),
                     text_of_more_processes(answer.imported_from), text);
}

// A line for each row that has points outside of its contest because of a number that is not above zero.
std::string text_of_not_judged(const BestAnswer& answer, const std::vector<BestColumn>& columns) {
  constexpr std::size_t kRowsShown = 6, kPointsShown = 3;
  std::string text;
  std::size_t rows = 0;
  for (const BestRow& row : answer.rows) {
    const BestSet& set = row.set;
    if (set.not_judged_size == 0 || ++rows > kRowsShown) continue;
    std::vector<std::string> names, parts;
    if (set.size == 0) names.emplace_back("the one in the table");
    for (const BestSetMember& member : set.not_judged)
      if (names.size() < kPointsShown) names.push_back(text_of_member(member, answer));
    if (set.not_judged_size > names.size())
      names.push_back(fmt::format("and {} more", set.not_judged_size - names.size()));
    parts.push_back(fmt::format("{}", fmt::join(names, ", ")));
    if (!set.others_verdict.empty()) {
      std::string others = fmt::format("of the others {} {}", text_of_member(set.others.front(), answer),
                                       set.others_verdict);
      for (std::size_t i = 1; i < std::min(set.others.size(), kPointsShown); ++i)
        others += (i == 1 ? ", next to " : "; ") + text_of_member(set.others[i], answer);
      parts.push_back(std::move(others));
    }
    text += fmt::format("  {}{}\n", problem_of(answer, row, columns), fmt::join(parts, "; "));
  }
  if (rows == 0) return "";
  if (rows > kRowsShown) text += fmt::format("  ... and {} more\n", rows - kRowsShown);
  return fmt::format(
      "Not judged, because {} is not above zero in some process and has no logarithm; verdicts are about "
      "the others:\n{}",
      answer.metric, text);
}

std::string text_of_rates(const BestAnswer& answer) {
  if (answer.rates_for.empty()) return "";
  return fmt::format("compared by {}, not by time: {} {} within a group, and so does the work of a call\n",
                     answer.metric, fmt::join(answer.rates_for, ", "),
                     answer.rates_for.size() == 1 ? "differs" : "differ");
}

std::string text_of_several_software(const BestAnswer& answer) {
  constexpr std::size_t kNamesShown = 4;
  if (answer.several_software == 0) return "";
  const std::size_t shown = std::min(answer.changed.size(), kNamesShown);
  std::string names = fmt::format("{}", fmt::join(std::span(answer.changed).first(shown), ", "));
  if (shown < answer.changed.size()) names += fmt::format(" and {} more", answer.changed.size() - shown);
  return fmt::format("{} measured by more than one software, whose times are not taken together{}\n",
                     answer.several_software == 1 ? "1 point was"
                                                  : text_of_count(answer.several_software) + " points were",
                     names.empty() ? "" : "; what changed: " + names);
}

template <class Remark>
std::string text_of_remarks(const std::string& title, const std::vector<Remark>& remarks) {
  constexpr std::size_t kShown = 6;
  if (remarks.empty()) return "";
  std::string text = title;
  for (const Remark& remark : std::span(remarks).first(std::min(kShown, remarks.size())))
    text += fmt::format("  result {}: {}\n", remark.result, remark.reason);
  if (remarks.size() > kShown) text += fmt::format("  ... and {} more\n", remarks.size() - kShown);
  return text;
}

std::string text_of_above_roofs(const BestAnswer& answer) {
  return text_of_remarks(
      "Above the measured roof, so graded B at best: matrix units (AMX), Winograd's algorithm, sparse "
      "operands\n"
      "or a stored result may explain it:\n",
      answer.above_roofs);
}

std::string text_of_other_outputs(const std::vector<OtherOutput>& all) {
  return text_of_remarks(
      "Outputs that differ between settings or processes, so graded B at best. Say what is right by\n"
      "`verify: {reference: ...}`, or by `verify: {outputs: ignore}` that outputs may differ:\n",
      all);
}

}  // namespace

std::string text_of(const std::vector<Implausible>& all) {
  constexpr std::size_t kPointsShown = 6;
  std::vector<Implausible> above;
  std::vector<std::string> wrong;  // a reason for each point
  for (const Implausible& each : all)
    if (!each.beside_wrong)
      above.push_back(each);
    else if (std::ranges::find(wrong, each.reason) == wrong.end())
      wrong.push_back(each.reason);
  std::string text = text_of_remarks(
      "Distrusted, and above the measured roof, so graded X and left out. If that roof was measured while "
      "other\nwork ran, it is too low, and `kernsweep roofs --again` measures it again:\n",
      above);
  if (wrong.empty()) return text;
  text += "Points with a wrong output in some jobs; their other jobs are graded X and left out:\n";
  for (const std::string& reason : std::span(wrong).first(std::min(kPointsShown, wrong.size())))
    text += fmt::format("  {}\n", reason);
  if (wrong.size() > kPointsShown) text += fmt::format("  ... and {} more\n", wrong.size() - kPointsShown);
  return text;
}

std::string best_with_grade_c(const std::string& database) {
  return "kernsweep best " + database + " --grade C";
}

std::string text_of_left_out(const BestAnswer& answer, const std::string& shown_by) {
  std::string text;
  if (answer.left_out() > 0 || answer.disturbed_jobs == 0)
    text = fmt::format("{} of {} left out: {} failed, {} graded below {}{}\n",
                       text_of_count(answer.left_out()), counted(answer.jobs, "job", "jobs"),
                       text_of_count(answer.left_out_failed), text_of_count(answer.left_out_grade),
                       answer.worst_grade,
                       answer.left_out_without == 0
                           ? ""
                           : fmt::format(", {} without {}{}", text_of_count(answer.left_out_without),
                                         answer.metric, reason_of_lack(answer.metric)));
  if (answer.disturbed_jobs > 0)
    text += fmt::format("{} measured under disturbance; {}, with the time that it may have added\n",
                        counted(answer.disturbed_jobs, "job was", "jobs were"),
                        answer.disturbed_jobs == 1 ? "it counts" : "they count");
  if (!answer.imported_from.empty())
    text += fmt::format(
        "Imported from {}: results have no grade, and only the file's facts about the machine are known\n",
        one_line(answer.imported_from));
  if (answer.lost_groups > 0)
    text += fmt::format(
        "{} graded below {}{}\n",
        answer.lost_groups == 1
            ? "1 problem has no row, because all of its results are"
            : text_of_count(answer.lost_groups) + " problems have no row, because all of their results are",
        answer.worst_grade, is_some_graded_c(answer) ? "; see " + shown_by : "");
  return text + text_of(answer.grade_cause) + text_of(answer.implausible) +
         text_of_other_outputs(answer.all_other_outputs);
}

std::string text_of_everywhere(const NamedValues& everywhere) {
  const std::string words = everywhere_in_words(everywhere);
  return words.empty() ? "" : words + "\n";
}

std::string text_of(const BestAnswer& answer, const std::string& database, std::size_t rows_max) {
  if (answer.rows.empty()) return no_rows(answer, database);
  const std::vector<BestColumn> columns = columns_of(answer);
  std::vector<BestColumn> shown;
  NamedValues everywhere;
  TableStyle style{
      .rows_max = rows_max, .rows_more = answer.groups - answer.groups_told, .drop_empty_columns = true};
  for (std::size_t at = 0; at < columns.size(); ++at) {
    BestColumn column = columns[at];
    if (column.kind == BestColumn::Kind::problem && answer.groups > 1 && answer.everywhere[at] != 0) {
      if (const Value value = column.of(answer.rows.front()); !value.is_null())
        everywhere.emplace_back(column.name, value);
      continue;
    }
    if (column.kind <= BestColumn::Kind::setting)
      ++style.settings;
    else if (column.name == "times_better_high" || column.name == "processes_needed" ||
             column.name == "equal_within")
      continue;  // a table has no room for all
    else if (column.name == "processes_disturbed")
      column.name = "disturbed";
    else if (column.name == "times_better_low")
      column.name = "at_least";
    shown.push_back(std::move(column));
  }
  return text_of_everywhere(everywhere) + text_table(table_of(answer.rows, shown), style) +
         text_of_rates(answer) + text_of_open(answer, columns) + text_of_not_judged(answer, columns) +
         text_of_above_roofs(answer) + text_of_other_outputs(answer.other_outputs) +
         text_of_same_builds(answer) + text_of_several_software(answer);
}

std::string text_of_more_processes(const std::string& imported_from) {
  return imported_from.empty()
             ? "`run --set measure.processes=N` measures more"
             : one_line(imported_from) + " measured it; more processes of each point would show more";
}

namespace {

// Columns without a value that is clearly faster: the measured difference, or that there is none.
std::string text_of_unclear(const SweepEffects& found, std::size_t lines_max) {
  std::vector<const Effect*> open;  // the largest effect of each column
  std::vector<std::string> equal;
  double bound = 0;
  for (const Effect& effect : found.effects) {
    const auto of_column = [&](const Effect& other) { return other.column == effect.column; };
    const auto seen = std::ranges::find_if(found.effects, of_column);
    if (&*seen != &effect) continue;
    double within = 0;
    bool clear = false;
    for (const Effect& other : found.effects) {
      if (!of_column(other)) continue;
      clear = clear || is_clear(other);
      within = std::max(within, equal_bound(other));
    }
    if (clear) continue;
    if (within > kEqualMost) {
      open.push_back(&effect);
      continue;
    }
    equal.push_back(effect.column);
    bound = std::max(bound, within);
  }
  std::string text;
  if (!equal.empty())
    text += fmt::format("No difference above {}: {}\n", percent_at_most(bound), fmt::join(equal, ", "));
  const auto proved = [](const Effect* effect) { return std::isfinite(effect->bounds.high); };
  if (!open.empty())
    text += std::ranges::none_of(open, proved)
                ? fmt::format("As measured, which so few processes do not prove ({}):\n",
                              text_of_more_processes(found.best.imported_from))
                : "No clear difference, or one that depends on the problem:\n";
  for (std::size_t i = 0; i < std::min(open.size(), lines_max); ++i)
    text += "  " + open_sentence(*open[i]) + "\n";
  if (open.size() > lines_max) text += fmt::format("  ... and {} more\n", open.size() - lines_max);
  return text;
}

}  // namespace

std::string text_of(const SweepEffects& found, std::size_t effects_max) {
  std::string text;
  std::size_t shown = 0, clear = 0;
  for (const Effect& effect : found.effects) {
    if (!is_clear(effect)) continue;
    ++clear;
    if (shown == effects_max) continue;
    text += "  " + sentence(effect) + "\n";
    ++shown;
  }
  if (shown > 0) text = "What matters, other things being equal:\n" + text;
  if (shown < clear) text += fmt::format("  ... and {} more\n", clear - shown);
  return text + text_of_unclear(found, effects_max);
}

Result<std::string> text_of_end_notes(Reader& reader, SweepId sweep) {
  KS_ASSIGN_OR_RETURN(
      const auto rows,
      reader.query(fmt::format("select count(*), r.notes from results s join result r using (result) where "
                               "s.sweep_id = {} and (r.notes like '%{}%' or r.notes like '%{}%' or r.notes "
                               "like '%{}%') group by r.notes "
                               "order by 1 desc, 2",
                               sweep.value, kAddThreads, kCleanupFailed, kListFiles)));
  std::string text;
  for (const auto& row : rows.rows) {
    std::string notes = row[1].to_text();
    for (std::string_view rest = notes; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line.find(kAddThreads) == std::string_view::npos && !line.starts_with(kCleanupFailed) &&
          !line.ends_with(kListFiles))
        continue;
      text += fmt::format(
          "{}: {}\n",
          counted(row[0].integer() ? static_cast<std::uint64_t>(*row[0].integer()) : 0, "job", "jobs"),
          line);
    }
  }
  return text;
}

}  // namespace kernsweep
