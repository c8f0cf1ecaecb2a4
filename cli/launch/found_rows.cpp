#include "cli/launch/found_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "cli/commands/run/program_question.hpp"
#include "language/file/command_template.hpp"
#include "language/file/text_file.hpp"
#include "language/file/yaml_text.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/printed_values.hpp"
#include "shared/printed/candidates.hpp"
#include "shared/text/counted.hpp"
#include "worker/process/process.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kCommandsRun = 16, kRowsMost = 10'000, kTextMost = 64u << 20;

std::string column_of(const NamedValues& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &NamedValues::value_type::first);
  return found == values.end() || found->second.is_null() ? "" : found->second.to_text();
}

// The text for a shell; command lines of points are quoted for one.
std::string script_of(const NamedValues& values, const std::string& command, const std::string& source) {
  const std::string setup = column_of(values, "command.setup"),
                    cleanup = column_of(values, "command.cleanup");
  const std::string to = source == "stdout" ? "" : source == "stderr" ? " 2>&1 >/dev/null" : " >/dev/null";
  return (setup.empty() ? "" : setup + " >/dev/null || exit; ") + command + to + "; ended=$?; " +
         (cleanup.empty() ? "" : cleanup + " >/dev/null; ") + "exit $ended";
}

Result<std::string> printed_by(const NamedValues& values, const std::string& command,
                               const std::string& source, Duration limit) {
  Launch start;
  start.program = "/bin/sh";
  start.arguments = {"-c", script_of(values, command, source)};
  start.environment = environment_of_point(values, "");
  start.capture_output = true;
  KS_ASSIGN_OR_RETURN(auto child, launch(start));
  const ExitedProcess exited = run_to_exit(child, limit);
  if (!exited.in_time || !exited.ending) return failure("it takes longer than timeout.run");
  if (exited.ending->signalled || exited.ending->number != 0)
    return failure("it " + describe(*exited.ending));
  if (source == "stdout" || source == "stderr") return exited.output;
  return read_text_file(source, kTextMost);
}

bool is_number(const std::string& text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// Not if two rows are the same number: 7 and 007.
bool are_numbers(const std::vector<std::string>& rows) {
  std::set<double> different;
  return std::ranges::all_of(rows, [&](const std::string& row) {
    return is_number(row) && different.insert(std::strtod(row.c_str(), nullptr)).second;
  });
}

std::string axis_of(const std::string& key, const std::vector<std::string>& rows) {
  const bool numbers = are_numbers(rows);
  Node list;
  list.kind = Node::Kind::sequence;
  for (const std::string& row : rows) {
    Node& item = list.items.emplace_back();
    item.scalar = row;
    item.quoted = !numbers;
  }
  return key + "=" + yaml_value(list);
}

// A command that has run, the rows that it printed, and the values of axes that all its points have.
struct Ran {
  std::vector<std::string> rows;
  std::map<std::string, Value> values;

  void keep_common(const std::map<std::string, Value>& of_point) {
    std::erase_if(values, [&](const auto& each) {
      const auto found = of_point.find(each.first);
      return found == of_point.end() || found->second != each.second;
    });
  }
};

// The axes of a point, but for the key, as far as they are set.
std::map<std::string, Value> axes_of(const Sweep& sweep, const Point& point, const std::string& key) {
  std::map<std::string, Value> out;
  for (std::size_t c = 0; c < sweep.columns.size(); ++c)
    if (!sweep.columns[c].is_computed() && sweep.columns[c].name != key && !point.values[c].is_null())
      out.emplace(sweep.columns[c].name, point.values[c]);
  return out;
}

std::string literal_of(const Value& value) {
  if (value.text() == nullptr) return value.to_text();
  std::string out = "\"";
  for (const char c : *value.text()) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + '"';
}

bool may_be_in_expression(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
}

// An expression for --only that leaves out the rows that a command does not print; empty: each prints all,
// or a name cannot be in an expression.
std::string only_of(const std::string& key, const std::vector<std::string>& rows,
                    const std::map<std::string, Ran>& commands) {
  const bool numbers = are_numbers(rows);
  std::string out;
  if (!may_be_in_expression(key)) return out;
  for (const auto& [command, ran] : commands) {
    std::string missing, place;
    for (const std::string& row : rows)
      if (std::ranges::find(ran.rows, row) == ran.rows.end())
        missing += (missing.empty() ? "" : ", ") + (numbers ? row : literal_of(Value(row)));
    if (missing.empty()) continue;
    for (const auto& axis : ran.values) {
      const auto is_other = [&](const auto& each) {
        const auto found = each.second.values.find(axis.first);
        return found == each.second.values.end() || found->second != axis.second;
      };
      if (may_be_in_expression(axis.first) && std::ranges::any_of(commands, is_other))
        place += (place.empty() ? "" : " and ") + axis.first + " == " + literal_of(axis.second);
    }
    if (place.empty()) continue;
    out += (out.empty() ? "" : " and ") + fmt::format("not ({} and {} in [{}])", place, key, missing);
  }
  return out;
}

// The other values of the selected row, besides its key.
Result<WantedRow> others_of(const NamedValues& values, const std::string& key) {
  KS_ASSIGN_OR_RETURN(const auto words, split_command(column_of(values, kMetricsRowColumn)));
  WantedRow out;
  for (const std::string& word : words) {
    const auto equals = std::min(word.find('='), word.size());
    if (word.substr(0, equals) != key) out.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

Result<RowKeys> rows_at(const Expansion& trial, const Point& point, const NamedValues& values,
                        const std::string& command, const std::string& key) {
  KS_ASSIGN_OR_RETURN(const auto words, split_command(column_of(values, kMetricsFileColumn)));
  const std::string source = words.empty() ? "stdout" : words.front();
  KS_ASSIGN_OR_RETURN(const auto text,
                      printed_by(values, command, source, trial.rules(trial.rules_of(point)).timeout.run));
  KS_ASSIGN_OR_RETURN(const auto row, others_of(values, key));
  const PrintedValues printed = printed_values_of(column_of(values, kMetricsColumn));
  auto rows = row_keys({text, printed, row}, key);
  const std::string hint = column_of(values, kMetricsHintColumn);
  if (!rows && !hint.empty()) return failure(rows.error().message + "; " + hint);
  return rows;
}

void report_rows(const std::string& key, const std::vector<std::string>& rows, std::size_t without) {
  constexpr std::size_t kShown = 4;
  std::string shown;
  for (std::size_t i = 0; i < std::min(kShown, rows.size()); ++i) shown += (i == 0 ? "" : ", ") + rows[i];
  const std::string lack =
      without == 0 ? "" : fmt::format("; {} without it: not measured", counted(without, "row", "rows"));
  std::fprintf(stderr, "%s by '%s', found by a run: %s%s%s\n", counted(rows.size(), "row", "rows").c_str(),
               key.c_str(), shown.c_str(), rows.size() > kShown ? ", ..." : "", lack.c_str());
}

}  // namespace

Result<FoundRows> found_rows(const Expansion& trial, const std::string& key) {
  const Sweep& sweep = trial.sweep();
  const auto axis = fmt::format("-a '{}{}=[...]'", sweep.file.empty() ? "" : "+", key);
  const std::string give = "; give its values: " + axis;
  if (sweep.program.find("{" + key + "}") != std::string::npos)
    return failure(fmt::format(
        "metrics: rows_by: the command uses {{{0}}}, so a run cannot find its values{1}", key, give));
  std::map<std::string, Ran> ran;
  std::vector<std::string> rows;
  std::size_t without = 0;
  Point point;
  for (std::uint64_t at = 0; at < trial.raw_points(); ++at) {
    trial.point_at(at, point);
    if (trial.rejection(at, point)) continue;
    NamedValues values;
    for (std::size_t c = 0; c < sweep.columns.size(); ++c)
      values.emplace_back(sweep.columns[c].name, point.values[c]);
    const std::string command = column_of(values, sweep.program_column);
    const auto axes = axes_of(sweep, point, key);
    if (const auto known = ran.find(command); known != ran.end()) {
      known->second.keep_common(axes);
      continue;
    }
    if (ran.size() == kCommandsRun)
      return failure(
          fmt::format("metrics: rows_by: more than {} commands would have to run once to find the rows "
                      "of each{}",
                      kCommandsRun, give));
    const auto found = rows_at(trial, point, values, command, key);
    if (!found)
      return failure(
          fmt::format("metrics: rows_by: the rows could not be found by a run of '{}': {}; {} gives "
                      "its values without a run",
                      command, found.error().message, axis));
    without += found->without;
    ran.emplace(command, Ran{found->keys, axes});
    for (const std::string& row : found->keys)
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  if (rows.empty() || rows.size() > kRowsMost)
    return failure(fmt::format("metrics: rows_by: a run found {}, 1 to {} are possible{}",
                               counted(rows.size(), "row", "rows"), kRowsMost, give));
  report_rows(key, rows, without);
  return FoundRows{axis_of(key, rows), only_of(key, rows, ran)};
}

}  // namespace kernsweep
