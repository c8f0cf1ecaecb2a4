#include "results/report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "results/read/software_classes.hpp"
#include "results/report/json_object.hpp"
#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kTraceNameBytes = 200;
// Columns of the query about attempts, before those of the point.
struct TraceColumn {
  enum : std::size_t {
    kResult,
    kJob,
    kTry,
    kState,
    kHostId,
    kSession,
    kEnd,
    kQueue,
    kSetup,
    kLeaseWait,
    kRun,
    kWarmUp,
    kInputs,
    kReference,
    kVerify,
    kCheck,
    kStart,
    kSlot,
    kCores,
    kWhy,
    kGrade,
    kDisturbedBy,
    kPoint
  };
};

// Nanoseconds; 0 if the seconds are not known.
std::int64_t ns_of(const Value& seconds) {
  const double number = seconds.number().value_or(0);
  return number > 0 && number < 9e9 ? std::llround(number * 1e9) : 0;
}

std::string microseconds(std::int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

class TraceWriting {
 public:
  TraceWriting(Reader& reader, const StoredSweep& sweep, const Sink& sink)
      : reader_(reader), sweep_(sweep), sink_(sink) {
    sums_.sweep = sweep.record.name;
    sums_.sweep_id = sweep.id.value;
  }

  Result<TraceSums> all() {
    KS_ASSIGN_OR_RETURN(columns_, reader_.axis_columns(sweep_.id));
    for (const auto step : {&TraceWriting::count, &TraceWriting::write_attempts,
                            &TraceWriting::write_events, &TraceWriting::write_names})
      KS_RETURN_IF_ERROR((this->*step)());
    JsonObject about;
    about.add("sweep", sums_.sweep).count("sweep_id", sums_.sweep_id).add("begun_unix_s", begin_unix_s_);
    KS_RETURN_IF_ERROR(sink_("\n], \"displayTimeUnit\": \"ms\", \"otherData\": " + about.text() + "}\n"));
    return sums_;
  }

 private:
  // Finds the first start, which is the zero of all times, and counts attempts without spans.
  Status count() {
    KS_ASSIGN_OR_RETURN(
        const auto found,
        reader_.query(fmt::format(
            "select min(finished_unix_s - {0}), max(finished_unix_s), sum(finished_unix_s is null), "
            "(select count(*) from outcome where sweep_id = {1} and reused = 1) from attempt_row a where "
            "sweep_id = {1}",
            kSpent, sweep_.id.value)));
    const std::vector<Value>& row = found.rows.front();
    sums_.without_end = static_cast<std::uint64_t>(row[2].number().value_or(0));
    sums_.reused = static_cast<std::uint64_t>(row[3].number().value_or(0));
    if (const std::string from = imported_from(sweep_.record); !row[0].number() && !from.empty())
      return failure(fmt::format("sweep '{}' was imported from {}, which does not say when its jobs ran",
                                 sums_.sweep, from));
    if (!row[0].number())
      return failure(fmt::format(
          "no attempt of sweep '{}' has ended{}", sums_.sweep,
          sums_.reused > 0 ? ": all its results were reused from earlier sweeps; name one with --sweep"
                           : "; a time line can be written once some have"));
    begin_unix_s_ = *row[0].number();
    sums_.wall_ns = std::llround((*row[1].number() - begin_unix_s_) * 1e9);
    return Done{};
  }

  Status write_attempts() {
    std::string wanted;
    for (const SweepColumn& column : columns_) wanted += ", o." + column.stored;
    Status written = sink_("{\"traceEvents\": [");
    if (!written) return written;
    const Status asked = reader_.query(
        fmt::format(
            "select a.result, a.job, a.attempt, a.status, a.host_id, a.session, a.finished_unix_s, "
            "a.queue_s, a.setup_s, a.lease_wait_s, a.run_s, a.warmup_s, a.inputs_s, a.reference_s, "
            "a.verify_s, "
            "a.check_s, a.start_s, a.slot, (select content from text "
            "where id = a.affinity), (select content from text where id = a.reason), case when o.result = "
            "a.result then o.grade end, "
            "c.disturbed_by{} from attempt_row a left join outcome o on o.sweep_id = a.sweep_id and "
            "o.job = a.job and o.job_host = a.job_host left join conditions c on c.result = a.result "
            "where a.sweep_id = {} and a.finished_unix_s is not null order by a.finished_unix_s - {}",
            wanted, sweep_.id.value, kSpent),
        [](const std::vector<std::string>&) {},
        [&](std::span<const Value> row) {
          written = add_attempt(row);
          return static_cast<bool>(written);
        });
    return written ? asked : written;
  }

  std::string name_of_point(std::span<const Value> row) const {
    std::string name;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (const Value& value = row[TraceColumn::kPoint + c]; !value.is_null())
        name += (name.empty() ? "" : " ") + columns_[c].name + "=" + value.to_text();
    return one_line(name.empty() ? "job " + row[TraceColumn::kJob].to_text() : name, kTraceNameBytes);
  }

  // The first thread of the host that is free at `begin`.
  std::uint64_t thread_at(std::int64_t host, std::int64_t begin, std::int64_t end) {
    ends_.erase(ends_.begin(), ends_.upper_bound(begin));
    ends_.insert(end);
    sums_.together = std::max<std::uint64_t>(sums_.together, ends_.size());
    auto& threads = threads_[host];
    auto free = std::ranges::find_if(threads, [&](const Thread& thread) { return thread.end <= begin; });
    if (free == threads.end()) {
      threads.push_back({.number = ++sums_.threads, .end = 0});
      free = threads.end() - 1;
    }
    free->end = end;
    return free->number;
  }

  Status event(const char* kind, std::string_view name, std::int64_t at, std::int64_t host,
               std::uint64_t thread, std::int64_t length, const std::string& arguments) {
    JsonObject object;
    object.add("ph", kind).add("name", one_line(name, kTraceNameBytes)).add_raw("ts", microseconds(at));
    object.add("pid", host).count("tid", thread);
    if (*kind == 'X') object.add_raw("dur", microseconds(length));
    if (*kind == 'i') object.add("s", thread > 0 ? "t" : "p");
    if (!arguments.empty()) object.add_raw("args", arguments);
    const Status written = sink_((std::exchange(some_, true) ? ",\n" : "\n") + object.text());
    return written;
  }

  Status add_attempt(std::span<const Value> row) {
    const auto part = [&](std::size_t column) { return ns_of(row[column]); };
    const std::int64_t setup = part(TraceColumn::kSetup), run = part(TraceColumn::kRun);
    const std::int64_t inputs = part(TraceColumn::kInputs), reference = part(TraceColumn::kReference),
                       verify = part(TraceColumn::kVerify), start = part(TraceColumn::kStart);
    const std::int64_t warm_up = std::min(run, part(TraceColumn::kWarmUp));
    const std::int64_t host =
        row[TraceColumn::kHostId].integer() ? *row[TraceColumn::kHostId].integer() : 0;
    const std::int64_t end =
        std::llround((row[TraceColumn::kEnd].number().value_or(0) - begin_unix_s_) * 1e9);
    const std::int64_t begin =
        end - setup - part(TraceColumn::kLeaseWait) - run - part(TraceColumn::kCheck);
    const std::uint64_t thread = thread_at(host, begin - start, end);
    hosts_.insert(host);
    ++sums_.attempts;
    sums_.queue_ns += part(TraceColumn::kQueue);
    add_idle(row, host, begin - start, end);
    JsonObject about;
    about.add("result", row[TraceColumn::kResult])
        .add("job", row[TraceColumn::kJob])
        .add("attempt", row[TraceColumn::kTry]);
    about.add("status", row[TraceColumn::kState])
        .add("grade", row[TraceColumn::kGrade])
        .add("cores", row[TraceColumn::kCores]);
    about.add("session", row[TraceColumn::kSession]).add("queue_s", row[TraceColumn::kQueue]);
    if (!row[TraceColumn::kSlot].is_null()) about.add("slot", row[TraceColumn::kSlot]);
    if (!row[TraceColumn::kWhy].is_null())
      about.add("reason", one_line(row[TraceColumn::kWhy].to_text(), 1000));
    Status done = event("X", name_of_point(row), begin, host, thread, end - begin, about.text());
    std::int64_t at = begin - start;
    const auto phase = [&](TracePhase which, std::int64_t length) {
      sums_.of(which) += length;
      if (done && length > 0) done = event("X", name_of(which), at, host, thread, length, "");
      at += length;
    };
    phase(TracePhase::start, start);
    phase(TracePhase::inputs, inputs);
    phase(TracePhase::prepare, std::max<std::int64_t>(0, setup - inputs - reference - verify));
    phase(TracePhase::reference, reference);
    phase(TracePhase::verify, verify);
    phase(TracePhase::wait, part(TraceColumn::kLeaseWait));
    phase(TracePhase::warm_up, warm_up);
    if (const Value& by = row[TraceColumn::kDisturbedBy]; done && by.text() && !by.text()->empty()) {
      ++sums_.disturbances;
      done = event("i", "disturbed: " + *by.text(), at, host, thread, 0, "");
    }
    phase(TracePhase::measure, run - warm_up);
    phase(TracePhase::check, part(TraceColumn::kCheck));
    return done;
  }

  // The time that a slot waited between two of its attempts.
  void add_idle(std::span<const Value> row, std::int64_t host, std::int64_t begin, std::int64_t end) {
    if (!row[TraceColumn::kSlot].integer()) return;
    const auto session = row[TraceColumn::kSession].integer();
    const auto slot = std::tuple(host, session ? *session : 0, *row[TraceColumn::kSlot].integer());
    const auto [busy, is_first] = busy_until_.try_emplace(slot, end);
    if (is_first) return;
    sums_.of(TracePhase::idle) += std::max<std::int64_t>(0, begin - busy->second);
    busy->second = std::max(busy->second, end);
  }

  // Events of the sweep; events of workers while it ran.
  Status write_events() {
    KS_ASSIGN_OR_RETURN(const auto found, reader_.query(fmt::format(
                                              "select unix_s, what, reason, host_id, job from event where "
                                              "sweep_id = {0} or (sweep_id is null "
                                              "and "
                                              "unix_s between {1:.6f} and {2:.6f}) order by id",
                                              sweep_.id.value, begin_unix_s_,
                                              begin_unix_s_ + 1e-9 * static_cast<double>(sums_.wall_ns))));
    for (const auto& row : found.rows) {
      if (!row[0].number()) continue;
      const std::int64_t host = row[3].integer() ? *row[3].integer() : 0;
      hosts_.insert(host);
      ++sums_.events;
      std::string name = row[1].to_text();
      if (!row[4].is_null()) name += " job " + row[4].to_text();
      if (!row[2].is_null()) name += ": " + row[2].to_text();
      const auto at = std::llround((*row[0].number() - begin_unix_s_) * 1e9);
      KS_RETURN_IF_ERROR(event("i", name, at, host, 0, 0, ""));
    }
    return Done{};
  }

  Status write_names() {
    KS_ASSIGN_OR_RETURN(const auto names, host_names(reader_));
    const auto named = [&](const char* what, std::int64_t host, std::uint64_t thread,
                           const std::string& name) {
      JsonObject arguments;
      arguments.add("name", one_line(name, kTraceNameBytes));
      return event("M", what, 0, host, thread, 0, arguments.text());
    };
    for (const std::int64_t host : hosts_) {
      std::string name = "host not known";
      if (host == 0) name = "the sweep";
      if (const auto known = names.find(host); known != names.end())
        name = "host " + known->second.to_text();
      KS_RETURN_IF_ERROR(named("process_name", host, 0, name));
    }
    for (const auto& [host, threads] : threads_)
      for (std::size_t i = 0; i < threads.size(); ++i)
        if (const Status done =
                named("thread_name", host, threads[i].number, fmt::format("side by side {}", i + 1));
            !done)
          return done;
    sums_.hosts = threads_.size();
    return Done{};
  }

  struct Thread {
    std::uint64_t number = 0;
    std::int64_t end = 0;  // of its last attempt
  };
  // The time of an attempt from its begin, or the start of its process, to its end, in seconds.
  static constexpr const char* kSpent =
      "(coalesce(a.setup_s, 0) + coalesce(a.lease_wait_s, 0) + coalesce(a.run_s, 0) + "
      "coalesce(a.check_s, 0) + coalesce(a.start_s, 0))";

  Reader& reader_;
  const StoredSweep& sweep_;
  const Sink& sink_;
  TraceSums sums_;
  std::vector<SweepColumn> columns_;
  double begin_unix_s_ = 0;
  bool some_ = false;
  std::set<std::int64_t> hosts_;
  std::map<std::int64_t, std::vector<Thread>> threads_;  // by host
  std::multiset<std::int64_t> ends_;                     // of the attempts that run
  // By host, session and slot.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> busy_until_;
};

}  // namespace

Result<TraceSums> write_trace(Reader& reader, const std::string& sweep, const Sink& sink) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto found, reader.find_sweep(sweep));
  return TraceWriting(reader, found, sink).all();
}

}  // namespace kernsweep
