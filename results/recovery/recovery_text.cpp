// The report of `kernsweep recover`.
#include <fmt/format.h>

#include <map>

#include "results/recovery/recovery.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kRunsShown = 20;

// "3, 7-12, 40" from the ascending job numbers of one sweep.
std::string runs_of(const std::vector<std::uint64_t>& jobs) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < jobs.size();) {
    std::size_t end = i + 1;
    while (end < jobs.size() && jobs[end] <= jobs[end - 1] + 1) ++end;
    if (++runs > kRunsShown) return text + fmt::format(" and {} more", jobs.size() - i);
    if (!text.empty()) text += ", ";
    text +=
        jobs[i] == jobs[end - 1] ? std::to_string(jobs[i]) : fmt::format("{}-{}", jobs[i], jobs[end - 1]);
    i = end;
  }
  return text;
}

std::string losses(const Recovery& recovery) {
  std::string text;
  const auto line = [&text](std::uint64_t count, std::string_view one, std::string_view many,
                            std::string_view rest) {
    if (count > 0) text += counted(count, one, many) + std::string(rest) + "\n";
  };
  line(recovery.sum_of(&Recovery::Table::gaps), "place of a table", "places of tables",
       " cannot be read: the rows there are lost");
  line(recovery.senseless_rows, "row was left out", "rows were left out",
       ": Kernsweep cannot have stored these values");
  line(recovery.contradicting_rows,
       "row was left out: it contradicts other rows, or a row that it refers to is lost",
       "rows were left out: they contradict other rows, or rows that they refer to are lost", "");
  line(recovery.without_details, "outcome has lost its attempt: `results` has its",
       "outcomes have lost their attempt: `results` has their", " numbers, `show` little more");
  line(recovery.missing_count, "job is known to have lost its outcome; `resume` measures it",
       "jobs are known to have lost their outcome; `resume` measures them", " again:");
  std::map<SweepId, std::vector<std::uint64_t>> by_sweep;
  for (const JobId& job : recovery.missing) by_sweep[job.sweep].push_back(job.index);
  for (const auto& [sweep, jobs] : by_sweep)
    text +=
        fmt::format("  sweep {}: {} {}\n", sweep.value, jobs.size() == 1 ? "job" : "jobs", runs_of(jobs));
  return text;
}

}  // namespace

std::string text_of(const Recovery& recovery, const std::string& from, const std::string& to) {
  RowSet rows;
  rows.columns = {"table", "saved", "made_up", "gaps"};
  for (const Recovery::Table& table : recovery.tables)
    rows.rows.push_back({Value(table.name), Value(static_cast<std::int64_t>(table.saved)),
                         Value(static_cast<std::int64_t>(table.stands)),
                         Value(static_cast<std::int64_t>(table.gaps))});
  std::string text = text_table(rows) + "\n" + losses(recovery);
  if (recovery.whole())
    text += fmt::format("Every row was saved; {} is whole.\n", to);
  else
    text +=
        "A job without an outcome is measured again, whether it is listed here or not. Rows that were made "
        "up replace lost ones that other rows refer to.\n";
  return text + fmt::format("{} was left as it is. To continue: kernsweep resume {}\n", from, to);
}

}  // namespace kernsweep
