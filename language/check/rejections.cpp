#include "language/check/rejections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kRulesTold = 3;
constexpr std::size_t kRuleBytesMax = 100;
constexpr std::size_t kReasonBytesMax = 400;

std::string text_of_rule(const Filter& filter) {
  const std::string why = one_line(filter.why, kReasonBytesMax);
  return one_line(filter.text, kRuleBytesMax) + (why.empty() ? "" : " (" + why + ")");
}

// "2 by threads <= m, 1 by --only m > 2"
std::string text_of_rules(const Rejections& rejections, const Expansion& expansion) {
  std::vector<std::size_t> rules;
  for (std::size_t i = 0; i < rejections.by_rule.size(); ++i)
    if (rejections.by_rule[i] > 0) rules.push_back(i);
  std::ranges::stable_sort(rules, std::greater<>(), [&](std::size_t i) { return rejections.by_rule[i]; });
  const char* at_least = rejections.exact ? "" : "at least ";
  std::string text;
  std::uint64_t rest = 0;
  for (std::size_t n = 0; n < rules.size(); ++n) {
    const std::uint64_t count = rejections.by_rule[rules[n]];
    if (n >= kRulesTold) {
      rest += count;
      continue;
    }
    text += fmt::format("{}{}{} by {}", n == 0 ? "" : ", ", at_least, grouped(count),
                        text_of_rule(expansion.filters()[rules[n]]));
  }
  if (rest > 0)
    text += fmt::format(", {}{} by {}", at_least, grouped(rest),
                        counted(rules.size() - kRulesTold, "other rule", "other rules"));
  return text;
}

}  // namespace

Rejections rejections_of(const CheckReport& report) {
  Rejections rejections;
  rejections.raw_points = report.raw_points;
  rejections.rejected = report.rejected;
  rejections.exact = report.exact;
  for (const RuleReport& rule : report.rules) rejections.by_rule.push_back(rule.rejected);
  return rejections;
}

std::string text_of(const Rejections& rejections, const Expansion& expansion, std::string_view verb) {
  if (rejections.rejected == 0) return "";
  return fmt::format("{}{} of {} {} rejected: {}", rejections.exact ? "" : "at least ",
                     grouped(rejections.rejected), counted(rejections.raw_points, "point", "points"),
                     rejections.rejected == 1 ? (verb == "are" ? "is" : "was") : verb,
                     text_of_rules(rejections, expansion));
}

Status leaves_a_point(const Expansion& expansion, const CheckLimits& limits) {
  constexpr std::uint64_t kPointsBetweenLooksAtTheClock = 4096;
  Rejections all;
  all.raw_points = expansion.raw_points();
  if (all.raw_points == 0 || expansion.unfiltered()) return Done{};
  all.by_rule.resize(expansion.filters().size());
  const Sweep& sweep = expansion.sweep();
  // Checks one job of every point: in sequential order at equal distances, otherwise the first block.
  const std::uint64_t stride = sweep.order == Order::sequential ? expansion.raw_jobs() / all.raw_points : 1;
  const Instant start = limits.now();
  Point point;
  for (std::uint64_t n = 0; n < all.raw_points; ++n) {
    if (n >= limits.points) return Done{};
    if (n % kPointsBetweenLooksAtTheClock == 0 && limits.now() - start > limits.time) return Done{};
    const std::uint64_t position = expansion.job_at(n * stride).position;
    expansion.point_at(position, point);
    const auto rejection = expansion.rejection(position, point);
    if (!rejection) return Done{};
    ++all.by_rule[rejection->rule];
  }
  all.rejected = all.raw_points;
  all.exact = true;
  return failure(fmt::format("'{}' has no point left to measure, and nothing was stored: {}", sweep.name,
                             text_of(all, expansion, "are")));
}

}  // namespace kernsweep
