// The hot path of the store: one job becomes a row of `outcome`, a row of `attempt_row` and its samples.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "results/store_state.hpp"

namespace kernsweep {

using sqlite::Statement;
using sqlite::Step;

namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored as this machine holds them");

void bind_or_null(Statement& statement, int at, std::uint32_t id) {
  if (id == 0)
    statement.bind_null(at);
  else
    statement.bind(at, id);
}

void bind_or_null(Statement& statement, int at, std::string_view text) {
  if (text.empty())
    statement.bind_null(at);
  else
    statement.bind(at, text);
}

constexpr std::string_view cache_name(Cache cache) {
  return cache == Cache::cold ? "cold" : "hot";
}

}  // namespace

Status Store::State::prepare() {
  const auto make = [this](Statement& into, const std::string& sql) -> Status {
    auto made = database.prepare(sql);
    if (!made) return tl::unexpected<Error>(made.error());
    into = std::move(*made);
    return Done{};
  };
  const auto insertion = [](std::string_view table) {
    std::string marks;
    for (const auto& each : schema::tables())
      for (std::size_t i = 0; each.name == table && i < each.columns.size(); ++i)
        marks += i == 0 ? "?" : ", ?";
    return fmt::format("insert into {} values ({})", table, marks);
  };
  const std::string job = "sweep_id = ? and job = ? and job_host = ?";
  const std::pair<Statement*, std::string> all[] = {
      {&begin_batch, "begin immediate"},
      {&commit_batch, "commit"},
      {&insert_row, insertion("attempt_row")},
      {&insert_conditions, insertion("conditions")},
      {&insert_metric, insertion("metric")},
      {&insert_sample, "insert into sample values (?, ?)"},
      {&insert_text, "insert into text values (?, ?)"},
      {&insert_event, insertion("event")},
      {&find_outcome, "select result, status from outcome where " + job},
      {&delete_outcome, "delete from outcome where " + job},
      {&demote_attempt, "update attempt_row set final = 0 where result = ?"},
      {&find_attempt,
       "select 1 from attempt_row where final = 0 and " + job + " and attempt = ? and host_id is ?"},
  };
  for (const auto& [statement, sql] : all)
    if (auto done = make(*statement, sql); !done) return done;
  return Done{};
}

Status Store::State::begin() {
  if (in_batch) return Done{};
  if (auto done = begin_batch.run(); !done) return done;
  in_batch = true;
  return Done{};
}

tl::unexpected<Error> Store::State::roll_back(std::string why) {
  // SQLite has rolled back by itself after some errors.
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

Status Store::State::bind_text(Statement& statement, int at, std::string_view text) {
  if (text.empty()) {
    statement.bind_null(at);
    return Done{};
  }
  const TextPool::Place place = texts.place(text);
  statement.bind(at, place.id);
  if (!place.is_new) return Done{};
  insert_text.bind(1, place.id);
  insert_text.bind(2, text);
  return insert_text.run();
}

// True when the job has no outcome any more that a new one must respect.
Result<bool> Store::State::make_way(const JobId& job) {
  const auto bind = [&job](Statement& statement) {
    statement.bind(1, job.sweep.value);
    statement.bind(2, job.index);
    statement.bind(3, job.host);
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
  if (auto done = delete_outcome.run(); !done) return tl::unexpected<Error>(done.error());
  demote_attempt.bind(1, result);
  if (auto done = demote_attempt.run(); !done) return tl::unexpected<Error>(done.error());
  return true;
}

// Whether this attempt, after which the job was tried again, is stored already (sent twice).
Result<bool> Store::State::repeated(const AttemptRecord& record) {
  const JobId& job = record.attempt.job;
  find_attempt.bind(1, job.sweep.value);
  find_attempt.bind(2, job.index);
  find_attempt.bind(3, job.host);
  find_attempt.bind(4, record.attempt.number);
  bind_or_null(find_attempt, 5, record.host.value);
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
  row.bind(1, job.sweep.value);
  row.bind(2, job.index);
  row.bind(3, job.host);
  row.bind(4, result.value);
  row.bind(5, record.attempt.number);
  row.bind(6, record.point);
  row.bind(7, name_of(record.outcome));
  bind_or_null(row, 8, std::string_view(&record.grade, record.grade == 0 ? 0 : 1));
  row.bind(9, record.summary ? record.summary->median : kUnknown);
  row.bind(10, record.gflops);
  row.bind(11, record.gbps);
  bind_or_null(row, 12, variant);
  bind_or_null(row, 13, record.host.value);
  row.bind(14, cache_name(record.cache));
  row.bind(15, record.process);
  row.bind(16, record.quick ? 1 : 0);
  row.bind(17, reused ? 1 : 0);
  bind_or_null(row, 18, record.software.value);
  bind_or_null(row, 19, record.output_hash);
  row.bind_blob(20, record.key.view());
  for (std::size_t i = 0; i < record.values.size(); ++i) {
    const Value& value = record.values[i];
    if (value.is_null() && sweep.has_null[i] == 0) {
      sweep.has_null[i] = 1;
      sweep.nulls_changed = true;
    }
    if (sweep.columns[i].storage > 0) row.bind(20 + sweep.columns[i].storage, value);
  }
  Step inserted = row.step();
  if (inserted == Step::constraint) {
    const auto free = make_way(job);
    if (!free) return tl::unexpected<Error>(free.error());
    if (!*free) return Recorded::already_answered;
    inserted = row.step();
  }
  if (inserted != Step::done) return failure(row.why());
  return Recorded::stored;
}

Status Store::State::insert_attempt(const AttemptRecord& record, ResultId result) {
  Statement& row = insert_row;
  const JobId& job = record.attempt.job;
  row.bind(1, result.value);
  row.bind(2, job.sweep.value);
  row.bind(3, job.index);
  row.bind(4, job.host);
  row.bind(5, record.attempt.number);
  row.bind(6, record.final ? 1 : 0);
  row.bind(7, name_of(record.outcome));
  bind_or_null(row, 8, record.host.value);
  bind_or_null(row, 9, record.software.value);
  row.bind(10, record.finished_unix_s);
  row.bind(11, record.queue_s);
  row.bind(12, record.setup_s);
  row.bind(13, record.lease_wait_s);
  row.bind(14, record.run_s);
  if (record.order == 0)
    row.bind_null(15);
  else
    row.bind(15, record.order);
  row.bind(16, record.warmup_runs);
  row.bind(17, record.calls_per_sample);
  row.bind(18, static_cast<std::uint64_t>(record.samples.size()));
  int at = 19;
  const Summary& s = record.summary ? *record.summary : Summary{};
  for (const double number : {s.min, s.q1, s.median, s.q3, s.max, s.mean, s.stdev, s.mad})
    row.bind(at++, record.summary ? number : kUnknown);
  for (const double number : {record.flops, record.bytes, record.error, record.tolerance})
    row.bind(at++, number);
  for (const std::string_view text :
       {record.reason, record.stderr_tail, record.grade_reasons, record.runtime, record.affinity,
        record.environment, record.thread_environment, record.inputs, record.stopped_by})
    if (auto done = bind_text(row, at++, text); !done) return done;
  row.bind(at++, record.noise);
  row.bind(at++, record.warmup_s);
  if (record.repeatable)
    row.bind(at++, *record.repeatable ? 1 : 0);
  else
    row.bind_null(at++);
  row.bind(at++, record.sent_unix_s);
  bind_or_null(row, at++, record.session);
  if (auto done = bind_text(row, at++, record.gpus); !done) return done;
  if (auto done = row.run(); !done) return done;
  if (record.conditions)
    if (auto done = insert_conditions_of(*record.conditions, result); !done) return done;
  for (const MetricRecord& metric : record.metrics) {
    insert_metric.bind(1, metric.name);
    insert_metric.bind(2, result.value);
    insert_metric.bind(3, metric.value);
    if (auto done = insert_metric.run(); !done) return done;
  }
  if (record.samples.empty()) return Done{};
  insert_sample.bind(1, result.value);
  const auto* start = reinterpret_cast<const char*>(record.samples.data());
  insert_sample.bind_blob(2, std::string_view(start, record.samples.size_bytes()));
  return insert_sample.run();
}

Result<Recorded> Store::record(const AttemptRecord& record) {
  State& state = *state_;
  const auto sweep = state.known(record.attempt.job.sweep);
  if (!sweep) return tl::unexpected<Error>(sweep.error());
  KS_ASSERT(record.values.size() == (*sweep)->columns.size());
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  const ResultId result{state.next_result};
  if (record.final) {
    const auto stored = state.insert_outcome(**sweep, record, result, false);
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
