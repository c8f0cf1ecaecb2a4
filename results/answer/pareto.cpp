#include "results/answer/pareto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "results/answer/best_groups.hpp"
#include "results/answer/best_metric.hpp"
#include "results/answer/chosen_rows.hpp"

namespace kernsweep {

namespace {

// Whether `a` is as good as `b`, or better.
bool as_good(double a, double b, Better better) {
  return better == Better::larger ? a >= b : a <= b;
}

class ParetoSearch {
 public:
  ParetoSearch(Reader& reader, const StoredSweep& sweep, const ParetoQuestion& question)
      : reader_(reader), sweep_(sweep), question_(question) {}

  Result<ParetoAnswer> answer() {
    auto columns = reader_.columns(sweep_.id);
    if (!columns) return tl::unexpected<Error>(columns.error());
    known_ = std::move(*columns);
    answer_.alpha = question_.alpha;
    for (std::size_t metric = 0; metric < question_.metrics.size(); ++metric)
      if (const Status read = read_metric(metric); !read) return tl::unexpected<Error>(read.error());
    answer_.incomplete = without_the_first_.size();
    for (ParetoProblem& problem : answer_.problems) place(problem);
    std::erase_if(answer_.problems, [](const ParetoProblem& problem) { return problem.points.empty(); });
    drop_equal();
    return std::move(answer_);
  }

 private:
  // A point in one state of the caches, on one kind of host, by one class of software.
  using Key = std::pair<std::uint64_t, std::uint16_t>;

  Status read_metric(std::size_t metric) {
    BestQuestion question = question_.metrics[metric];
    question.worst_grade = question_.worst_grade;
    question.rules.alpha = question_.alpha / static_cast<double>(question_.metrics.size());
    if (Status known = find_direction(reader_, question); !known) return known;
    auto unit = unit_in(reader_, question);
    if (!unit) return tl::unexpected<Error>(unit.error());
    for (const ParetoMetric& other : answer_.metrics)
      if (other.name == name_in(question)) return failure("--metric names '" + other.name + "' twice");
    answer_.metrics.push_back({name_in(question), std::move(*unit), better_in(question)});
    std::vector<SweepColumn> columns;
    std::ranges::copy_if(known_, std::back_inserter(columns),
                         [](const SweepColumn& column) { return !column.derived || column.problem; });
    const auto rows =
        read_chosen_rows(reader_, sweep_, known_, std::move(columns), stored_in(question), question_.where);
    if (!rows) return tl::unexpected<Error>(rows.error());
    std::vector<std::size_t> by;
    for (std::size_t c = 0; c < rows->columns.size(); ++c)
      if (rows->columns[c].problem) by.push_back(c);
    BestAnswer about;
    about.sweep = sweep_.record.name;
    about.id = sweep_.id;
    about.imported_from = imported_from(sweep_.record);
    about.metric = name_in(question);
    about.worst_grade = question_.worst_grade;
    auto groups = BestGroups::make(reader_, sweep_, *rows, by, question, about);
    if (!groups) return tl::unexpected<Error>(groups.error());
    if (metric == 0) {
      const auto hosts = host_of_spots(reader_, *rows);
      if (!hosts) return tl::unexpected<Error>(hosts.error());
      begin(*rows, *groups, by, *hosts);
      answer_.about = std::move(about);
    }
    std::map<Key, std::uint32_t> found;
    for (std::uint32_t i = 0; i < groups->candidates().size(); ++i)
      found[{rows->positions[groups->candidates()[i].point], groups->candidates()[i].place}] = i;
    for (std::size_t p = 0; p < answer_.problems.size(); ++p)
      for (std::size_t i = 0; i < answer_.problems[p].points.size(); ++i)
        if (const auto at = found.find(keys_[p][i]); at != found.end())
          answer_.problems[p].points[i].numbers.push_back(
              {groups->metric(groups->candidates()[at->second]), groups->bounds(at->second)});
        else
          answer_.problems[p].points[i].numbers.emplace_back();
    for (const std::vector<Key>& keys : keys_)
      for (const Key& key : keys) found.erase(key);
    for (const auto& [key, index] : found) without_the_first_.insert(key);
    return Done{};
  }

  // The problems and their points, as the first metric has them.
  void begin(const SweepRows& rows, BestGroups& groups, const std::vector<std::size_t>& by,
             const std::vector<std::string>& hosts) {
    std::vector<std::size_t> settings = {rows.variant};
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      if (c != rows.variant && !rows.columns[c].problem) settings.push_back(c);
    for (const Group& group : groups.groups()) {
      ParetoProblem problem;
      const Candidate& first = groups.candidates()[group.members.front()];
      for (const std::size_t column : by)
        problem.problem.emplace_back(rows.columns[column].name, rows.value(first.point, column));
      problem.problem.emplace_back("cache", rows.places[first.place].cache);
      problem.problem.emplace_back("host", hosts[rows.places[first.place].spot]);
      std::vector<Key> keys;
      for (const std::uint32_t i : group.members) {
        const Candidate& candidate = groups.candidates()[i];
        ParetoPoint point{.processes = candidate.processes, .result = candidate.result};
        point.disturbed = groups.disturbed(i);
        for (const std::size_t column : settings)
          point.settings.emplace_back(rows.columns[column].name, rows.value(candidate.point, column));
        keys.emplace_back(rows.positions[candidate.point], candidate.place);
        problem.points.push_back(std::move(point));
      }
      answer_.problems.push_back(std::move(problem));
      keys_.push_back(std::move(keys));
    }
  }

  bool beats(const ParetoPoint& a, const ParetoPoint& b) const {
    bool better = false;
    for (std::size_t m = 0; m < answer_.metrics.size(); ++m) {
      if (!as_good(a.numbers[m].number, b.numbers[m].number, answer_.metrics[m].better)) return false;
      better = better || a.numbers[m].number != b.numbers[m].number;
    }
    return better;
  }

  // Bounds that are not known compare as false.
  bool surely_beats(const ParetoPoint& a, const ParetoPoint& b) const {
    if (a.disturbed || b.disturbed) return false;
    for (std::size_t m = 0; m < answer_.metrics.size(); ++m) {
      const bool larger = answer_.metrics[m].better == Better::larger;
      const Interval &of_a = a.numbers[m].bounds, &of_b = b.numbers[m].bounds;
      if (larger ? !(of_a.low > of_b.high) : !(of_a.high < of_b.low)) return false;
    }
    return true;
  }

  void place(ParetoProblem& problem) {
    const auto complete = [](const ParetoPoint& point) {
      return std::ranges::none_of(point.numbers,
                                  [](const ParetoNumber& each) { return std::isnan(each.number); });
    };
    answer_.incomplete +=
        std::erase_if(problem.points, [&](const ParetoPoint& each) { return !complete(each); });
    for (ParetoPoint& point : problem.points) {
      const auto by_numbers = [&](const ParetoPoint& other) { return beats(other, point); };
      const auto surely = [&](const ParetoPoint& other) { return surely_beats(other, point); };
      point.place = std::ranges::none_of(problem.points, by_numbers) ? ParetoPlace::front
                    : std::ranges::none_of(problem.points, surely)   ? ParetoPlace::may_be
                                                                     : ParetoPlace::behind;
    }
    const bool larger = answer_.metrics.front().better == Better::larger;
    std::ranges::stable_sort(problem.points, {}, [&](const ParetoPoint& point) {
      const double number = point.numbers.front().number;
      return std::pair(point.place, larger ? -number : number);
    });
  }

  // What is the same in all problems stands once, and settings that are the same in all points nowhere.
  void drop_equal() {
    std::vector<ParetoProblem>& problems = answer_.problems;
    if (problems.empty()) return;
    const std::size_t places = problems.front().problem.size() - 2;
    for (std::size_t at = problems.front().problem.size(); at-- > 0;) {
      const auto value = problems.front().problem[at];
      const auto same = [&](const ParetoProblem& each) { return each.problem[at] == value; };
      if (!std::ranges::all_of(problems, same)) continue;
      if (at < places && !value.second.is_null())
        answer_.everywhere.insert(answer_.everywhere.begin(), value);
      for (ParetoProblem& each : problems)
        each.problem.erase(each.problem.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (std::size_t at = problems.front().points.front().settings.size(); at-- > 1;) {
      const auto value = problems.front().points.front().settings[at];
      const auto same = [&](const ParetoPoint& point) { return point.settings[at] == value; };
      if (std::ranges::all_of(problems,
                              [&](const auto& each) { return std::ranges::all_of(each.points, same); }))
        for (ParetoProblem& each : problems)
          for (ParetoPoint& point : each.points)
            point.settings.erase(point.settings.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  Reader& reader_;
  const StoredSweep& sweep_;
  const ParetoQuestion& question_;
  std::vector<SweepColumn> known_;
  ParetoAnswer answer_;
  std::vector<std::vector<Key>> keys_;  // of each problem's points
  std::set<Key> without_the_first_;     // points that have another metric, but not the first
};

}  // namespace

std::string_view name_of(ParetoPlace place) {
  return place == ParetoPlace::front ? "front" : place == ParetoPlace::may_be ? "may be on it" : "behind";
}

Result<ParetoAnswer> pareto(Reader& reader, const ParetoQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  const auto sweep = reader.find_sweep(question.sweep);
  if (!sweep) return tl::unexpected<Error>(sweep.error());
  return ParetoSearch(reader, *sweep, question).answer();
}

}  // namespace kernsweep
