#include "results/report/t4.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "results/read/software_classes.hpp"
#include "results/report/json_object.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/statistics.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep {

namespace {

constexpr double kMillisecondsPerSecond = 1e3;

// Columns of the query, before those of the point.
struct T4Column {
  enum : int {
    kPoint,
    kCache,
    kHostId,
    kHost,
    kSoftwareId,
    kStatus,
    kMedian,
    kGflops,
    kGbps,
    kGrade,
    kReason,
    kFinished,
    kSetup,
    kLease,
    kRun,
    kSamples,
    kVariant,
    kValues
  };
};

std::string_view invalidity_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "correct";
    case Outcome::unsupported:
      return "constraints";
    case Outcome::wrong_result:
      return "correctness";
    case Outcome::failed_build:
    case Outcome::failed_setup:
      return "compile";
    case Outcome::timeout_setup:
    case Outcome::timeout_run:
      return "timeout";
    default:
      return "runtime";
  }
}

// The kind of host and the class of software, each as the id of its first member.
using T4Place = std::pair<std::int64_t, std::int64_t>;

struct T4Places {
  std::map<std::int64_t, std::int64_t> kinds, classes;  // by id
  std::map<std::int64_t, std::string> kind_names;       // by id of a host
  bool several_hosts = false, several_software = false;

  std::string kind_of(const sqlite::Statement& row) const {
    const auto found = kind_names.find(row.integer(T4Column::kHostId));
    return found == kind_names.end() ? "" : found->second;
  }

  T4Place of(const sqlite::Statement& row) const {
    const auto first = [](const auto& map, std::int64_t id) {
      const auto found = map.find(id);
      return found == map.end() ? id : found->second;
    };
    return {first(kinds, row.integer(T4Column::kHostId)),
            first(classes, row.integer(T4Column::kSoftwareId))};
  }
};

// The processes of one result, added row by row.
class T4Result {
 public:
  T4Result(const sqlite::Statement& row, const std::vector<SweepColumn>& columns, const T4Places& places)
      : point_(row.integer(T4Column::kPoint)),
        place_(places.of(row)),
        cache_(row.text(T4Column::kCache)),
        host_(row.value(T4Column::kHost)) {
    const bool is_axis = std::ranges::find(columns, "variant", &SweepColumn::stored) != columns.end();
    if (!is_axis && !row.is_null(T4Column::kVariant))
      configuration_.add("variant", row.value(T4Column::kVariant));
    for (std::size_t c = 0; c < columns.size(); ++c)
      configuration_.add(columns[c].name, row.value(T4Column::kValues + static_cast<int>(c)));
    const auto free = [&](const char* name) {
      return std::ranges::find(columns, name, &SweepColumn::name) == columns.end();
    };
    if (cache_ == "cold" && free("cache")) configuration_.add("cache", cache_);
    if (places.several_hosts && free("host")) configuration_.add("host", places.kind_of(row));
    if (places.several_software && free("software")) configuration_.add("software", Value(place_.second));
  }

  bool is_of(const sqlite::Statement& row, const T4Places& places) const {
    return row.integer(T4Column::kPoint) == point_ && places.of(row) == place_ &&
           row.text(T4Column::kCache) == cache_;
  }

  void add(const sqlite::Statement& row) {
    const auto outcome = outcome_named(row.text(T4Column::kStatus)).value_or(Outcome::failed_run);
    const double finished = row.real(T4Column::kFinished);
    if (std::isnan(finished_) || finished > finished_) finished_ = finished;
    for (std::size_t i = 0; i < kTimes.size(); ++i)
      if (const int at = kTimes[i].second; !row.is_null(at))
        spent_ms_[i] =
            (std::isnan(spent_ms_[i]) ? 0 : spent_ms_[i]) + row.real(at) * kMillisecondsPerSecond;
    if (outcome != Outcome::ok) {
      if (failed_++ == 0 || outcome == Outcome::wrong_result) failure_ = outcome;
      if (reason_.is_null()) reason_ = row.value(T4Column::kReason);
      return;
    }
    medians_ms_.push_back(row.real(T4Column::kMedian) * kMillisecondsPerSecond);
    if (const double rate = row.real(T4Column::kGflops); rate > 0) gflops_.push_back(rate);
    if (const double rate = row.real(T4Column::kGbps); rate > 0) gbps_.push_back(rate);
    if (const auto grade = row.text(T4Column::kGrade); grade > grade_) grade_ = grade;
    const std::string_view bytes = row.text(T4Column::kSamples);
    for (std::size_t at = 0; at + sizeof(double) <= bytes.size(); at += sizeof(double)) {
      double seconds = 0;
      std::memcpy(&seconds, bytes.data() + at, sizeof seconds);
      runtimes_ms_.push_back(seconds * kMillisecondsPerSecond);
    }
  }

  std::string text() const {
    JsonObject times, result;
    for (std::size_t i = 0; i < kTimes.size(); ++i)
      if (!std::isnan(spent_ms_[i])) times.add(kTimes[i].first, spent_ms_[i]);
    times.add_raw("runtimes", json_list(runtimes_ms_));
    const bool wrong = failed_ > 0 && failure_ == Outcome::wrong_result;
    const Outcome outcome = medians_ms_.empty() || wrong ? failure_ : Outcome::ok;
    if (const std::string moment = utc_text(finished_); !moment.empty()) result.add("timestamp", moment);
    result.add_raw("configuration", configuration_.text()).add_raw("times", times.text());
    result.add("invalidity", invalidity_of(outcome))
        .add("correctness", outcome == Outcome::wrong_result ? 0 : 1);
    result.add_raw("measurements", measurements());
    return result.add_raw("objectives", R"(["time"])").text();
  }

 private:
  static constexpr std::array<std::pair<const char*, int>, 3> kTimes = {
      {{"compilation", T4Column::kSetup}, {"framework", T4Column::kLease}, {"benchmark", T4Column::kRun}}};

  std::string measurements() const {
    std::string list;
    const auto measured = [&](const char* name, const Value& value, const char* unit) {
      list += (list.empty() ? "[" : ", ") +
              JsonObject().add("name", name).add("value", value).add("unit", unit).text();
    };
    for (const auto& [name, values, unit] : {std::tuple{"time", &medians_ms_, "ms"},
                                             {"gflops", &gflops_, "GFLOP/s"},
                                             {"gbps", &gbps_, "GB/s"}})
      if (!values->empty()) measured(name, summarise(*values).median, unit);
    measured("processes", static_cast<std::int64_t>(medians_ms_.size()), "");
    if (failed_ > 0) measured("failed_processes", static_cast<std::int64_t>(failed_), "");
    if (!grade_.empty()) measured("grade", grade_, "");
    if (!reason_.is_null()) measured("reason", reason_, "");
    if (!host_.is_null()) measured("host", host_, "");
    return list + "]";
  }

  std::int64_t point_;
  T4Place place_;
  std::string cache_;
  Value host_;
  JsonObject configuration_;
  std::vector<double> medians_ms_, gflops_, gbps_, runtimes_ms_;
  double finished_ = kUnknown;                                       // seconds since 1970-01-01 UTC
  std::array<double, 3> spent_ms_ = {kUnknown, kUnknown, kUnknown};  // in the order of kTimes
  std::size_t failed_ = 0;
  Outcome failure_ = Outcome::failed_run;
  Value reason_;
  std::string grade_;
};

Result<sqlite::Statement> t4_rows(Reader& reader, SweepId sweep, const std::vector<SweepColumn>& columns) {
  std::string wanted;
  for (const SweepColumn& column : columns) wanted += ", o." + column.stored;
  return reader.connection().prepare(fmt::format(
      "select o.point, o.cache, o.host_id, h.name, o.software_id, "
      "o.status, o.median_s, o.gflops, o.gbps, o.grade, "
      "(select content from text where id = a.reason), a.finished_unix_s, a.setup_s, a.lease_wait_s, "
      "a.run_s, "
      "s.seconds, o.variant{} from outcome o left join attempt_row a on a.result = o.result left join "
      "sample s "
      "on s.result = o.result left join host h on h.id = o.host_id where o.sweep_id = {} order by o.point, "
      "o.cache, h.fingerprint, o.software_id, o.process",
      wanted, sweep.value));
}

// Errors: the database cannot be read.
Result<T4Places> t4_places(Reader& reader, SweepId sweep) {
  T4Places places;
  KS_ASSIGN_OR_RETURN(auto kinds, host_kinds(reader));
  KS_ASSIGN_OR_RETURN(auto classes, software_classes(reader));
  KS_ASSIGN_OR_RETURN(auto names, host_kind_names(reader));
  places.kinds = std::move(kinds);
  places.kind_names = std::move(names);
  places.classes = std::move(classes);
  KS_ASSIGN_OR_RETURN(
      const auto met,
      reader.query(fmt::format(
          "select distinct host_id, software_id from outcome where sweep_id = {} and host_id is not null",
          sweep.value)));
  std::set<std::int64_t> hosts, software;
  for (const auto& row : met.rows) {
    if (row[0].integer()) hosts.insert(places.kinds[*row[0].integer()]);
    if (row[1].integer()) software.insert(places.classes[*row[1].integer()]);
  }
  places.several_hosts = hosts.size() > 1;
  places.several_software = software.size() > 1;
  return places;
}

}  // namespace

Status export_t4(Reader& reader, const std::string& which, const Sink& sink) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(which));
  KS_ASSIGN_OR_RETURN(const auto columns, reader.axis_columns(sweep.id));
  KS_ASSIGN_OR_RETURN(const auto places, t4_places(reader, sweep.id));
  KS_ASSIGN_OR_RETURN(auto row, t4_rows(reader, sweep.id, columns));
  JsonObject metadata;
  metadata.add("timeunit", "milliseconds").add("tool", "kernsweep");
  metadata.add("sweep", fmt::format("{}@{}", sweep.record.name, sweep.id.value));
  metadata.add("kernel", sweep.record.kernel);
  if (Status begun =
          sink("{\n\"schema_version\": \"1.0.0\",\n\"metadata\": " + metadata.text() + ",\n\"results\": [");
      !begun)
    return begun;
  std::optional<T4Result> result;
  bool some = false;
  const auto write = [&]() -> Status {
    if (!result) return Done{};
    return sink((std::exchange(some, true) ? ",\n" : "\n") + std::exchange(result, std::nullopt)->text());
  };
  sqlite::Step step;
  while ((step = row.step()) == sqlite::Step::row) {
    const auto outcome = outcome_named(row.text(T4Column::kStatus));
    if (outcome && gives_way(*outcome)) continue;
    if (!result || !result->is_of(row, places)) {
      KS_RETURN_IF_ERROR(write());
      result.emplace(row, columns, places);
    }
    result->add(row);
  }
  if (step != sqlite::Step::done) return failure(row.why());
  KS_RETURN_IF_ERROR(write());
  return sink("\n]\n}\n");
}

}  // namespace kernsweep
