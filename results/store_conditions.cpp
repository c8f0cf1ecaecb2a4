// The row of `conditions` that a watched attempt has.
#include "results/store_state.hpp"

namespace kernsweep {

Status Store::State::insert_conditions_of(const ConditionsRecord& told, ResultId result) {
  sqlite::Statement& row = insert_conditions;
  int at = 1;
  const auto number = [&](double value) { row.bind(at++, value); };
  const auto count = [&](bool known, std::uint64_t value) {
    if (known)
      row.bind(at++, value);
    else
      row.bind_null(at++);
  };
  const auto text = [&](std::string_view value) {
    if (value.empty())
      row.bind_null(at++);
    else
      row.bind(at++, value);
  };
  const bool measured = told.measured;
  count(true, result.value);
  number(told.clock_ghz);
  number(told.clock_low);
  count(measured, told.clock_stable ? 1 : 0);
  count(measured, told.samples_taken);
  count(measured, told.discarded);
  text(told.disturbed_by);
  number(told.foreign_cores);
  count(measured, told.neighbours);
  number(told.steal_s);
  number(told.page_faults);
  number(told.switches);
  number(told.cpu_s);
  count(measured && told.peak_memory_bytes > 0, told.peak_memory_bytes);
  count(measured && told.threads_found > 0, told.threads_found);
  for (const double value :
       {told.p90_s, told.p99_s, told.p999_s, told.error_norm, told.nan_count, told.inf_count,
        told.zero_share, told.interference, told.energy_j, told.load_1min, told.temperature_c})
    number(value);
  text(told.cold_by);
  text(told.metric);
  number(told.error_element);
  return row.run();
}

}  // namespace kernsweep
