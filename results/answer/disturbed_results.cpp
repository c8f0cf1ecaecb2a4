#include "results/answer/disturbed_results.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "shared/base/try.hpp"

namespace kernsweep {

std::uint64_t disturbed_samples(std::string_view disturbed_by) {
  std::uint64_t sum = 0;
  while (!disturbed_by.empty()) {
    const std::string_view each = disturbed_by.substr(0, disturbed_by.find(','));
    disturbed_by.remove_prefix(std::min(each.size() + 1, disturbed_by.size()));
    std::uint64_t count = 0;
    const std::string_view number = each.substr(each.rfind(' ') + 1);
    std::from_chars(number.data(), number.data() + number.size(), count);
    sum += count;
  }
  return sum;
}

double what_it_may_have_cost(const DisturbedTimes& times) {
  const bool of_samples = times.cause != DoubtCause::others && times.cause != DoubtCause::quota &&
                          times.samples_disturbed > 0 && times.samples_taken > 0;
  const bool a_quarter = of_samples && 4 * times.samples_disturbed <= times.samples_taken;
  double least = a_quarter && times.q1_s > 0 ? times.q1_s : times.min_s;
  if (of_samples && times.least_s > 0) least = times.least_s;
  if (!(least > 0) || !(times.median_s > least)) return 0;
  return std::log(times.median_s / least);
}

Result<DisturbedResults> read_disturbed(Reader& reader, SweepId sweep) {
  DisturbedResults disturbed;
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      {"o.result", "r.min_s", "r.q1_s", "r.median_s", "r.doubt_cause", "c.samples_taken", "c.disturbed_by",
       "coalesce(c.least_median_s, 0)"},
      fmt::format("from outcome o join attempt_row r on r.result = o.result left join conditions c on "
                  "c.result = o.result where o.sweep_id = {} and o.grade = 'C' and r.doubt_cause is not "
                  "null and r.min_s > 0",
                  sweep.value),
      [&](const sqlite::Row& row) {
        disturbed[static_cast<std::uint64_t>(row.integer(0))] =
            what_it_may_have_cost({.min_s = row.real(1),
                                   .q1_s = row.real(2),
                                   .median_s = row.real(3),
                                   .least_s = row.real(7),
                                   .samples_taken = static_cast<std::uint64_t>(row.integer(5)),
                                   .samples_disturbed = disturbed_samples(row.text(6)),
                                   .cause = doubt_cause_named(row.text(4))});
      }));
  return disturbed;
}

}  // namespace kernsweep
