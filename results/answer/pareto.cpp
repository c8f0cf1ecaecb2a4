#include "results/answer/pareto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "results/answer/best/best_groups.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

using Numbers = std::vector<double>;  // of each metric; smaller is better

// The points that no other point dominates: as good in every metric and better in one. All numbers are
// known.
std::vector<const Numbers*> front_of(std::vector<const Numbers*> all) {
  // Sorts a point that dominates another one before it; domination is transitive.
  std::ranges::stable_sort(all, [](const Numbers* a, const Numbers* b) { return *a < *b; });
  std::vector<const Numbers*> front;
  for (const Numbers* each : all) {
    const auto beats = [&](const Numbers* other) {
      return *other != *each && std::ranges::equal(*other, *each, std::less_equal<>());
    };
    const bool again = !front.empty() && *front.back() == *each;
    // With two metrics the second one decreases along the front, so its last point dominates whatever any
    // of its points dominates.
    const auto first = each->size() == 2 && !front.empty() ? std::prev(front.end()) : front.begin();
    if (again || std::none_of(first, front.end(), beats)) front.push_back(each);
  }
  return front;
}

// The numbers of a point, and their worst and best possible values. NaN: not known.
struct ParetoBounds {
  Numbers numbers, worst, best;
};

class ParetoSearch {
 public:
  ParetoSearch(Reader& reader, const StoredSweep& sweep, const ParetoQuestion& question)
      : reader_(reader), sweep_(sweep), question_(question) {}

  Result<ParetoAnswer> answer() {
    KS_ASSIGN_OR_RETURN(known_, reader_.columns(sweep_.id));
    EvidenceRules rules;
    rules.alpha = question_.alpha;
    answer_.alpha = rules_for(sweep_.record, rules).alpha;
    for (std::size_t metric = 0; metric < question_.metrics.size(); ++metric)
      KS_RETURN_IF_ERROR(read_metric(metric));
    answer_.incomplete = without_the_first_.size();
    for (ParetoProblem& problem : answer_.problems) place(problem);
    std::erase_if(answer_.problems, [](const ParetoProblem& problem) { return problem.points.empty(); });
    drop_equal();
    return std::move(answer_);
  }

 private:
  // A point in one cache state, on one kind of host, by one class of software.
  using Key = std::pair<std::uint64_t, std::uint16_t>;

  Status read_metric(std::size_t metric) {
    BestQuestion question = question_.metrics[metric];
    question.worst_grade = question_.worst_grade;
    question.rules.alpha = answer_.alpha / static_cast<double>(question_.metrics.size());
    const std::string name = name_in(question);
    KS_RETURN_IF_ERROR(find_direction(reader_, question,
                                      fmt::format("--metric {0}:larger or --metric {0}:smaller", name)));
    KS_ASSIGN_OR_RETURN(auto unit, unit_in(reader_, question));
    for (const ParetoMetric& other : answer_.metrics)
      if (other.name == name) return failure("--metric names '" + other.name + "' twice");
    answer_.metrics.push_back({name, std::move(unit), better_in(question)});
    std::vector<SweepColumn> columns;
    std::ranges::copy_if(known_, std::back_inserter(columns),
                         [](const SweepColumn& column) { return !column.derived || column.problem; });
    KS_ASSIGN_OR_RETURN(const auto rows, read_chosen_rows(reader_, sweep_, known_, std::move(columns),
                                                          stored_in(question), question_.where));
    std::vector<std::size_t> by;
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      if (rows.columns[c].problem) by.push_back(c);
    BestAnswer about = answer_about(sweep_, question);
    KS_ASSIGN_OR_RETURN(auto groups, BestGroups::make(reader_, sweep_, rows, by, question, about));
    if (metric == 0) {
      KS_ASSIGN_OR_RETURN(const auto hosts, host_of_spots(reader_, rows));
      begin(rows, groups, by, hosts);
      KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader_, sweep_));
      about.all_other_outputs = outputs.warned();
      answer_.about = std::move(about);
    }
    std::map<Key, std::uint32_t> found;
    for (std::uint32_t i = 0; i < groups.candidates().size(); ++i)
      found[{rows.positions[groups.candidates()[i].point], groups.candidates()[i].place}] = i;
    for (std::size_t p = 0; p < answer_.problems.size(); ++p)
      for (std::size_t i = 0; i < answer_.problems[p].points.size(); ++i)
        if (const auto at = found.find(keys_[p][i]); at != found.end())
          answer_.problems[p].points[i].numbers.push_back(
              {groups.metric(groups.candidates()[at->second]), groups.bounds(at->second)});
        else
          answer_.problems[p].points[i].numbers.emplace_back();
    for (const std::vector<Key>& keys : keys_)
      for (const Key& key : keys) found.erase(key);
    for (const auto& [key, index] : found) without_the_first_.insert(key);
    return Done{};
  }

  // Fills in the problems and their points, from the first metric.
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

  // A disturbed point is neither sure to dominate nor to be dominated: its bounds are not known.
  ParetoBounds bounds_of(const ParetoPoint& point) const {
    ParetoBounds all;
    for (std::size_t m = 0; m < answer_.metrics.size(); ++m) {
      const auto& [number, bounds] = point.numbers[m];
      const bool larger = answer_.metrics[m].better == Better::larger;
      all.numbers.push_back(larger ? -number : number);
      all.worst.push_back(point.disturbed ? kUnknown : larger ? -bounds.low : bounds.high);
      all.best.push_back(point.disturbed ? kUnknown : larger ? -bounds.high : bounds.low);
    }
    return all;
  }

  void place(ParetoProblem& problem) {
    const auto complete = [](const ParetoPoint& point) {
      return std::ranges::none_of(point.numbers,
                                  [](const ParetoNumber& each) { return std::isnan(each.number); });
    };
    answer_.incomplete +=
        std::erase_if(problem.points, [&](const ParetoPoint& each) { return !complete(each); });
    std::vector<ParetoBounds> all;
    for (const ParetoPoint& point : problem.points) all.push_back(bounds_of(point));
    std::vector<const Numbers*> numbers, worst;
    for (const ParetoBounds& each : all) {
      numbers.push_back(&each.numbers);
      if (std::ranges::none_of(each.worst, [](double bound) { return std::isnan(bound); }))
        worst.push_back(&each.worst);
    }
    const std::vector<const Numbers*> first = front_of(std::move(numbers));
    const std::set<const Numbers*> front(first.begin(), first.end());
    const std::vector<const Numbers*> sure = front_of(std::move(worst));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto surely = [&](const Numbers* other) {
        return std::ranges::equal(*other, all[i].best, std::less<>());
      };
      problem.points[i].place = front.contains(&all[i].numbers)      ? ParetoPlace::front
                                : std::ranges::none_of(sure, surely) ? ParetoPlace::may_be
                                                                     : ParetoPlace::behind;
    }
    const bool larger = answer_.metrics.front().better == Better::larger;
    std::ranges::stable_sort(problem.points, {}, [&](const ParetoPoint& point) {
      const double number = point.numbers.front().number;
      return std::pair(point.place, larger ? -number : number);
    });
  }

  // Moves values that are equal in all problems into one list, and drops settings that are equal in all
  // points.
  void drop_equal() {
    std::vector<ParetoProblem>& problems = answer_.problems;
    if (problems.empty()) return;
    take_same(problems, &ParetoProblem::problem, answer_.everywhere);
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
  std::vector<std::vector<Key>> keys_;  // the points of each problem
  std::set<Key> without_the_first_;     // points with another metric, but without the first
};

}  // namespace

std::string_view name_of(ParetoPlace place) {
  return place == ParetoPlace::front ? "front" : place == ParetoPlace::may_be ? "may be on it" : "behind";
}

Result<ParetoAnswer> pareto(Reader& reader, const ParetoQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  return ParetoSearch(reader, sweep, question).answer();
}

}  // namespace kernsweep
