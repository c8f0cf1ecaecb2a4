#include "coordinator/net/recording.hpp"

#include <algorithm>
#include <cmath>

#include "shared/digest.hpp"
#include "shared/statistics.hpp"

namespace kernsweep::coordination {
namespace {

double known_or_null(double value, bool known) {
  return known ? value : kUnknown;
}

// A: nothing to say against it. B: usable, with a warning. C: doubtful. X: not to be used.
char grade_of(Outcome outcome, const wire::OutcomeBody& body) {
  if (outcome != Outcome::ok) return 'X';
  if (body.grades_size() == 0) return 'A';
  const bool doubtful =
      std::any_of(body.grades().begin(), body.grades().end(), [](const std::string& reason) {
        return reason.find("all zeros") != std::string::npos ||
               reason.find("changed while") != std::string::npos;
      });
  return doubtful ? 'C' : 'B';
}

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Recording::Recording(Store& store, const Expansion& expansion, std::string software_version)
    : store_(store), expansion_(expansion), software_version_(std::move(software_version)) {
  const auto& columns = expansion.sweep().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name.starts_with("env."))
      environment_columns_.emplace_back(i, columns[i].name.substr(4));
    if (columns[i].name == "variant") variant_column_ = static_cast<int>(i);
  }
}

Result<SoftwareId> Recording::software_of(const wire::OutcomeBody& body) {
  const std::string content = body.pack() + "\n" + body.pack_build();
  if (const auto known = software_.find(content); known != software_.end()) return known->second;
  SoftwareRecord record;
  const auto space = body.pack().find(' ');
  record.identity = digest_of(software_version_ + "\n" + content);
  record.version = software_version_;
  record.pack = body.pack().substr(0, space);
  record.pack_version = space == std::string::npos ? "" : body.pack().substr(space + 1);
  record.pack_build = body.pack_build();
  auto added = store_.add_software(record);
  if (added) software_[content] = *added;
  return added;
}

Status Recording::remember_inputs(const wire::OutcomeBody& body) {
  inputs_.clear();
  for (const auto& input : body.inputs()) {
    inputs_ += (inputs_.empty() ? "" : " ") + input.name() + "=" + input.content_hash();
    bool& known = inputs_known_[input.content_hash() + input.name()];
    if (known) continue;
    known = true;
    const auto hash = digest_from_hex(input.content_hash());
    if (!hash) continue;
    InputRecord record;
    record.hash = *hash;
    record.name = input.name();
    const std::string& summary = input.summary();  // "f32[128,256] uniform(0, 1) seed 7"
    const auto open = summary.find('[');
    const auto close = summary.find(']');
    record.dtype = summary.substr(0, open);
    if (open != std::string::npos && close != std::string::npos) {
      record.shape = summary.substr(open + 1, close - open - 1);
      std::replace(record.shape.begin(), record.shape.end(), ',', 'x');
      record.source = close + 2 <= summary.size() ? summary.substr(close + 2) : "";
    }
    record.bytes = input.bytes();
    if (const Status added = store_.add_input(record); !added) return added;
  }
  return Done{};
}

void Recording::fill(const Finding& finding, const wire::OutcomeBody& body, AttemptRecord& out) {
  out.outcome = finding.outcome;
  out.reason = body.reason().empty() ? std::string_view(finding.reason) : std::string_view(body.reason());
  out.stderr_tail = body.stderr_tail();
  const bool told = !finding.body.empty();
  out.finished_unix_s = body.started_unix_ns() ? static_cast<double>(body.started_unix_ns()) * 1e-9 +
                                                     body.setup_s() + body.lease_wait_s() + body.run_s()
                                               : unix_now();
  out.queue_s = known_or_null(body.queue_s(), told);
  out.setup_s = known_or_null(body.setup_s(), body.setup_s() > 0);
  out.run_s = known_or_null(body.run_s(), body.samples_s_size() > 0);
  out.warmup_runs = body.warmup_runs();
  out.calls_per_sample = body.calls_per_sample();
  out.samples = {body.samples_s().data(), static_cast<std::size_t>(body.samples_s_size())};
  // Samples come from another machine: what is no number has no order.
  const auto finite = [](double sample) { return std::isfinite(sample); };
  if (!std::all_of(out.samples.begin(), out.samples.end(), finite)) out.samples = {};
  if (!out.samples.empty()) {
    out.summary = summarise(out.samples);
    const double median = out.summary->median;
    if (body.flops() > 0 && median > 0) out.gflops = body.flops() / median * 1e-9;
    if (body.bytes() > 0 && median > 0) out.gbps = body.bytes() / median * 1e-9;
    out.flops = known_or_null(body.flops(), body.flops() > 0);
    out.bytes = known_or_null(body.bytes(), body.bytes() > 0);
  }
  if (body.output_hash().size() == 16) {
    hash_ = digest_from_bytes(body.output_hash())->hex();
    out.output_hash = hash_;
    out.error = body.error();
    out.tolerance = body.tolerance();
  }
  grade_reasons_.clear();
  for (const std::string& reason : body.grades())
    grade_reasons_ += (grade_reasons_.empty() ? "" : "\n") + reason;
  out.grade = grade_of(finding.outcome, body);
  out.grade_reasons = grade_reasons_;
  out.runtime = body.runtime();
  out.affinity = body.affinity();
  out.stopped_by = body.stopped_by();
}

Status Recording::record(const Finding& finding) {
  AttemptRecord record;
  record.attempt = finding.attempt;
  record.final = finding.accepted;
  const Expansion::Job job = expansion_.job_at(finding.attempt.job.index);
  expansion_.point_at(job.position, point_);
  record.point = job.position;
  record.values = point_.values;
  if (variant_column_ >= 0) {
    if (const auto* variant = point_.values[static_cast<std::size_t>(variant_column_)].text())
      record.variant = *variant;
  }
  record.key = expansion_.key_of(point_, job);
  record.cache = job.cache;
  record.process = job.process;
  record.host = finding.host;
  record.quick = expansion_.sweep().quick;

  body_.Clear();
  // A body comes from another machine: one that cannot be read leaves the row without numbers, with a
  // reason.
  if (!body_.ParseFromString(finding.body)) body_.set_reason("the worker's report could not be read");
  environment_.clear();
  for (const auto& [column, name] : environment_columns_) {
    if (point_.values[column].is_null()) continue;
    environment_ += (environment_.empty() ? "" : "\n") + name + "=" + point_.values[column].to_text();
  }
  record.environment = environment_;
  if (!body_.pack().empty()) {
    const auto software = software_of(body_);
    if (!software) return tl::unexpected(software.error());
    record.software = *software;
  }
  if (const Status remembered = remember_inputs(body_); !remembered) return remembered;
  record.inputs = inputs_;
  fill(finding, body_, record);
  const auto stored = store_.record(record);
  if (!stored) return tl::unexpected(stored.error());
  return Done{};
}

}  // namespace kernsweep::coordination
