// Stores events; also the queries that a coordinator needs when it starts on an existing database.
#include <fmt/format.h>

#include <array>

#include "results/sqlite/insertion.hpp"
#include "results/store/store_state.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "returned", "retracted", "lost",    "adopted",    "cancelled", "late",  "joined",   "left",
    "draining", "drained",   "refused", "readmitted", "submitted", "ended", "restarted"};
static_assert(kNames.size() == static_cast<std::size_t>(EventKind::restarted));

template <auto kMember>
void of_job(Parameter to, const EventRecord& from) {
  from.attempt ? to.set(from.attempt->job.*kMember) : to.set_null();
}

constexpr Field<EventRecord> kEvent[] = {
    {"id", [](Parameter to, const EventRecord&) { to.set_null(); }},  // NULL: SQLite assigns the next id
    {"unix_s", stored<&EventRecord::unix_s>},
    {"sweep_id",
     [](Parameter to, const EventRecord& from) {
       from.attempt ? to.set(from.attempt->job.sweep) : to.set_known(from.sweep);
     }},
    {"job", of_job<&JobId::index>},
    {"job_host",
     [](Parameter to, const EventRecord& from) {
       from.attempt ? to.set(signed_host(from.attempt->job.host)) : to.set_null();
     }},
    {"attempt",
     [](Parameter to, const EventRecord& from) {
       from.attempt ? to.set(from.attempt->number) : to.set_null();
     }},
    {"session", stored_if_known<&EventRecord::session>},
    {"host_id", stored_if_known<&EventRecord::host>},
    {"what", [](Parameter to, const EventRecord& from) { to.set(name_of(from.what)); }},
    {"reason", stored_if_known<&EventRecord::reason>},
};

}  // namespace

Result<sqlite::Statement> prepare_events(sqlite::Connection& database) {
  return prepare_insertion(database, "event", kEvent);
}

std::string_view name_of(EventKind kind) {
  return kNames[static_cast<std::size_t>(kind) - 1];
}

std::optional<EventKind> event_kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<EventKind>(i + 1);
  return std::nullopt;
}

Status Store::note(const EventRecord& record) {
  State& state = *state_;
  KS_RETURN_IF_ERROR(state.begin());
  give_all(state.insert_event, kEvent, record);
  if (auto done = state.insert_event.run(); !done) return state.roll_back(done.error().message);
  return Done{};
}

Result<std::vector<StoredSweep>> Store::to_be_continued() {
  KS_ASSIGN_OR_RETURN(
      auto rows, state_->database.prepare(
                     "select id from sweep where submitted = 1 and state not in (?, ?, ?) order by id"));
  rows.bind(1, name_of(SweepState::finished));
  rows.bind(2, name_of(SweepState::cancelled));
  rows.bind(3, name_of(SweepState::superseded));
  std::vector<StoredSweep> sweeps;
  sqlite::Step step;
  while ((step = rows.step()) == sqlite::Step::row) {
    const SweepId id{static_cast<std::uint32_t>(rows.integer(0))};
    KS_ASSIGN_OR_RETURN(auto found, stored_sweep(state_->database, {}, id, Counted::no));
    if (found) sweeps.push_back(std::move(*found));
  }
  if (step != sqlite::Step::done) return failure(rows.why());
  return sweeps;
}

Result<std::vector<SweepId>> Store::over() {
  KS_ASSIGN_OR_RETURN(
      auto rows, state_->database.prepare("select id from sweep where state in (?, ?, ?) order by id"));
  rows.bind(1, name_of(SweepState::finished));
  rows.bind(2, name_of(SweepState::cancelled));
  rows.bind(3, name_of(SweepState::superseded));
  std::vector<SweepId> sweeps;
  sqlite::Step step;
  while ((step = rows.step()) == sqlite::Step::row)
    sweeps.push_back(SweepId{static_cast<std::uint32_t>(rows.integer(0))});
  if (step != sqlite::Step::done) return failure(rows.why());
  return sweeps;
}

Result<std::uint32_t> Store::last_session() {
  KS_ASSIGN_OR_RETURN(const auto last,
                      state_->database.integer("select coalesce(max(session), 0) from event"));
  return static_cast<std::uint32_t>(last);
}

Result<Digest> Store::identity() {
  KS_ASSIGN_OR_RETURN(auto row, state_->database.prepare("select identity from file_identity"));
  const sqlite::Step step = row.step();
  if (step == sqlite::Step::failed) return failure(row.why());
  if (step == sqlite::Step::row)
    if (const auto found = digest_from_bytes(row.text(0))) return *found;
  return failure(fmt::format("{}: the database is damaged (it has lost its identity)", state_->path));
}

}  // namespace kernsweep
