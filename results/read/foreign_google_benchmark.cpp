// The JSON of programs of Google Benchmark (foreign_results.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "results/read/foreign_json.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

Result<double> seconds_of_unit(const ForeignJson& benchmark, const std::string& path) {
  const std::map<std::string, double> units = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const auto unit = benchmark.find("time_unit");
  if (unit == benchmark.end()) return 1e-9;
  const auto known = unit->is_string() ? units.find(unit->get<std::string>()) : units.end();
  if (known == units.end()) return failure(path + ".time_unit is none of ns, us, ms, s");
  return known->second;
}

std::string google_text(const ForeignJson& row, const char* member) {
  const auto found = row.is_object() ? row.find(member) : row.end();
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The first slash outside of brackets; npos: there is none. Brackets that are not closed do not count.
std::size_t first_slash(const std::string& name) {
  int depth = 0;
  std::size_t found = std::string::npos;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if ((name[i] == '>' || name[i] == ')') && depth > 0) --depth;
    if (name[i] == '/' && depth == 0) found = std::min(found, i);
  }
  return depth == 0 ? found : name.find('/');
}

// Whether a part of a name, such as 64, n:64, threads:2 or real_time, does not belong to the name of the
// benchmark.
bool is_argument(const std::string& part) {
  return part == "real_time" || part == "process_time" || part == "manual_time" ||
         value_of_scalar(part.substr(part.rfind(':') + 1)).number();
}

// Splits a name into benchmark and arguments. "BM_copy/64/8" is BM_copy with the arguments 64/8. Files of
// version 1.6 on record which benchmarks are of one family: all parts that these have in common are its
// name, except for arguments at their end, so that "dir/file/8" and "dir/file/16" are dir/file.
class Families {
 public:
  explicit Families(const ForeignJson& rows) {
    std::map<std::string, std::string> first;  // the family of a name
    std::set<std::string> runs;                // a name and a repetition
    for (const ForeignJson& row : rows) {
      const std::string name = google_text(row, "run_name"), which = google_text(row, "aggregate_name");
      if (name.empty() || !row.contains("family_index") || which == "BigO" || which == "RMS") continue;
      const std::string family = row["family_index"].dump();
      if (first.try_emplace(name, family).first->second != family) shared_names_.insert(name);
      if (google_text(row, "run_type") == "iteration" &&
          !runs.insert(name + " " +
                       (row.contains("repetition_index") ? row["repetition_index"].dump() : ""))
               .second)
        names_again_.insert(name);
      const std::string parts = name + "/";
      const auto [common, fresh] = common_.try_emplace(family, parts);
      common->second.resize(static_cast<std::size_t>(std::ranges::mismatch(common->second, parts).in1 -
                                                     common->second.begin()));
      family_.try_emplace(name, family);
    }
  }

  std::vector<Value> values_of(const std::string& name) const {
    std::size_t slash = first_slash(name);
    if (slash == name.npos) return {Value(name), Value()};
    if (const auto family = family_.find(name); family != family_.end())
      slash = std::max(slash, end_of_benchmark(common_.at(family->second), slash));
    if (slash >= name.size()) return {Value(name), Value()};  // the family's only name, without arguments
    return {Value(name.substr(0, slash)), Value(name.substr(slash + 1))};
  }
  // Names of benchmarks of several families.
  const std::set<std::string>& shared_names() const { return shared_names_; }
  // Names under which one family ran more than once, not counting repetitions.
  const std::set<std::string>& names_again() const { return names_again_; }

 private:
  // `common` may end within an argument.
  static std::size_t end_of_benchmark(const std::string& common, std::size_t least) {
    std::size_t end = common.rfind('/');
    while (end != common.npos && end > least) {
      const std::size_t before = common.rfind('/', end - 1);
      if (!is_argument(common.substr(before + 1, end - before - 1))) break;
      end = before;
    }
    return end == common.npos ? 0 : end;
  }

  std::map<std::string, std::string> family_, common_;
  std::set<std::string> shared_names_, names_again_;
};

// A row with a statistic over the repetitions of a benchmark.
struct Statistic {
  std::string of, which;  // "BM_a/8", "mean"
};

// Which rows are statistics. Versions before 1.5 do not mark them (`run_type`): there it follows from the
// names and from `iterations`, which a statistic copies from the repetitions.
class Statistics {
 public:
  explicit Statistics(const ForeignJson& rows) : rows_(rows) {
    for (const ForeignJson& row : rows)
      if (!google_text(row, "name").empty()) by_name_[google_text(row, "name")].push_back(&row);
  }

  // The statistic of the next row.
  std::optional<Statistic> next() {
    const ForeignJson& row = rows_[at_++];
    const std::string name = google_text(row, "name"), type = google_text(row, "run_type");
    std::optional<Statistic> found;
    if (type == "aggregate") {
      const std::string which = google_text(row, "aggregate_name"), of = google_text(row, "run_name");
      const bool has_suffix = of.empty() && name.ends_with("_" + which);
      found = Statistic{
          !of.empty() ? of : name.substr(0, name.size() - (has_suffix ? which.size() + 1 : 0)), which};
    } else if (type.empty() && !name.empty() && by_name_[name].size() == 1) {
      found = by_name(row, name);
      if (found) ++by_name_only_;
    }
    before_ = found && type.empty() ? found->of : "";
    return found;
  }
  // How many statistics the file itself does not mark.
  std::size_t by_name_only() const { return by_name_only_; }

 private:
  std::optional<Statistic> by_name(const ForeignJson& row, const std::string& name) {
    for (const std::string_view which : {"mean", "median", "stddev", "BigO", "RMS"}) {
      if (!name.ends_with("_" + std::string(which))) continue;
      const std::string of = name.substr(0, name.size() - which.size() - 1);
      const bool of_several =
          row.contains("big_o") || row.contains("rms") || row.contains("cpu_coefficient");
      if (of_several || has_statistics(of)) return Statistic{of, std::string(which)};
    }
    for (const std::string_view which : {"cv", "min", "max"}) {
      if (!name.ends_with("_" + std::string(which))) continue;
      const std::string of = name.substr(0, name.size() - which.size() - 1);
      if (count(of) > 1 && same_iterations(of, name)) return Statistic{of, std::string(which)};
    }
    // User-defined statistics (ComputeStatistics) follow the others.
    const bool own = !before_.empty() && name.starts_with(before_ + "_") &&
                     name.find('/', before_.size()) == name.npos && same_iterations(before_, name);
    return own ? std::optional(Statistic{before_, name.substr(before_.size() + 1)}) : std::nullopt;
  }

  bool has_statistics(const std::string& of) {
    if (count(of) > 1) return true;
    return count(of + "_mean") == 1 && count(of + "_stddev") == 1 &&
           same_iterations(of + "_mean", of + "_stddev") && same_iterations(of + "_mean", of);
  }
  std::size_t count(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second.size();
  }
  // Also true if one of them is missing, or has no iterations.
  bool same_iterations(const std::string& a, const std::string& b) const {
    const auto of = [&](const std::string& name) {
      const auto found = by_name_.find(name);
      const bool known = found != by_name_.end() && found->second.front()->contains("iterations");
      return known ? (*found->second.front())["iterations"] : ForeignJson();
    };
    return of(a) == of(b) || of(a).is_null() || of(b).is_null();
  }

  const ForeignJson& rows_;
  std::map<std::string, std::vector<const ForeignJson*>> by_name_;
  std::size_t at_ = 0, by_name_only_ = 0;
  std::string before_;  // the benchmark of the previous row, if that is a statistic by its name
};

// The reason that the tool records for a missing time; empty: none.
std::string failure_in(const ForeignJson& row) {
  const auto is_true = [&](const char* name) {
    if (!row.contains(name)) return false;
    const ForeignJson& value = row[name];
    const std::string text = google_text(row, name);
    return value == true || (value.is_number() && value != 0) ||
           (!text.empty() && text != "false" && text != "0");
  };
  if (is_true("error_occurred"))
    return google_text(row, "error_message").empty() ? "error_occurred" : google_text(row, "error_message");
  if (!is_true("skipped")) return "";
  return google_text(row, "skip_message").empty() ? "skipped"
                                                  : "skipped: " + google_text(row, "skip_message");
}

Result<double> time_in(const ForeignJson& row, const std::string& path) {
  if (!row.contains("real_time")) return failure(path + " has no number `real_time`");
  const auto unit = seconds_of_unit(row, path);
  return unit ? positive(row["real_time"], path + ".real_time", *unit) : unit;
}

// Error: the row does not name its benchmark.
Status add_benchmark(const ForeignJson& row, const std::string& path,
                     const std::optional<Statistic>& statistic, const Families& families,
                     ForeignRuns& runs) {
  const bool middle = statistic && (statistic->which == "median" || statistic->which == "mean");
  if (statistic && !middle) return Done{};
  const bool has_run_name = !google_text(row, "run_name").empty();
  KS_ASSIGN_OR_RETURN(auto name, statistic ? Result<std::string>(statistic->of)
                                           : text_member(row, has_run_name ? "run_name" : "name", path));
  auto [run, fresh] = runs.of(name);
  if (fresh) run.values = families.values_of(name);
  if (const std::string failed = failure_in(row); !failed.empty()) {
    run.failure = failed;
    return Done{};
  }
  const auto time = time_in(row, path);
  if (!time) {
    run.odd = true;
    run.failure = time.error().message;
  } else if (!statistic) {
    run.samples.push_back(*time);
    const auto calls = row.find("iterations");
    if (calls != row.end() && calls->is_number_unsigned() && *calls > 0)
      run.calls = calls->get<std::uint64_t>();
  } else if (statistic->which == "median" || run.instead.empty()) {
    run.instead = {*time};
  }
  return Done{};
}

}  // namespace

Result<ForeignSweep> read_google_benchmark(const ForeignJson& file) {
  ForeignSweep sweep;
  sweep.tool = "google benchmark";
  if (const auto context = file.find("context"); context != file.end() && context->is_object()) {
    if (context->contains("host_name") && (*context)["host_name"].is_string())
      sweep.host = (*context)["host_name"].get<std::string>();
    if (context->contains("num_cpus") && (*context)["num_cpus"].is_number_unsigned())
      sweep.host_threads = (*context)["num_cpus"].get<std::uint32_t>();
  }
  sweep.columns = {"variant", "arguments"};
  sweep.problem = {false, true};
  ForeignRuns runs;
  Statistics statistics(file["benchmarks"]);
  const Families families(file["benchmarks"]);
  for (std::size_t i = 0; i < file["benchmarks"].size(); ++i)
    if (const Status added = add_benchmark(file["benchmarks"][i], fmt::format("benchmarks[{}]", i),
                                           statistics.next(), families, runs);
        !added)
      sweep.left_out.push_back(added.error().message);
  sweep.lacks =
      "all repetitions of a benchmark ran in one process, so that nothing is decided between benchmarks; "
      "run the program several times and compare by hand, or measure it by `command:`" +
      runs.failed_too_in_words();
  if (const std::size_t count = statistics.by_name_only(); count > 0)
    sweep.lacks +=
        fmt::format("\n{} by their names statistics of others (_mean, _stddev, ...), and no benchmarks",
                    counted(count, "row is", "rows are"));
  if (const auto& names = families.shared_names(); !names.empty())
    sweep.lacks += fmt::format(
        "\n{} of several benchmarks, whose times are one point here, such as {}: give each its own name",
        counted(names.size(), "name is", "names are"), *names.begin());
  runs.fill(sweep);
  if (const auto& names = families.names_again(); !names.empty())
    sweep.lacks += fmt::format(
        "\n{} more than once, and not as a repetition, such as {}: these times are one point here",
        counted(names.size(), "benchmark is there", "benchmarks are there"), *names.begin());
  return sweep;
}

}  // namespace kernsweep
