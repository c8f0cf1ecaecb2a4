// The time-critical part of the store: writes a job as rows of `outcome`, `attempt_row` and `sample`.
#include <bit>
#include <cstring>

#include "results/sqlite/insertion.hpp"
#include "results/store/store_state.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Statement;
using sqlite::Step;

namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored as this machine holds them");

constexpr std::string_view cache_name(Cache cache) {
  return cache == Cache::cold ? "cold" : "hot";
}

struct OutcomeRow {
  const AttemptRecord& record;
  ResultId result;
  bool reused;
  std::string_view variant;
};

template <auto kMember, class Row>
void of_record(Parameter to, const Row& from) {
  to.set(from.record.*kMember);
}
template <auto kMember, class Row>
void of_record_if_known(Parameter to, const Row& from) {
  to.set_known(from.record.*kMember);
}
template <auto kMember, class Row>
void of_job(Parameter to, const Row& from) {
  to.set(from.record.attempt.job.*kMember);
}
template <double Summary::*kMember, class Row>
void of_summary(Parameter to, const Row& from) {
  to.set(from.record.summary ? (*from.record.summary).*kMember : kUnknown);
}

constexpr Field<OutcomeRow> kOutcome[] = {
    {"sweep_id", of_job<&JobId::sweep>},
    {"job", of_job<&JobId::index>},
    {"job_host", [](Parameter to, const auto& from) { to.set(signed_host(from.record.attempt.job.host)); }},
    {"result", stored<&OutcomeRow::result>},
    {"attempt", [](Parameter to, const OutcomeRow& from) { to.set(from.record.attempt.number); }},
    {"point", of_record<&AttemptRecord::point>},
    {"status", [](Parameter to, const OutcomeRow& from) { to.set(name_of(from.record.outcome)); }},
    {"grade",
     [](Parameter to, const OutcomeRow& from) {
       to.set_known(std::string_view(&from.record.grade, from.record.grade == 0 ? 0 : 1));
     }},
    {"median_s", of_summary<&Summary::median>},
    {"gflops", of_record<&AttemptRecord::gflops>},
    {"gbps", of_record<&AttemptRecord::gbps>},
    {"variant", stored_if_known<&OutcomeRow::variant>},
    {"host_id", of_record_if_known<&AttemptRecord::host>},
    {"cache", [](Parameter to, const OutcomeRow& from) { to.set(cache_name(from.record.cache)); }},
    {"process", of_record<&AttemptRecord::process>},
    {"quick", of_record<&AttemptRecord::quick>},
    {"reused", stored<&OutcomeRow::reused>},
    {"software_id", of_record_if_known<&AttemptRecord::software>},
    {"output_hash", of_record_if_known<&AttemptRecord::output_hash>},
    {"key", of_record<&AttemptRecord::key>},
};
constexpr int kOutcomeColumns = static_cast<int>(std::size(kOutcome));

struct AttemptRow {
  const AttemptRecord& record;
  ResultId result;
  // Ids in the table `text`; nullopt: the text is empty.
  std::optional<std::uint64_t> reason, stderr_tail, grade_reasons, runtime, affinity, environment;
  std::optional<std::uint64_t> thread_environment, inputs, stopped_by, gpus, notes, verified_by, distrust;
  std::optional<std::uint64_t> output_sample;
};

constexpr Field<AttemptRow> kAttemptRow[] = {
    {"result", stored<&AttemptRow::result>},
    {"sweep_id", of_job<&JobId::sweep>},
    {"job", of_job<&JobId::index>},
    {"job_host", [](Parameter to, const auto& from) { to.set(signed_host(from.record.attempt.job.host)); }},
    {"attempt", [](Parameter to, const AttemptRow& from) { to.set(from.record.attempt.number); }},
    {"final", of_record<&AttemptRecord::final>},
    {"status", [](Parameter to, const AttemptRow& from) { to.set(name_of(from.record.outcome)); }},
    {"host_id", of_record_if_known<&AttemptRecord::host>},
    {"software_id", of_record_if_known<&AttemptRecord::software>},
    {"sent_unix_s", of_record<&AttemptRecord::sent_unix_s>},
    {"finished_unix_s", of_record<&AttemptRecord::finished_unix_s>},
    {"session", of_record_if_known<&AttemptRecord::session>},
    {"queue_s", of_record<&AttemptRecord::queue_s>},
    {"setup_s", of_record<&AttemptRecord::setup_s>},
    {"lease_wait_s", of_record<&AttemptRecord::lease_wait_s>},
    {"run_s", of_record<&AttemptRecord::run_s>},
    {"order_index", of_record_if_known<&AttemptRecord::order>},
    {"warmup_runs", of_record<&AttemptRecord::warmup_runs>},
    {"warmup_s", of_record<&AttemptRecord::warmup_s>},
    {"calls_per_sample", of_record<&AttemptRecord::calls_per_sample>},
    {"samples",
     [](Parameter to, const AttemptRow& from) {
       to.set(static_cast<std::uint64_t>(from.record.samples.size()));
     }},
    {"min_s", of_summary<&Summary::min>},
    {"q1_s", of_summary<&Summary::q1>},
    {"median_s", of_summary<&Summary::median>},
    {"q3_s", of_summary<&Summary::q3>},
    {"max_s", of_summary<&Summary::max>},
    {"mean_s", of_summary<&Summary::mean>},
    {"stdev_s", of_summary<&Summary::stdev>},
    {"mad_s", of_summary<&Summary::mad>},
    {"noise", of_record<&AttemptRecord::noise>},
    {"flops", of_record<&AttemptRecord::flops>},
    {"bytes", of_record<&AttemptRecord::bytes>},
    {"error", of_record<&AttemptRecord::error>},
    {"tolerance", of_record<&AttemptRecord::tolerance>},
    {"repeatable", of_record<&AttemptRecord::repeatable>},
    {"reason", stored<&AttemptRow::reason>},
    {"stderr", stored<&AttemptRow::stderr_tail>},
    {"grade_reasons", stored<&AttemptRow::grade_reasons>},
    {"runtime", stored<&AttemptRow::runtime>},
    {"affinity", stored<&AttemptRow::affinity>},
    {"environment", stored<&AttemptRow::environment>},
    {"thread_environment", stored<&AttemptRow::thread_environment>},
    {"inputs", stored<&AttemptRow::inputs>},
    {"stopped_by", stored<&AttemptRow::stopped_by>},
    {"gpus", stored<&AttemptRow::gpus>},
    {"verified_by", stored<&AttemptRow::verified_by>},
    {"distrust", stored<&AttemptRow::distrust>},
    {"output_sample", stored<&AttemptRow::output_sample>},
    {"doubt_cause",
     [](Parameter to, const AttemptRow& from) { to.set_known(name_of(from.record.doubt_cause)); }},
    {"notes", stored<&AttemptRow::notes>},
    {"first_call_s", of_record<&AttemptRecord::first_call_s>},
    {"inputs_s", of_record<&AttemptRecord::inputs_s>},
    {"reference_s", of_record<&AttemptRecord::reference_s>},
    {"verify_s", of_record<&AttemptRecord::verify_s>},
    {"check_s", of_record<&AttemptRecord::check_s>},
    {"start_s", of_record<&AttemptRecord::start_s>},
    {"slot", of_record_if_known<&AttemptRecord::slot>},
};

struct MetricRow {
  const MetricRecord& record;
  ResultId result;
};
constexpr Field<MetricRow> kMetric[] = {
    {"name", of_record<&MetricRecord::name>},
    {"result", stored<&MetricRow::result>},
    {"value", of_record<&MetricRecord::value>},
    {"better", [](Parameter to, const MetricRow& from) { to.set_known(name_of(from.record.better)); }},
    {"unit", [](Parameter to, const MetricRow& from) { to.set_known(from.record.unit); }},
};

struct SampleRow {
  std::span<const double> seconds;
  ResultId result;
};
constexpr Field<SampleRow> kSampleFields[] = {
    {"result", stored<&SampleRow::result>},
    {"seconds",
     [](Parameter to, const SampleRow& from) {
       const auto* start = reinterpret_cast<const char*>(from.seconds.data());
       to.set_blob(std::string_view(start, from.seconds.size_bytes()));
     }},
};

struct TextRow {
  std::uint64_t id;
  std::string_view content;
};
constexpr Field<TextRow> kText[] = {
    {"id", stored<&TextRow::id>},
    {"content", stored<&TextRow::content>},
};

}  // namespace

Result<Statement> prepare_outcomes(sqlite::Connection& database, std::span<const int> values) {
  return prepare_insertion(database, "outcome", kOutcome, {}, values);
}

Status Store::State::prepare() {
  const std::string job = "sweep_id = ? and job = ? and job_host = ?";
  std::pair<Statement*, Result<Statement>> all[] = {
      {&begin_batch, database.prepare("begin immediate")},
      {&commit_batch, database.prepare("commit")},
      {&insert_row, prepare_insertion(database, "attempt_row", kAttemptRow)},
      {&insert_conditions, prepare_conditions(database)},
      {&insert_metric, prepare_insertion(database, "metric", kMetric)},
      {&insert_sample, prepare_insertion(database, "sample", kSampleFields)},
      {&insert_text, prepare_insertion(database, "text", kText)},
      {&insert_event, prepare_events(database)},
      {&find_outcome, database.prepare("select result, status from outcome where " + job)},
      {&delete_outcome, database.prepare("delete from outcome where " + job)},
      {&demote_attempt, database.prepare("update attempt_row set final = 0 where result = ?")},
      {&find_attempt, database.prepare("select 1 from attempt_row where final = 0 and " + job +
                                       " and attempt = ? and host_id is ?")},
  };
  for (auto& [statement, made] : all) {
    KS_ASSIGN_OR_RETURN(*statement, std::move(made));
  }
  return Done{};
}

Status Store::State::begin() {
  if (in_batch) return Done{};
  KS_RETURN_IF_ERROR(begin_batch.run());
  in_batch = true;
  return Done{};
}

tl::unexpected<Error> Store::State::roll_back(std::string why) {
  // After some errors SQLite has already rolled back.
  if (database.in_transaction()) (void)database.execute("rollback");
  in_batch = false;
  texts.forget();
  for (auto& [id, sweep] : sweeps)
    for (char& flag : sweep.has_null) {
      sweep.nulls_changed = sweep.nulls_changed || flag != 0;
      flag = flag != 0 ? 1 : 0;
    }
  return tl::unexpected<Error>(Error{std::move(why)});
}

Status Store::State::place_text(std::string_view text, std::optional<std::uint64_t>& id) {
  if (text.empty()) return Done{};
  const TextPool::Place place = texts.place(text);
  id = place.id;
  if (!place.is_new) return Done{};
  give_all(insert_text, kText, {place.id, text});
  return insert_text.run();
}

// Deletes an outcome that a new one replaces. Returns false if the job has an outcome that must stay.
Result<bool> Store::State::make_way(const JobId& job) {
  const auto bind = [&job](Statement& statement) {
    statement.bind(1, job.sweep.value);
    statement.bind(2, job.index);
    statement.bind(3, signed_host(job.host));
  };
  bind(find_outcome);
  const Step found = find_outcome.step();
  if (found == Step::done) return true;
  if (found != Step::row) return failure(find_outcome.why());
  const std::int64_t result = find_outcome.integer(0);
  const bool final = !gives_way(find_outcome.text(1));
  find_outcome.reset();
  if (final) return false;
  bind(delete_outcome);
  KS_RETURN_IF_ERROR(delete_outcome.run());
  demote_attempt.bind(1, result);
  KS_RETURN_IF_ERROR(demote_attempt.run());
  return true;
}

// True if this attempt, after which the job was retried, is already stored (it was sent twice).
Result<bool> Store::State::repeated(const AttemptRecord& record) {
  const JobId& job = record.attempt.job;
  find_attempt.bind(1, job.sweep.value);
  find_attempt.bind(2, job.index);
  find_attempt.bind(3, signed_host(job.host));
  find_attempt.bind(4, record.attempt.number);
  Parameter(find_attempt, 5).set_known(record.host);
  const Step found = find_attempt.step();
  if (found == Step::row) find_attempt.reset();
  if (found == Step::failed) return failure(find_attempt.why());
  return found == Step::row;
}

Result<Recorded> Store::State::insert_outcome(KnownSweep& sweep, const AttemptRecord& record,
                                              ResultId result, bool reused) {
  Statement& row = sweep.insert;
  const JobId& job = record.attempt.job;
  std::string_view variant = record.variant;
  std::string variant_text;
  if (sweep.variant >= 0) {
    const Value& value = record.values[static_cast<std::size_t>(sweep.variant)];
    if (const auto* text = value.text())
      variant = *text;
    else
      variant = variant_text = value.is_null() ? std::string() : value.to_text();
  }
  give_all(row, kOutcome, {record, result, reused, variant});
  int behind = 0;  // counts the bound values, in the order that known() gave to prepare_outcomes()
  for (std::size_t i = 0; i < record.values.size(); ++i) {
    const Value& value = record.values[i];
    if (value.is_null() && sweep.has_null[i] == 0) {
      sweep.has_null[i] = 1;
      sweep.nulls_changed = true;
    }
    if (sweep.columns[i].storage > 0) row.bind(kOutcomeColumns + ++behind, value);
  }
  Step inserted = row.step();
  if (inserted == Step::constraint) {
    KS_ASSIGN_OR_RETURN(const auto free, make_way(job));
    if (!free) return Recorded::already_answered;
    inserted = row.step();
  }
  if (inserted != Step::done) return failure(row.why());
  return Recorded::stored;
}

Status Store::State::insert_attempt(const AttemptRecord& record, ResultId result) {
  AttemptRow row{record, result};
  const std::pair<std::string_view, std::optional<std::uint64_t>*> all[] = {
      {record.reason, &row.reason},
      {record.stderr_tail, &row.stderr_tail},
      {record.grade_reasons, &row.grade_reasons},
      {record.runtime, &row.runtime},
      {record.affinity, &row.affinity},
      {record.environment, &row.environment},
      {record.thread_environment, &row.thread_environment},
      {record.inputs, &row.inputs},
      {record.stopped_by, &row.stopped_by},
      {record.gpus, &row.gpus},
      {record.notes, &row.notes},
      {record.verified_by, &row.verified_by},
      {record.distrust, &row.distrust},
      {record.output_sample, &row.output_sample},
  };
  for (const auto& [text, id] : all) KS_RETURN_IF_ERROR(place_text(text, *id));
  give_all(insert_row, kAttemptRow, row);
  KS_RETURN_IF_ERROR(insert_row.run());
  if (record.conditions) KS_RETURN_IF_ERROR(insert_conditions_of(*record.conditions, result));
  for (const MetricRecord& metric : record.metrics) {
    give_all(insert_metric, kMetric, {metric, result});
    KS_RETURN_IF_ERROR(insert_metric.run());
  }
  if (record.samples.empty()) return Done{};
  give_all(insert_sample, kSampleFields, {record.samples, result});
  return insert_sample.run();
}

Result<Recorded> Store::record(const AttemptRecord& record) {
  State& state = *state_;
  KS_ASSIGN_OR_RETURN(const auto sweep, state.known(record.attempt.job.sweep));
  KS_ASSERT(record.values.size() == sweep->columns.size());
  KS_RETURN_IF_ERROR(state.begin());
  const ResultId result{state.next_result};
  if (record.final) {
    const auto stored = state.insert_outcome(*sweep, record, result, false);
    if (!stored) return state.roll_back(stored.error().message);
    if (*stored == Recorded::already_answered) return stored;
  } else {
    const auto free = state.make_way(record.attempt.job);
    if (!free) return state.roll_back(free.error().message);
    const auto known = *free ? state.repeated(record) : Result<bool>(true);
    if (!known) return state.roll_back(known.error().message);
    if (*known) return Recorded::already_answered;
  }
  if (auto done = state.insert_attempt(record, result); !done) return state.roll_back(done.error().message);
  ++state.next_result;
  return Recorded::stored;
}

Status Store::commit() {
  State& state = *state_;
  if (!state.in_batch) return Done{};
  if (auto done = state.write_nulls(); !done) return state.roll_back(done.error().message);
  if (auto done = state.commit_batch.run(); !done) return state.roll_back(done.error().message);
  state.in_batch = false;
  return Done{};
}

}  // namespace kernsweep
