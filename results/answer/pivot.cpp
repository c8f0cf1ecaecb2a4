#include "results/answer/pivot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "results/answer/best/best_groups.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/measure_of_groups.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

using CellMembers = std::vector<std::uint32_t>;

class PivotTable {
 public:
  PivotTable(const SweepRows& rows, BestGroups& groups, std::vector<std::size_t> by, std::size_t column,
             PivotAnswer& answer)
      : rows_(rows), groups_(groups), by_(std::move(by)), column_(column), answer_(answer) {
    std::set<std::uint32_t> codes;
    for (const Candidate& each : groups.candidates()) codes.insert(rows.code(each.point, column));
    for (const std::uint32_t code : codes) {  // numbered in the order of the sweep
      cell_of_code_[code] = answer.values.size();
      answer.values.push_back(rows.values[column].values()[code]);
    }
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      if (c != column && !rows.columns[c].derived && std::ranges::find(by_, c) == by_.end())
        settings_.push_back(c);
  }

  // Fills in the rows, sorted by the values of `by` in the order of the sweep.
  void fill(const std::vector<std::string>& hosts) {
    std::vector<std::pair<std::vector<std::uint32_t>, Group*>> sorted;
    for (Group& group : groups_.groups()) {
      const Candidate& first = groups_.candidates()[group.members.front()];
      std::vector<std::uint32_t> key;
      for (const std::size_t column : by_) key.push_back(rows_.code(first.point, column));
      key.push_back(rows_.places[first.place].spot);
      sorted.emplace_back(std::move(key), &group);
    }
    std::ranges::stable_sort(sorted, {}, [](const auto& each) { return each.first; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || sorted[i].first != sorted[i - 1].first) begin_row(*sorted[i].second, hosts);
      add(*sorted[i].second, answer_.table.back());
    }
    for (std::size_t c = 0; c < rows_.columns.size(); ++c)
      if (differ_.contains(c)) answer_.chosen.push_back(rows_.columns[c].name);
    if (software_differs_) answer_.chosen.emplace_back("software");
  }

 private:
  const Candidate& candidate(std::uint32_t i) const { return groups_.candidates()[i]; }
  std::size_t cell_of(std::uint32_t i) const {
    return cell_of_code_.at(rows_.code(candidate(i).point, column_));
  }

  void begin_row(const Group& group, const std::vector<std::string>& hosts) {
    PivotRow row;
    const Candidate& first = candidate(group.members.front());
    for (const std::size_t column : by_) row.values.push_back(rows_.value(first.point, column));
    const SweepRows::Place& place = rows_.places[first.place];
    row.values.push_back(place.cache);
    row.values.emplace_back(hosts[place.spot]);
    row.cells.resize(answer_.values.size());
    answer_.table.push_back(std::move(row));
  }

  // A row has one group or, if its cells cannot be compared, one for each cell.
  void add(Group& group, PivotRow& row) {
    groups_.compete(group);
    std::map<std::size_t, CellMembers> cells;
    for (const std::uint32_t i : group.members) cells[cell_of(i)].push_back(i);
    for (const auto& [at, members] : cells) row.cells[at] = cell(members, group);
    if (!answer_.not_compared.empty()) return;
    if (group.members.size() > 1) row.not_judged = group.not_judged.size();
    if (!group.judged() || group.verdict == ContestVerdict::alone) return;
    row.verdict = name_of(group.verdict);
    mark(group, row);
  }

  PivotCell cell(const CellMembers& members, const Group& group) {
    PivotCell cell;
    std::uint32_t best = kNone;
    std::set<std::uint32_t> points;
    for (const std::uint32_t i : members) {
      if (i == group.winner || (best != group.winner && groups_.better(i, best))) best = i;
      points.insert(candidate(i).point);
    }
    for (const std::size_t column : settings_) {
      const auto differs = [&](std::uint32_t i) {
        return rows_.code(candidate(i).point, column) != rows_.code(candidate(best).point, column);
      };
      if (std::ranges::any_of(members, differs)) differ_.insert(column);
      cell.settings.emplace_back(rows_.columns[column].name, rows_.value(candidate(best).point, column));
    }
    software_differs_ = software_differs_ || std::ranges::any_of(members, [&](std::uint32_t i) {
                          return candidate(i).point == candidate(best).point && i != best;
                        });
    cell.number = groups_.metric(candidate(best));
    cell.bounds = groups_.bounds(best);
    cell.points = static_cast<std::uint32_t>(points.size());
    cell.processes = candidate(best).processes;
    cell.result = candidate(best).result;
    cell.disturbed = groups_.disturbed(best);
    return cell;
  }

  void mark(const Group& group, PivotRow& row) const {
    const auto measured = [](const PivotCell& cell) { return !std::isnan(cell.number); };
    if (row.not_judged > 0 || std::ranges::count_if(row.cells, measured) < 2) return;
    std::set<std::size_t> cells = {cell_of(group.leader)};
    for (const std::uint32_t i : group.set) cells.insert(cell_of(i));
    // A point with two groups of processes never wins, whatever else is left.
    const bool split = static_cast<bool>(groups_.evidence().split(group.leader));
    const bool shown = group.verdict == ContestVerdict::wins ||
                       (cells.size() == 1 && !split && !groups_.disturbed(group.leader));
    const PivotMark mark = shown                                   ? PivotMark::best
                           : group.verdict == ContestVerdict::tied ? PivotMark::tied
                                                                   : PivotMark::may_be;
    for (const std::size_t cell : cells) row.cells[cell].mark = mark;
  }

  const SweepRows& rows_;
  BestGroups& groups_;
  std::vector<std::size_t> by_;
  std::size_t column_;
  PivotAnswer& answer_;
  std::vector<std::size_t> settings_;
  std::map<std::uint32_t, std::size_t> cell_of_code_;
  std::set<std::size_t> differ_;   // settings that differ within a cell
  bool software_differs_ = false;  // a point was measured by several classes of software
};

// Drops the columns that are equal in all rows and were not requested. `problem`: the number of columns of
// the problem; those that were requested, the cache and the host follow them.
void drop_constant(PivotAnswer& answer, std::size_t problem) {
  if (answer.table.empty()) return;
  const std::size_t places = answer.rows.size() - 2;
  for (std::size_t at = answer.rows.size(); at-- > 0;) {
    const Value value = answer.table.front().values[at];
    const auto same = [&](const PivotRow& row) { return row.values[at] == value; };
    if ((at >= problem && at < places) || !std::ranges::all_of(answer.table, same)) continue;
    if (at < problem && !value.is_null())
      answer.everywhere.insert(answer.everywhere.begin(), {answer.rows[at], value});
    const auto gone = static_cast<std::ptrdiff_t>(at);
    answer.rows.erase(answer.rows.begin() + gone);
    answer.added.erase(answer.added.begin() + gone);
    answer.of_problem.erase(answer.of_problem.begin() + gone);
    for (PivotRow& row : answer.table) row.values.erase(row.values.begin() + gone);
  }
}

// The places among rows.columns: of the problem, without those that are asked for, then those asked for as
// rows.
std::vector<std::size_t> row_columns_of(const SweepRows& rows, const std::vector<std::string>& asked,
                                        const std::string& columns_of, std::size_t& problem) {
  std::vector<std::size_t> by;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const std::string& name = rows.columns[c].name;
    if (rows.columns[c].problem && name != columns_of && std::ranges::find(asked, name) == asked.end())
      by.push_back(c);
  }
  problem = by.size();
  for (const std::string& name : asked) by.push_back(rows.column_named(name));
  return by;
}

// `known`: including the variant, after the sweep's own columns if it is not one of these. `rows`: the
// requested ones, which are skipped if there is another one.
std::string default_columns(const std::vector<SweepColumn>& known, std::size_t own,
                            const std::vector<std::string>& rows) {
  const auto is_row = [&](const std::string& name) { return std::ranges::find(rows, name) != rows.end(); };
  const auto setting = [&](const SweepColumn& column) {
    const bool is_note = column.name == "label" || column.name == "count";
    return !column.problem && !column.derived && !is_note && !is_row(column.name);
  };
  if (const bool is_axis = known.size() == own; is_axis && !is_row("variant")) return "variant";
  const auto found = std::ranges::find_if(known, setting);
  return found == known.end() ? "variant" : found->name;
}

}  // namespace

std::string_view name_of(PivotMark mark) {
  constexpr std::string_view kNames[] = {"", "best", "tied", "may be the best"};
  return kNames[static_cast<std::size_t>(mark)];
}

Result<PivotAnswer> pivot(Reader& reader, const PivotQuestion& asked) {
  const sqlite::Snapshot snapshot(reader.connection());
  BestQuestion question = asked.of;
  KS_RETURN_IF_ERROR(find_direction(reader, question));
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  question.rules = rules_for(sweep.record, question.rules);
  KS_ASSIGN_OR_RETURN(const auto own, reader.columns(sweep.id));
  const std::vector<SweepColumn> known = with_variant(own);
  const std::string columns_of =
      asked.columns.empty() ? default_columns(known, own.size(), asked.rows) : asked.columns;
  if (std::ranges::find(asked.rows, columns_of) != asked.rows.end())
    return failure(
        fmt::format("'{}' cannot be rows and columns at once; say by --columns what is", columns_of));
  std::vector<std::string> wanted = asked.rows;
  wanted.push_back(columns_of);
  KS_ASSIGN_OR_RETURN(const auto named, columns_named(known, wanted, sweep.record.name));
  std::vector<SweepColumn> columns;
  std::ranges::copy_if(known, std::back_inserter(columns), [&](const SweepColumn& column) {
    return !column.derived || column.problem || std::ranges::find(wanted, column.name) != wanted.end();
  });
  KS_ASSIGN_OR_RETURN(const auto rows, read_chosen_rows(reader, sweep, known, std::move(columns),
                                                        stored_in(question), asked.where));
  PivotAnswer answer;
  answer.column = columns_of;
  answer.about = answer_about(sweep, question);
  answer.margin = question.rules.margin;
  answer.alpha = question.rules.alpha;
  KS_ASSIGN_OR_RETURN(answer.unit, unit_in(reader, question));
  std::size_t problem = 0;
  std::vector<std::size_t> by = row_columns_of(rows, asked.rows, columns_of, problem);
  for (const std::size_t column : by) answer.rows.push_back(rows.columns[column].name);
  answer.rows.insert(answer.rows.end(), {"cache", "host"});
  answer.added.assign(answer.rows.size(), 0);
  std::fill_n(answer.added.begin(), problem, 1);
  answer.of_problem.assign(answer.rows.size(), 0);
  for (std::size_t at = 0; at < by.size(); ++at)
    answer.of_problem[at] = rows.columns[by[at]].problem || rows.columns[by[at]].derived ? 1 : 0;
  const std::size_t column = rows.column_named(columns_of);
  answer.column_of_problem = named.back().problem || named.back().derived;
  std::vector<std::size_t> contest = by;
  if (named.back().problem) {
    std::vector<SweepColumn> compared;
    for (const std::size_t each : by) compared.push_back(rows.columns[each]);
    const auto measure = common_measure(reader, sweep, rows, compared, question);
    if (!measure || measure->metric != question.metric) {
      answer.not_compared = columns_of;
      contest.push_back(column);
    }
  }
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, sweep));
  answer.about.all_other_outputs = outputs.warned();
  KS_ASSIGN_OR_RETURN(auto groups, BestGroups::make(reader, sweep, rows, contest, question, answer.about));
  KS_ASSIGN_OR_RETURN(const auto hosts, host_of_spots(reader, rows));
  PivotTable(rows, groups, std::move(by), column, answer).fill(hosts);
  for (PivotRow& row : answer.table)
    for (PivotCell& cell : row.cells) cell.other_output = outputs.warns_of(cell.result);
  drop_constant(answer, problem);
  return answer;
}

}  // namespace kernsweep
