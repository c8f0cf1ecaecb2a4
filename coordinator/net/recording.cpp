#include "coordinator/net/recording.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "coordinator/net/input_record.hpp"
#include "coordinator/net/metric_records.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/output_sample.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/input_list.hpp"
#include "shared/lists/library_lines.hpp"
#include "shared/lists/variable_lines.hpp"
#include "shared/stats/statistics.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/moment.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/json_tree.hpp"

namespace kernsweep::coordinator {
namespace {

// Limits the memory that workers can make us use. A software has about 20 KB, and is sent once per pack and
// host.
constexpr std::size_t kSoftwareBytesMax = std::size_t{256} << 20;
constexpr std::size_t kEntryBytes = 512;
constexpr std::size_t kInputsKnownMax = 65'536;

constexpr std::string_view kImpossibleSamples =
    "the worker sent samples that are not valid times; they were not stored";
constexpr std::string_view kTooShortToWatch = "too short to be watched: measure asks for less than 20 ms";

// All numbers come from another machine: values that are not finite or impossible are stored as not known.
double finite_or_null(double value, bool known = true) {
  return known && std::isfinite(value) ? value : kUnknown;
}

// For numbers that are never negative: times, counts, shares, errors.
double known_or_null(double value, bool known = true) {
  return known && value >= 0 ? finite_or_null(value) : kUnknown;
}

double positive_or_null(double value) {
  return known_or_null(value, value > 0);
}

double sum_of_known(std::initializer_list<double> seconds) {
  double sum = 0;
  for (const double each : seconds) {
    if (std::isfinite(each)) sum += each;
  }
  return sum;
}

std::string json_of(const wire::Distrust& held) {
  constexpr std::size_t kIsolationMax = 200;
  JsonTree out = JsonTree::object();
  out.add("secret", Value(std::to_string(held.secret())));
  out.add("calls", JsonTree::natural(held.calls()));
  out.add("checked", JsonTree::natural(held.checked()));
  constexpr std::size_t kOperandsMax = 2000;
  out.add("operands", Value(one_line(held.operands(), kOperandsMax)));
  out.add("isolation", Value(one_line(held.isolation(), kIsolationMax)));
  const auto add_known = [&](const char* name, double value) {
    if (std::isfinite(value)) out.add(name, Value(value));
  };
  add_known("handing_over_s", held.handing_over_s());
  constexpr std::size_t kLeastMax = 40;
  if (!held.least().empty()) out.add("least", Value(one_line(held.least(), kLeastMax)));
  return text_of(out);
}

// The library lines without their paths, so that equal files at different places give equal text.
std::string without_paths(std::string_view libraries) {
  std::string out;
  each_library(libraries, [&](const LibraryLine& each, std::string_view line) {
    out.append(each.behind_path.empty() ? line : each.behind_path) += '\n';
  });
  return out;
}

// The samples and their statistics. False: they are not valid, and none is stored.
bool fill_samples(const wire::OutcomeBody& body, AttemptRecord& out) {
  out.samples = {body.samples_s().data(), static_cast<std::size_t>(body.samples_s_size())};
  // NaN cannot be sorted, and no time is negative.
  const auto possible = [](double sample) { return std::isfinite(sample) && sample >= 0; };
  if (!std::all_of(out.samples.begin(), out.samples.end(), possible)) {
    out.samples = {};
    return false;
  }
  if (out.samples.empty()) return true;
  out.noise = known_or_null(body.noise(), out.samples.size() > 1);
  out.summary = summarise(out.samples);
  const double median = out.summary->median;
  out.flops = positive_or_null(body.flops());
  out.bytes = positive_or_null(body.bytes());
  if (median > 0) {
    out.gflops = known_or_null(out.flops / median * 1e-9);
    out.gbps = known_or_null(out.bytes / median * 1e-9);
  }
  return true;
}

// For an attempt that has reported them.
void fill_phases(const wire::OutcomeBody& body, AttemptRecord& out) {
  if (!(body.check_s() > 0)) return;
  out.inputs_s = known_or_null(body.inputs_s());
  out.reference_s = known_or_null(body.reference_s());
  out.verify_s = known_or_null(body.verify_s());
  out.check_s = known_or_null(body.check_s());
  out.start_s = known_or_null(body.start_s());
  out.slot = body.slot_pid();
}

}  // namespace

Recording::Recording(Store& store, std::string software_version)
    : store_(store), software_version_(std::move(software_version)) {}

void Recording::add(SweepId id, std::shared_ptr<const Expansion> expansion) {
  KnownSweep known;
  const auto& columns = expansion->sweep().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_environment(columns[i].name))
      known.environment_columns.emplace_back(i, environment_variable_of(columns[i].name));
    if (columns[i].name == "variant") known.variant_column = static_cast<int>(i);
  }
  known.expansion = std::move(expansion);
  const auto before = sweeps_.find(id);
  known.added = before == sweeps_.end() ? 1 : before->second.added + 1;
  sweeps_.insert_or_assign(id, std::move(known));
}

bool Recording::forget(SweepId id) {
  const auto known = sweeps_.find(id);
  if (known == sweeps_.end()) return true;
  if (--known->second.added > 0) return false;
  sweeps_.erase(known);
  return true;
}

// Null if the software is already known, or if there is no room for more; outcomes of the latter are stored
// without software, or with their pack's name only.
Recording::KnownSoftware* Recording::meet(const std::string& identity, std::size_t bytes) {
  if (software_bytes_ > kSoftwareBytesMax) return nullptr;
  const auto [at, added] = software_.try_emplace(identity);
  if (added) software_bytes_ += identity.size() + bytes + kEntryBytes;
  return added ? &at->second : nullptr;
}

void Recording::learn(const wire::Software& description) {
  KnownSoftware* const software = meet(description.identity(), description.ByteSizeLong());
  if (!software) return;
  SoftwareRecord& record = software->record;
  record.version = description.version();
  record.git = description.git();
  record.compiler = description.compiler();
  record.flags = description.flags();
  record.pack = description.pack();
  record.pack_version = description.pack_version();
  record.pack_build = description.pack_build();
  record.pack_build_id = description.pack_build_id();
  record.libraries = description.libraries();
  record.sources = description.sources();
  // The identity excludes the thread variables and the paths: other thread counts or places are not other
  // software. Order and length prefixes separate the texts.
  std::string libraries = without_paths(record.libraries);
  std::string all;
  for (const std::string* text :
       {&record.version, &record.git, &record.compiler, &record.flags, &record.pack, &record.pack_version,
        &record.pack_build, &record.pack_build_id, &libraries, &record.sources})
    all += std::to_string(text->size()) + ":" + *text + "\n";
  record.identity = digest_of(all);
  software->thread_environment = description.thread_environment();
}

Status Recording::add_software_of(const wire::OutcomeBody& body, AttemptRecord& out) {
  auto known = software_.find(body.software());
  if (known == software_.end() || body.software().empty()) {
    // The software was never described, or its description was lost: at least the pack's name is stored.
    const std::string& pack = body.pack_name();
    if (pack.empty()) return Done{};
    std::string names;
    append_escaped(names, pack);
    if (!body.pack_version().empty()) names += '\n' + body.pack_version();
    const std::string identity = "pack " + names;
    if (KnownSoftware* const software = meet(identity, names.size())) {
      SoftwareRecord& record = software->record;
      record.identity = digest_of(software_version_ + "\n" + names);
      record.version = software_version_;
      record.pack = pack;
      record.pack_version = body.pack_version();
    }
    known = software_.find(identity);
    if (known == software_.end()) return Done{};
  }
  if (!known->second.id) {
    KS_ASSIGN_OR_RETURN(known->second.id, store_.add_software(known->second.record));
    known->second.record = {};
  }
  out.software = *known->second.id;
  out.thread_environment = known->second.thread_environment;
  return Done{};
}

Status Recording::remember_inputs(const wire::OutcomeBody& body) {
  inputs_.clear();
  if (inputs_known_.size() >= kInputsKnownMax) inputs_known_.clear();  // rows that exist stay unchanged
  for (const auto& input : body.inputs()) {
    const auto hash = digest_from_hex(input.content_hash());
    if (!hash) continue;  // the row is identified by this hash alone
    append_input(inputs_, input.name(), *hash);
    bool& known = inputs_known_[hash->hex() + input.name()];
    if (known) continue;
    known = true;
    KS_RETURN_IF_ERROR(store_.add_input(record_of(input, *hash)));
  }
  return Done{};
}

void Recording::fill(const PendingResult& result, const wire::OutcomeBody& body, AttemptRecord& out) {
  out.outcome = result.outcome;
  reason_ = result.reason;
  if (!body.reason().empty()) reason_ += (reason_.empty() ? "" : "; ") + body.reason();
  out.reason = reason_;
  out.stderr_tail = body.stderr_tail();
  const bool has_body = !result.body.empty();
  const bool any = body.samples_s_size() > 0;
  out.queue_s = known_or_null(body.queue_s(), has_body);
  out.setup_s = positive_or_null(body.setup_s());
  out.lease_wait_s = known_or_null(body.lease_wait_s(), any);
  out.order = body.order();
  out.run_s = known_or_null(body.run_s(), any);
  fill_phases(body, out);
  out.finished_unix_s = body.started_unix_ns()
                            ? static_cast<double>(body.started_unix_ns()) * 1e-9 +
                                  sum_of_known({out.setup_s, known_or_null(body.lease_wait_s()),
                                                known_or_null(body.run_s()), out.check_s})
                            : unix_now();
  out.warmup_runs = body.warmup_runs();
  out.warmup_s = known_or_null(body.warmup_s(), any);
  out.first_call_s = known_or_null(body.first_call_s(), body.has_first_call_s());
  out.calls_per_sample = body.calls_per_sample();
  const bool impossible = !fill_samples(body, out);
  if (body.output_hash().size() == 16) {
    hash_ = digest_from_bytes(body.output_hash())->hex();
    out.output_hash = hash_;
    out.repeatable = body.repeatable();
    // The error is not known if the output was not compared, or had another shape. If the output also has
    // elements that are not finite, the largest error of the finite ones is not stored either.
    const bool all_finite = body.conditions().nan_count() + body.conditions().inf_count() == 0;
    const bool compared =
        body.verified() || (result.outcome == Outcome::wrong_result && body.error() != 0 && all_finite);
    out.error = known_or_null(body.error(), compared);
    out.tolerance = known_or_null(body.tolerance(), compared);
  }
  out.verified_by = body.verified_by();
  out.distrust = distrust_ = body.has_distrust() ? json_of(body.distrust()) : "";
  if (output_sample_of(body.output_sample())) out.output_sample = body.output_sample();
  if (body.has_conditions()) fill_conditions(body, out);
  grade_reasons_.clear();
  if (impossible) grade_reasons_ = kImpossibleSamples;
  for (const auto* reasons : {&body.doubts(), &body.grades()}) {
    for (const std::string& reason : *reasons)
      grade_reasons_ += (grade_reasons_.empty() ? "" : "\n") + reason;
  }
  // If a job was not watched, it is not known whether it was disturbed, so its grade is at most B.
  const bool unwatched = result.outcome == Outcome::ok && !body.conditions().measured();
  if (unwatched) grade_reasons_ += (grade_reasons_.empty() ? "" : "\n") + std::string(kTooShortToWatch);
  out.grade =
      grade_of(result.outcome, body.doubts_size() > 0 || impossible, body.grades_size() > 0 || unwatched);
  out.grade_reasons = grade_reasons_;
  notes_.clear();
  for (const std::string& note : body.notes()) notes_ += (notes_.empty() ? "" : "\n") + note;
  out.notes = notes_;
  if (!impossible && body.doubts_size() > 0) out.doubt_cause = doubt_cause_numbered(body.doubt_cause());
  out.runtime = body.runtime();
  out.affinity = body.affinity();
  out.gpus = body.gpus();
  out.stopped_by = body.stopped_by();
  read_metrics(body, out.summary ? out.summary->median : 0, metrics_);
  out.metrics = metrics_;
}

void Recording::fill_conditions(const wire::OutcomeBody& body, AttemptRecord& out) const {
  const wire::Conditions& conditions = body.conditions();
  ConditionsRecord& record = out.conditions.emplace();
  const auto known = [](bool there, double value) { return known_or_null(value, there); };
  const auto share = [](bool there, double value) { return known_or_null(value, there && value <= 1); };
  record.measured = conditions.measured();
  record.clock_ghz = known(conditions.clock_ghz() > 0, conditions.clock_ghz());
  record.clock_low = known(conditions.clock_ghz() > 0, conditions.clock_low());
  record.clock_stable = conditions.clock_stable();
  record.samples_taken = conditions.samples_taken();
  record.discarded = conditions.discarded();
  record.disturbed_by = conditions.disturbed_by();
  record.least_median_s = positive_or_null(conditions.least_median_s());
  record.foreign_cores = known(conditions.has_foreign_cores(), conditions.foreign_cores());
  record.neighbours = body.neighbours();
  record.steal_s = known(conditions.has_steal_s(), conditions.steal_s());
  record.page_faults = known(conditions.has_page_faults(), static_cast<double>(conditions.page_faults()));
  record.switches = known(conditions.has_switches(), static_cast<double>(conditions.switches()));
  record.cpu_s = known(conditions.has_cpu_s(), conditions.cpu_s());
  record.peak_memory_bytes = conditions.peak_memory_bytes();
  record.threads_found = conditions.threads_found();
  record.error_norm = known(conditions.has_error_norm(), conditions.error_norm());
  record.error_element = known(conditions.has_error_element(), conditions.error_element());
  record.nan_count = known(conditions.has_nan_count(), static_cast<double>(conditions.nan_count()));
  record.inf_count = known(conditions.has_inf_count(), static_cast<double>(conditions.inf_count()));
  record.zero_share = share(conditions.has_zero_share(), conditions.zero_share());
  record.energy_j = known(conditions.has_energy_j(), conditions.energy_j());
  record.load_1min = known(conditions.has_load_1min(), conditions.load_1min());
  record.temperature_c = finite_or_null(conditions.temperature_c(), conditions.has_temperature_c());
  record.cold_by = conditions.cold_by();
  if (conditions.metric() == static_cast<std::uint32_t>(Metric::throughput)) record.metric = "throughput";
  if (conditions.metric() == static_cast<std::uint32_t>(Metric::latency)) record.metric = "latency";
  if (out.samples.empty()) return;
  if (conditions.alone_median_s() > 0)
    record.interference = known(std::isfinite(conditions.alone_median_s()),
                                out.summary->median / conditions.alone_median_s());
  if (body.calls_per_sample() != 1) return;
  // A quantile of fewer samples would be the largest of them, or a mixture with it.
  const Tail tail = tail_of(out.samples);
  const auto enough = [&](std::size_t samples, double value) {
    return known_or_null(value, out.samples.size() >= samples);
  };
  record.p90_s = enough(10, tail.p90);
  record.p99_s = enough(100, tail.p99);
  record.p999_s = enough(1000, tail.p999);
}

template <class Record>
void Recording::fill_job(const KnownSweep& known, const JobId& id, Record& record) {
  const Expansion& expansion = *known.expansion;
  const Expansion::Job job = expansion.job_at(id.index);
  expansion.point_at(job.position, point_);
  record.point = job.position;
  record.values = point_.values;
  if (known.variant_column >= 0) {
    if (const auto* variant = point_.values[static_cast<std::size_t>(known.variant_column)].text())
      record.variant = *variant;
  }
  record.key = expansion.key_of(point_, job);
  record.cache = job.cache;
  record.process = job.process;
  const auto& columns = expansion.sweep().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Value& value = point_.values[c];
    if (columns[c].as_text || value.word() != nullptr) value = columns[c].stored(value);
  }
}

Status Recording::reuse(const PendingResult& result, const KnownSweep& known) {
  ReuseRecord record;
  record.job = result.attempt.job;
  fill_job(known, record.job, record);
  record.from = *result.reused;
  KS_RETURN_IF_ERROR(store_.reuse(record));
  return Done{};
}

Status Recording::record(const PendingResult& result) {
  const auto sweep = sweeps_.find(result.attempt.job.sweep);
  KS_ASSERT(sweep != sweeps_.end());
  const KnownSweep& known = sweep->second;
  if (result.reused) return reuse(result, known);
  AttemptRecord record;
  record.attempt = result.attempt;
  record.final = result.accepted;
  fill_job(known, result.attempt.job, record);
  record.host = result.host;
  record.session = result.session;
  record.sent_unix_s = result.sent_unix_s;
  record.quick = known.expansion->sweep().quick;

  body_.Clear();
  // A body comes from another machine: one that cannot be read leaves the row without numbers, with a
  // reason.
  if (!body_.ParseFromString(result.body)) body_.set_reason("the worker's report could not be read");
  environment_.clear();
  for (const auto& [column, name] : known.environment_columns) {
    if (point_.values[column].is_null()) continue;
    append_variable(environment_, name, point_.values[column].to_text());
  }
  record.environment = environment_;
  KS_RETURN_IF_ERROR(add_software_of(body_, record));
  KS_RETURN_IF_ERROR(remember_inputs(body_));
  record.inputs = inputs_;
  fill(result, body_, record);
  KS_RETURN_IF_ERROR(store_.record(record));
  return Done{};
}

}  // namespace kernsweep::coordinator
