// Opening and closing the store, and all operations on whole sweeps.
#include "results/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <unordered_map>

#include "results/sqlite/file_system.hpp"
#include "results/store/database.hpp"
#include "results/store/store_state.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

// Removes the files of a database that could not be created.
void remove_unused(const std::string& file) {
  std::error_code ignored;
  for (const char* const end : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(file + end, ignored);
}

}  // namespace

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() {
  if (state_ && state_->in_batch) (void)state_->roll_back({});
}

void Store::while_locked(WhileLocked decide) {
  state_->database.while_locked(std::move(decide));
}

const std::string& Store::path() const {
  return state_->path;
}

Result<Store> Store::open_for_writing(const std::string& path, const Options& options) {
  KS_RETURN_IF_ERROR(check_database_file(path, true));
  // Two names of the same file must lead to the same lock.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  const std::string file = error ? path : real.string();
  KS_RETURN_IF_ERROR(check_file_system(file));
  KS_ASSIGN_OR_RETURN(auto lock, WriterLock::take(file));
  const bool is_new = std::filesystem::file_size(file, error) == 0 || error;
  auto store = open_locked(path, options, std::move(lock));
  if (!store && is_new) remove_unused(file);
  return store;
}

Result<Store> Store::open_locked(const std::string& path, const Options& options, WriterLock lock) {
  KS_ASSIGN_OR_RETURN(
      auto database,
      open_database_for_writing(path, options.durability == Durability::power_loss, options.while_locked));
  auto state = std::make_unique<State>(path, std::move(lock), std::move(database));
  KS_ASSIGN_OR_RETURN(const auto result, state->database.integer("select max(result) from attempt_row"));
  KS_ASSIGN_OR_RETURN(const auto text, state->database.integer("select max(id) from text"));
  state->next_result = static_cast<std::uint64_t>(result) + 1;
  state->texts = TextPool(static_cast<std::uint64_t>(text) + 1);
  KS_RETURN_IF_ERROR(state->prepare());
  return Store(std::move(state));
}

Result<Store::State::KnownSweep*> Store::State::known(SweepId id) {
  if (id.value == last_id && last_sweep) return last_sweep;
  if (const auto found = sweeps.find(id.value); found != sweeps.end()) {
    last_id = id.value;
    return last_sweep = &found->second;
  }
  KS_ASSIGN_OR_RETURN(const auto exists,
                      database.integer(fmt::format("select count(*) from sweep where id = {}", id.value)));
  if (exists == 0) return failure(fmt::format("{}: there is no sweep {}", path, id.value));
  KS_ASSIGN_OR_RETURN(
      auto columns,
      database.prepare("select name, view_name, storage, has_null from sweep_column where sweep_id = ? "
                       "order by position"));
  columns.bind(1, id.value);
  KnownSweep sweep;
  std::vector<int> values;
  while (columns.step() == Step::row) {
    schema::StoredColumn column{std::string(columns.text(0)), std::string(columns.text(1)),
                                static_cast<int>(columns.integer(2))};
    if (column.storage == 0) sweep.variant = static_cast<int>(sweep.columns.size());
    if (column.storage > 0) values.push_back(column.storage);
    sweep.columns.push_back(std::move(column));
    sweep.has_null.push_back(columns.integer(3) != 0 ? 2 : 0);
  }
  KS_ASSIGN_OR_RETURN(auto insert, prepare_outcomes(database, values));
  sweep.insert = std::move(insert);
  last_id = id.value;
  return last_sweep = &sweeps.emplace(id.value, std::move(sweep)).first->second;
}

Status Store::State::write_nulls() {
  for (auto& [id, sweep] : sweeps) {
    if (!sweep.nulls_changed) continue;
    for (std::size_t i = 0; i < sweep.has_null.size(); ++i) {
      if (sweep.has_null[i] != 1) continue;
      KS_RETURN_IF_ERROR(database.execute(fmt::format(
          "update sweep_column set has_null = 1 where sweep_id = {} and position = {}", id, i)));
      sweep.has_null[i] = 2;
    }
    sweep.nulls_changed = false;
  }
  return Done{};
}

Result<Store::Begun> Store::begin_sweep(const SweepRecord& record, bool again) {
  State& state = *state_;
  if (record.columns.size() > schema::kColumnsMax)
    return failure(fmt::format("{}: the sweep has {} columns, at most {} are possible; split it",
                               record.file, record.columns.size(), schema::kColumnsMax));
  KS_RETURN_IF_ERROR(commit());
  if (!again) {
    KS_ASSIGN_OR_RETURN(const auto found, find_sweep(state.database, record.identity));
    // A sweep of a recovered file may have lost names of columns. Nothing can be added to it: a new sweep
    // is started, which reuses the old results.
    if (found && has_columns(state.database, *found, record.columns)) {
      KS_ASSIGN_OR_RETURN(const auto stored, stored_sweep(state.database, {}, *found, Counted::no));
      KS_ASSERT(stored);
      Begun begun{*found, true, stored->state == SweepState::finished, stored->record.replacements};
      KS_RETURN_IF_ERROR(set_problem(*found, record.problem));
      if (!record.submitted) return begun;
      KS_RETURN_IF_ERROR(state.begin());
      if (auto done = submit_again(state.database, *found, record); !done)
        return state.roll_back(done.error().message);
      KS_RETURN_IF_ERROR(commit());
      return begun;
    }
  }
  KS_RETURN_IF_ERROR(state.begin());
  // New columns and views change the schema; SQLite then recompiles prepared statements automatically.
  const auto added = add_sweep(state.database, record);
  if (!added) return state.roll_back(added.error().message);
  KS_RETURN_IF_ERROR(commit());
  return Begun{*added, false, false, record.replacements};
}

Status Store::set_problem(SweepId id, const std::vector<std::optional<bool>>& problem) {
  State& state = *state_;
  KS_ASSIGN_OR_RETURN(const auto known, knows_problem(state.database, id, problem));
  if (known) return Done{};
  KS_RETURN_IF_ERROR(state.begin());
  if (auto done = kernsweep::set_problem(state.database, id, problem); !done)
    return state.roll_back(done.error().message);
  return commit();
}

Result<std::optional<StoredSweep>> Store::sweep(SweepId id) {
  return stored_sweep(state_->database, {}, id, Counted::yes);
}

Result<Store::Earlier> Store::earlier(SweepId id, const EachRun& each_run, const EachSpent& each_spent) {
  Earlier earlier;
  std::map<std::pair<std::uint32_t, HostId>, AnsweredRun> open;  // not passed to each_run yet
  auto at = open.end();
  std::uint32_t attempts = 0;
  std::unordered_map<std::uint64_t, std::size_t> origins;
  const auto add_origin = [&](std::uint32_t by_host, std::uint32_t by_software) {
    const auto [known, added] =
        origins.try_emplace(std::uint64_t{by_host} << 32 | by_software, earlier.origins.size());
    if (added) {
      Origin& origin = earlier.origins.emplace_back();
      origin.host = HostId{by_host};
      origin.software = SoftwareId{by_software};
    }
    ++earlier.origins[known->second].jobs;
  };
  const auto add = [&](const sqlite::Row& row) {
    const auto job = static_cast<std::uint64_t>(row.integer(0));
    const auto host = static_cast<std::uint32_t>(row.integer(1));
    const auto number = static_cast<std::uint32_t>(row.integer(3));
    attempts = std::max(attempts, number);
    if (const auto status = row.text(2); status != "ok" && gives_way(status))
      return each_spent({{id, job, host}, number}, true);
    ++earlier.answered;
    add_origin(static_cast<std::uint32_t>(row.integer(4)), static_cast<std::uint32_t>(row.integer(5)));
    const HostId measured_on{static_cast<std::uint32_t>(row.integer(4))};
    if (at == open.end() || at->first != std::pair(host, measured_on)) {
      bool fresh = false;
      std::tie(at, fresh) = open.try_emplace({host, measured_on}, AnsweredRun{host, measured_on, job, job});
      if (fresh) return;
    }
    AnsweredRun& run = at->second;
    if (job != run.last + 1) {
      each_run(run);
      run.first = job;
    }
    run.last = job;
  };
  KS_RETURN_IF_ERROR(
      state_->database.each_row({"job", "job_host", "status", "attempt", "host_id", "software_id"},
                                fmt::format("from outcome where sweep_id = {}", id.value), add));
  for (const auto& [of, run] : open) each_run(run);
  // Attempts that gave an outcome were read with it; an index has the others.
  const auto add_other = [&](const sqlite::Row& row) {
    const auto number = static_cast<std::uint32_t>(row.integer(2));
    attempts = std::max(attempts, number);
    each_spent(
        {{id, static_cast<std::uint64_t>(row.integer(0)), static_cast<std::uint32_t>(row.integer(1))},
         number},
        false);
  };
  KS_RETURN_IF_ERROR(state_->database.each_row(
      {"job", "job_host", "attempt"},
      fmt::format("from attempt_row where sweep_id = {} and final = 0", id.value), add_other));
  earlier.next_attempt = attempts + 1;
  return earlier;
}

Result<std::map<HostId, std::string>> Store::fingerprints() {
  std::map<HostId, std::string> all;
  KS_RETURN_IF_ERROR(state_->database.each_row(
      {"id", "lower(hex(fingerprint))"}, "from host", [&](const sqlite::Row& row) {
        const HostId host{static_cast<std::uint32_t>(row.integer(0))};
        all.emplace(host, row.text(1));
      }));
  return all;
}

Status Store::finish_sweep(SweepId id, SweepState sweep_state, double ended_unix_s) {
  State& state = *state_;
  KS_ASSIGN_OR_RETURN(auto update,
                      state.database.prepare("update sweep set state = ?, ended_unix_s = ? where id = ?"));
  KS_RETURN_IF_ERROR(state.begin());
  update.bind(1, name_of(sweep_state));
  if (sweep_state == SweepState::running)
    update.bind_null(2);
  else
    update.bind(2, ended_unix_s);
  update.bind(3, id.value);
  if (auto done = update.run(); !done) return state.roll_back(done.error().message);
  return commit();
}

Result<bool> Store::has_other_sweeps(const std::string& kernel, SweepId except) {
  KS_ASSIGN_OR_RETURN(auto row,
                      state_->database.prepare("select 1 from sweep where kernel = ? and id <> ? limit 1"));
  row.bind(1, kernel);
  row.bind(2, except.value);
  const Step step = row.step();
  if (step == Step::failed) return failure(row.why());
  return step == Step::row;
}

Result<Recorded> Store::reuse(const ReuseRecord& record) {
  State& state = *state_;
  KS_ASSIGN_OR_RETURN(const auto sweep, state.known(record.job.sweep));
  KS_ASSERT(record.values.size() == sweep->columns.size());
  KS_ASSIGN_OR_RETURN(
      auto old,
      state.database.prepare(
          "select o.grade, o.median_s, o.gflops, o.gbps, o.host_id, o.software_id, o.output_hash, o.quick "
          "from "
          "attempt_row a join outcome o using (sweep_id, job, job_host) where a.result = ? and o.result = "
          "a.result and o.status = 'ok'"));
  old.bind(1, record.from.value);
  if (old.step() != Step::row)
    return failure(fmt::format("{}: there is no accepted result {} that could be used again", state.path,
                               record.from.value));
  const std::string hash(old.text(6));
  const std::string grade(old.text(0));
  AttemptRecord copy;
  copy.attempt = AttemptId{record.job, 0};
  copy.point = record.point;
  copy.values = record.values;
  copy.variant = record.variant;
  copy.key = record.key;
  copy.cache = record.cache;
  copy.process = record.process;
  copy.grade = grade.empty() ? '\0' : grade[0];
  if (!old.is_null(1)) copy.summary.emplace().median = old.real(1);
  copy.gflops = old.real(2);
  copy.gbps = old.real(3);
  copy.host.value = static_cast<std::uint32_t>(old.integer(4));
  copy.software.value = static_cast<std::uint32_t>(old.integer(5));
  copy.output_hash = hash;
  copy.quick = old.integer(7) != 0;
  old.reset();
  KS_RETURN_IF_ERROR(state.begin());
  auto stored = state.insert_outcome(*sweep, copy, record.from, true);
  if (!stored) return state.roll_back(stored.error().message);
  return stored;
}

}  // namespace kernsweep
