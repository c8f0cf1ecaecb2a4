// Stores the row of `conditions` of a watched attempt.
#include "results/sqlite/insertion.hpp"
#include "results/store/store_state.hpp"

namespace kernsweep {

namespace {

struct ConditionsRow {
  const ConditionsRecord& record;
  ResultId result;
};

template <auto kMember>
void always(Parameter to, const ConditionsRow& from) {
  to.set(from.record.*kMember);
}
template <auto kMember>
void if_known(Parameter to, const ConditionsRow& from) {
  to.set_known(from.record.*kMember);
}
// Members about samples become NULL if there are no samples.
template <auto kMember>
void of_samples(Parameter to, const ConditionsRow& from) {
  from.record.measured ? to.set(from.record.*kMember) : to.set_null();
}
template <auto kMember>
void of_samples_if_known(Parameter to, const ConditionsRow& from) {
  from.record.measured ? to.set_known(from.record.*kMember) : to.set_null();
}

constexpr Field<ConditionsRow> kConditions[] = {
    {"result", stored<&ConditionsRow::result>},
    {"clock_ghz", always<&ConditionsRecord::clock_ghz>},
    {"clock_low", always<&ConditionsRecord::clock_low>},
    {"clock_stable", of_samples<&ConditionsRecord::clock_stable>},
    {"samples_taken", of_samples<&ConditionsRecord::samples_taken>},
    {"discarded", of_samples<&ConditionsRecord::discarded>},
    {"disturbed_by", if_known<&ConditionsRecord::disturbed_by>},
    {"foreign_cores", always<&ConditionsRecord::foreign_cores>},
    {"neighbours", of_samples<&ConditionsRecord::neighbours>},
    {"steal_s", always<&ConditionsRecord::steal_s>},
    {"page_faults", always<&ConditionsRecord::page_faults>},
    {"switches", always<&ConditionsRecord::switches>},
    {"cpu_s", always<&ConditionsRecord::cpu_s>},
    {"peak_memory_bytes", of_samples_if_known<&ConditionsRecord::peak_memory_bytes>},
    {"threads_found", of_samples_if_known<&ConditionsRecord::threads_found>},
    {"p90_s", always<&ConditionsRecord::p90_s>},
    {"p99_s", always<&ConditionsRecord::p99_s>},
    {"p999_s", always<&ConditionsRecord::p999_s>},
    {"error_norm", always<&ConditionsRecord::error_norm>},
    {"nan_count", always<&ConditionsRecord::nan_count>},
    {"inf_count", always<&ConditionsRecord::inf_count>},
    {"zero_share", always<&ConditionsRecord::zero_share>},
    {"interference", always<&ConditionsRecord::interference>},
    {"energy_j", always<&ConditionsRecord::energy_j>},
    {"load_1min", always<&ConditionsRecord::load_1min>},
    {"temperature_c", always<&ConditionsRecord::temperature_c>},
    {"cold_by", if_known<&ConditionsRecord::cold_by>},
    {"metric", if_known<&ConditionsRecord::metric>},
    {"error_element", always<&ConditionsRecord::error_element>},
    {"least_median_s", always<&ConditionsRecord::least_median_s>},
};

}  // namespace

Result<sqlite::Statement> prepare_conditions(sqlite::Connection& database) {
  return prepare_insertion(database, "conditions", kConditions);
}

Status Store::State::insert_conditions_of(const ConditionsRecord& record, ResultId result) {
  give_all(insert_conditions, kConditions, {record, result});
  return insert_conditions.run();
}

}  // namespace kernsweep
