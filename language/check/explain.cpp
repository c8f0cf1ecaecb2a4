#include "language/check/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "language/check/single_process.hpp"
#include "language/file/setting.hpp"
#include "language/space/axis.hpp"
#include "shared/base/reference_rule.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

AxisReport report_of(const Axis& axis) {
  constexpr std::uint64_t kShownValues = 8;
  AxisReport report;
  report.name = axis.name;
  report.values = axis.size();
  report.when = axis.when ? axis.when->scalar : "";
  for (const auto& field : axis.fields) report.columns.push_back(field.name);
  // A record is shown by its first column, which is its label if it has one.
  const auto& values = axis.fields.front().values;
  Value value;
  const auto shown = [&] { return value == Value("") ? "''" : value.to_text(); };
  for (std::uint64_t i = 0; i < std::min(kShownValues, axis.size()); ++i) {
    values.get(i, value);
    report.shown += (i == 0 ? "" : ", ") + shown();
  }
  if (axis.size() > kShownValues) {
    values.get(axis.size() - 1, value);
    report.shown += ", ... " + shown();
  }
  return report;
}

void add(const Estimate& job, double times, CheckReport& report) {
  report.seconds += job.least * times;
  report.seconds_most += job.most * times;
}

// Applies the filters to point after point and counts, until a limit is reached.
void count_points(const Expansion& expansion, const CheckLimits& limits, CheckReport& report) {
  constexpr std::uint64_t kPointsBetweenLooksAtTheClock = 4096;
  const Instant start = limits.now();
  const std::uint64_t last = std::min(report.raw_points, limits.points);
  std::vector<Estimate> by_rules;
  const auto& columns = expansion.sweep().columns;
  const auto build =
      static_cast<std::size_t>(std::ranges::find(columns, kBuildColumn, &Column::name) - columns.begin());
  std::unordered_set<std::string> builds;
  Point point;
  std::uint64_t position = 0;
  for (; position < last; ++position) {
    if (position % kPointsBetweenLooksAtTheClock == 0 && limits.now() - start > limits.time) break;
    expansion.point_at(position, point);
    if (const auto rejection = expansion.rejection(position, point)) {
      ++report.rules[rejection->rule].rejected;
      ++report.rejected;
      continue;
    }
    ++report.points;
    if (const std::string* const command = build < columns.size() ? point.values[build].text() : nullptr) {
      if (report.first_build.empty()) report.first_build = *command;
      report.builds += builds.insert(*command).second ? 1 : 0;
    }
    const std::uint32_t number = expansion.rules_of(point);
    while (by_rules.size() <= number)
      by_rules.push_back(estimate(expansion.rules(static_cast<std::uint32_t>(by_rules.size()))));
    add(by_rules[number], 1, report);
  }
  report.looked_at = position;
  report.exact = position == report.raw_points;
}

// The note about the tolerance of functions' outputs if the sweep does not set it; empty: it does, or no
// outputs are compared.
std::string note_of_rounding(const Expansion& expansion) {
  const VerifyRules& verify = expansion.rules(0).measure.verify;
  const bool is_default = expansion.sweep().kernel == "python" && verify.enabled &&
                          !verify.reference.is_own() && verify.tolerance.empty();
  if (!is_default) return "";
  std::string types;
  for (const std::string_view name : {"f64", "f32", "f16", "bf16"})
    types += fmt::format("{}{:g} ({})", types.empty() ? "" : ", ", rounding_tolerance(name), name);
  return fmt::format(
      "outputs may differ from {} by {} of its largest value; whole numbers and text must be equal; "
      "verify.tolerance says otherwise",
      text_of(verify.reference), types);
}

std::string place_text(const std::string& file, const Place& place) {
  return place.line == 0 ? "command line" : fmt::format("{}:{}", file, place.line);
}

std::string order_text(const CheckReport& report) {
  const std::string_view name = name_of(report.order);
  switch (report.order) {
    case Order::interleave:
      return fmt::format("{}: as the file lists the points", name);
    case Order::sequential:
      return fmt::format("{}: all jobs of a point in a row", name);
    case Order::shuffle:
      break;
  }
  if (report.order_seed == 0) return fmt::format("{}: drawn when the sweep begins", name);
  return fmt::format("{}: drawn by order_seed {}", name, report.order_seed);
}

// The times of all jobs, from those of one job of each point. Rows of a command share its runs.
void scale_times(const Expansion& expansion, std::uint64_t jobs_per_point, CheckReport& report) {
  const std::uint64_t rows = rows_of_a_run(expansion);
  if (rows > 1)
    report.notes.push_back(fmt::format("the {} rows of a command share a run in each process", rows));
  const double runs_per_point = static_cast<double>(jobs_per_point) / static_cast<double>(rows);
  report.seconds *= runs_per_point;
  report.seconds_most =
      report.seconds_most * runs_per_point + seconds_of_starts(expansion, report.jobs / rows);
}

}  // namespace

CheckReport check_report(const Expansion& expansion, const CheckLimits& limits) {
  const Sweep& sweep = expansion.sweep();
  CheckReport report;
  report.name = sweep.name;
  report.kernel = sweep.kernel;
  report.program = sweep.program;
  report.file = sweep.file;
  report.quick = sweep.quick;
  report.raw_points = expansion.raw_points();
  report.processes = sweep.processes_least;
  report.processes_most = sweep.processes;
  report.order = sweep.order;
  report.order_seed = sweep.order_seed;
  report.seed = sweep.seed;
  report.notes = expansion.notes();
  for (const Cache cache : sweep.caches) report.caches.emplace_back(cache == Cache::hot ? "hot" : "cold");
  for (const auto& axis : expansion.axes()) report.axes.push_back(report_of(axis));
  for (const auto& filter : expansion.filters())
    report.rules.push_back({filter.text, filter.why, filter.place, 0, 0});
  for (const auto& requirement : sweep.requirements) report.requirements.push_back(requirement.text());
  report.depends = sweep.depends;

  const bool has_builds =
      std::ranges::find(sweep.columns, kBuildColumn, &Column::name) != sweep.columns.end();
  if (expansion.unfiltered() && expansion.uniform_rules() && !has_builds) {
    report.points = report.looked_at = report.raw_points;
    add(estimate(expansion.rules(0)), static_cast<double>(report.points), report);
  } else {
    count_points(expansion, limits, report);
  }
  count_claims(expansion, limits, report);
  const auto jobs_per_point = static_cast<std::uint64_t>(report.processes) * sweep.caches.size();
  report.jobs = report.points * jobs_per_point;
  report.jobs_most = report.points * report.processes_most * sweep.caches.size();
  scale_times(expansion, jobs_per_point, report);
  if (sweep.ends_by_point_time && report.jobs > 0) {
    // Jobs that run when the time limit is reached are finished.
    const double of_job = report.seconds_most / static_cast<double>(report.jobs);
    const double of_point = std::max(3 * of_job, seconds(kPointTime) + of_job);
    report.seconds_most = std::min(report.seconds_most, of_point * static_cast<double>(report.points));
    report.seconds = std::min(report.seconds, report.seconds_most);
  }
  if (decides(sweep)) {
    double further = std::max(report.seconds_most, kFurtherLeast_s);
    if (sweep.budget.time.count() > 0) further = seconds(sweep.budget.time);
    if (sweep.budget.jobs > 0 && report.jobs > 0)
      further =
          report.seconds_most * static_cast<double>(sweep.budget.jobs) / static_cast<double>(report.jobs);
    const double all = report.seconds_most * report.processes_most / report.processes;
    report.seconds_most = std::min(report.seconds_most + further, all);
  }
  for (auto& rule : report.rules) {
    if (report.looked_at > 0)
      rule.share = static_cast<double>(rule.rejected) / static_cast<double>(report.looked_at);
    if (report.exact && rule.rejected == 0)
      report.notes.push_back("this rule rejected nothing beyond the earlier ones: " + rule.text);
  }
  if (const std::string rounding = note_of_rounding(expansion); !rounding.empty())
    report.notes.push_back(rounding);
  const std::string single = note_of_single_process(expansion, report.points);
  if (!single.empty()) report.notes.push_back(single);
  if (report.exact && report.points == 0) report.notes.push_back("nothing is left to measure");
  return report;
}

namespace {

std::string time_text(const CheckReport& report) {
  if (!report.learned_from.empty())
    return fmt::format("about {} on one host, by {}", text_of_range(report.learned_s, report.learned_s),
                       report.learned_from);
  return text_of_range(report.seconds, report.seconds_most) + " on one idle host" +
         (report.kernel == "python" ? ", a guess without what the function imports and prepares" : "") +
         "; more where a call, its inputs or its reference take seconds";
}

}  // namespace

std::string to_text(const CheckReport& report) {
  std::string out = fmt::format(
      "{} ({}, {}{}{})\n\n", report.name, report.file.empty() ? "from the command line" : report.file,
      report.program.empty() ? "kernel " : "", report.kernel, report.quick ? ", a quick first look" : "");
  if (!report.program.empty()) out += fmt::format("{}  {}\n\n", report.kernel, one_line(report.program));
  out += "axes\n";
  std::size_t width = 0;
  for (const auto& axis : report.axes) width = std::max(width, axis.name.size());
  for (const auto& axis : report.axes) {
    out += fmt::format("  {:<{}}  {:>6}  {}", axis.name, width, axis.values, one_line(axis.shown));
    if (axis.columns.size() > 1) out += fmt::format("  (columns {})", fmt::join(axis.columns, ", "));
    if (!axis.when.empty()) out += fmt::format("  when {}", one_line(axis.when));
    out += '\n';
  }
  const char* at_least = report.exact ? "" : "at least ";
  out += fmt::format("\npoints  {}{}{}\n", at_least, report.points,
                     report.rejected > 0 ? fmt::format(" of {}; {}{} rejected", report.raw_points, at_least,
                                                       report.rejected)
                                         : std::string());
  const bool decides = report.processes_most > report.processes;
  out += fmt::format(
      "jobs    {}{} ({} x {}{})\n", decides ? "at least " : at_least, report.jobs,
      report.processes == 1 ? "1 process" : fmt::format("{} processes", report.processes),
      report.caches.size() == 1 ? report.caches.front() + " cache" : "hot and cold cache",
      decides ? fmt::format("; up to {} processes where a comparison is not decided", report.processes_most)
              : std::string());
  if (report.builds > 0)
    out += fmt::format("builds  {}{}, such as {}\n", at_least, report.builds, one_line(report.first_build));
  out += fmt::format("order   {}\n", order_text(report));
  if (report.problem && report.problem->empty())
    out += "problem one: all columns are settings, which compete\n";
  else if (report.problem)
    out += fmt::format("problem {}; the other columns are settings, which compete\n",
                       fmt::join(*report.problem, ", "));
  out += fmt::format("time    {}{}\n", at_least, time_text(report));
  if (!report.rules.empty()) out += "\nrejected by\n";
  for (const auto& rule : report.rules) {
    out += fmt::format("  {:>10}  {:>6.2f} %  {}  {}{}\n", rule.rejected, 100 * rule.share,
                       place_text(report.file, rule.place), one_line(rule.text),
                       rule.why.empty() ? "" : " -- " + one_line(rule.why));
  }
  if (!report.requirements.empty()) out += "\nasked of hosts\n";
  for (const auto& requirement : report.requirements) out += "  " + requirement + "\n";
  if (!report.depends.empty()) out += "\ndepends on\n";
  for (const auto& file : report.depends) out += "  " + one_line(file) + "\n";
  if (!report.claims.empty()) out += "\nclaims\n";
  for (const auto& claim : report.claims) {
    const char* least = report.claims_exact ? "" : "at least ";
    out += fmt::format("  {}: {}{} points{}\n    {}\n", one_line(claim.name), least, claim.first,
                       claim.two_sided ? fmt::format(" against {}{}", least, claim.second) : "",
                       one_line(claim.text));
  }
  if (!report.exact) {
    out += fmt::format("\ncounting stopped after {} of {} points\n", report.looked_at, report.raw_points);
  }
  for (const auto& note : report.notes) out += "note: " + one_line(note) + "\n";
  return out;
}

void expand(const Expansion& expansion, bool with_jobs,
            const std::function<bool(const ExpandedPoint&)>& take) {
  ExpandedPoint expanded;
  for (std::uint64_t position = 0; position < expansion.raw_points(); ++position) {
    expanded.position = position;
    expansion.point_at(position, expanded.point);
    expanded.rejection = expansion.rejection(position, expanded.point);
    expanded.jobs.clear();
    if (with_jobs && !expanded.rejection) expanded.jobs = expansion.jobs_of(position);
    if (!take(expanded)) return;
  }
}

std::string to_text(const Expansion& expansion, const ExpandedPoint& expanded) {
  std::string out = fmt::format("{} ", expanded.position);
  const auto& columns = expansion.sweep().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (expanded.point.values[c].is_null()) continue;
    out += " " + columns[c].name + "=";
    expanded.point.values[c].append_text(out);
  }
  if (expanded.rejection) {
    const Filter& filter = expansion.filters()[expanded.rejection->rule];
    out += fmt::format("  rejected: {}", filter.text);
    if (expanded.rejection->reason != filter.text) out += ": " + expanded.rejection->reason;
  }
  if (!expanded.jobs.empty()) out += fmt::format("  jobs {}", fmt::join(expanded.jobs, ", "));
  return one_line(out);
}

}  // namespace kernsweep
