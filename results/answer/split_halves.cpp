#include "results/answer/split_halves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "results/report/json.hpp"
#include "results/text/units.hpp"
#include "shared/stats/false_discoveries.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

bool is_different(TimeVerdict verdict) {
  return verdict == TimeVerdict::faster || verdict == TimeVerdict::slower;
}

// Fisher and Yates; std::shuffle is not the same everywhere.
void shuffle(std::vector<ProcessTime>& times, std::mt19937_64& engine) {
  for (std::size_t i = times.size(); i > 1; --i)
    std::swap(times[i - 1], times[((engine() >> 32) * i) >> 32]);
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.2f} %",
                     whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

void split_halves(const SideRows& rows, const SplitQuestion& question, SplitAnswer& answer) {
  std::vector<std::span<const ProcessTime>> points;
  for (const SidePoint& point : rows.points) {
    const auto times = rows.times_of(point);
    if (times.size() < kSplitProcesses) {
      ++answer.too_few;
    } else if (points.size() == kSplitPoints) {
      ++answer.not_looked_at;
    } else {
      answer.least = points.empty() ? times.size() : std::min(answer.least, times.size());
      answer.most = std::max(answer.most, times.size());
      points.push_back(times);
    }
  }
  answer.points = points.size();
  if (points.empty()) return;
  answer.rounds =
      question.rounds > 0
          ? question.rounds
          : static_cast<std::uint32_t>(std::max<std::uint64_t>(20, kSplitPairs / points.size()));
  std::mt19937_64 engine(question.rules.seed);
  ComparisonRules rules = question.rules;
  std::vector<TimeDifference> together(points.size());
  std::vector<double> p(points.size());
  for (std::uint32_t round = 0; round < answer.rounds; ++round) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<ProcessTime> times(points[i].begin(), points[i].end());
      shuffle(times, engine);
      const auto half = std::span<const ProcessTime>(times).subspan(0, times.size() / 2);
      const auto rest = std::span<const ProcessTime>(times).subspan(times.size() / 2);
      rules.seed = engine();
      const auto alone = difference_of(half, rest, rules, 1);
      const auto among = difference_of(half, rest, rules, points.size());
      KS_ASSERT(alone && among);  // the rows hold times only
      const TimeVerdict verdict = verdict_of(*alone, alone->p, rules);
      ++answer.pairs;
      answer.different += is_different(verdict) ? 1 : 0;
      answer.ambiguous += verdict == TimeVerdict::ambiguous ? 1 : 0;
      together[i] = *among;
      p[i] = among->p;
    }
    const auto adjusted = benjamini_hochberg(p);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      found += is_different(verdict_of(together[i], adjusted[i], rules)) ? 1 : 0;
    answer.different_together += found;
    answer.rounds_different += found > 0 ? 1 : 0;
  }
}

Result<SplitAnswer> split_halves(Reader& reader, const SplitQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  const auto side = find_side(reader, question.side, question.sweep);
  if (!side) return tl::unexpected<Error>(side.error());
  SideWords words(parameters_of(*side, *side));
  const auto rows = read_side(reader, *side, question.where, question.worst_grade, words);
  if (!rows) return tl::unexpected<Error>(rows.error());
  SplitAnswer answer;
  answer.what =
      fmt::format("{}@{} in {}", side->sweep.record.name, side->sweep.id.value, reader.connection().path());
  answer.jobs = rows->read;
  answer.left_out = rows->failed + rows->graded_below;
  split_halves(*rows, question, answer);
  return answer;
}

bool too_often(const SplitAnswer& answer, const ComparisonRules& rules) {
  const auto beyond = [&](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) > rules.alpha * static_cast<double>(whole);
  };
  return beyond(answer.different, answer.pairs) || beyond(answer.rounds_different, answer.rounds);
}

std::string text_of(const SplitAnswer& answer, const SplitQuestion& question) {
  std::string text = "A/A test of " + answer.what + "\n";
  if (answer.left_out > 0)
    text += fmt::format("left out: {} of {}, failed or graded below {}\n", text_of_count(answer.left_out),
                        counted(answer.jobs, "job", "jobs"), question.worst_grade);
  if (answer.too_few > 0)
    text += fmt::format(
        "left out: {} of the points, with fewer than {} processes; --set measure.processes=6 measures "
        "more\n",
        text_of_count(answer.too_few), kSplitProcesses);
  if (answer.not_looked_at > 0)
    text += fmt::format("left out: {} behind the first {}\n",
                        counted(answer.not_looked_at, "point", "points"), text_of_count(answer.points));
  if (answer.points == 0) return text + "nothing to split\n";
  text += fmt::format("{}, {} processes each, split at random {} times\n",
                      counted(answer.points, "point", "points"),
                      answer.least == answer.most ? std::to_string(answer.least)
                                                  : fmt::format("{} to {}", answer.least, answer.most),
                      text_of_count(answer.rounds));
  text += fmt::format("judged one by one: {} of {} pairs called different ({}), {} ambiguous ({})\n",
                      text_of_count(answer.different), text_of_count(answer.pairs),
                      percent_of(answer.different, answer.pairs), text_of_count(answer.ambiguous),
                      percent_of(answer.ambiguous, answer.pairs));
  text += fmt::format("judged together: {} of {} pairs called different ({}), in {} of {} comparisons\n",
                      text_of_count(answer.different_together), text_of_count(answer.pairs),
                      percent_of(answer.different_together, answer.pairs),
                      text_of_count(answer.rounds_different), text_of_count(answer.rounds));
  if (too_often(answer, question.rules))
    text += fmt::format("that is more than chance may do ({:g} %): these processes are not alike\n",
                        100 * question.rules.alpha);
  return text;
}

std::string to_json(const SplitAnswer& answer) {
  const auto count = [](std::uint64_t number) { return Value(static_cast<std::int64_t>(number)); };
  RowSet row{{"what", "jobs", "left_out", "points", "too_few", "not_looked_at", "processes_least",
              "processes_most", "rounds", "pairs", "different", "ambiguous", "different_together",
              "rounds_different"},
             {{Value(answer.what), count(answer.jobs), count(answer.left_out), count(answer.points),
               count(answer.too_few), count(answer.not_looked_at), count(answer.least), count(answer.most),
               count(answer.rounds), count(answer.pairs), count(answer.different), count(answer.ambiguous),
               count(answer.different_together), count(answer.rounds_different)}}};
  const std::string list = to_json(row);  // of one object
  return list.substr(list.find('{'), list.rfind('}') - list.find('{') + 1);
}

}  // namespace kernsweep
