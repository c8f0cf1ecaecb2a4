#include "shared/wire/convert.hpp"

#include <algorithm>

#include "shared/base/try.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {
namespace {

// Longest duration from a peer: a sum of a few of these and the time of any clock fits into 64 bits.
constexpr Duration kLongestDuration = std::chrono::hours(24) * 3650;

Duration duration_from(std::int64_t ns) {
  return std::clamp(Duration(ns), Duration::zero(), kLongestDuration);
}

void encode(const ReferenceRule& rule, wire::Reference& out) {
  out.set_kind(static_cast<std::uint32_t>(rule.kind));
  out.set_text(rule.text);
  for (const auto& [name, value] : rule.setting) kernsweep::encode(value, (*out.mutable_setting())[name]);
}

Result<ReferenceRule> decode(const wire::Reference& told) {
  if (told.kind() < 1 || told.kind() > static_cast<std::uint32_t>(ReferenceKind::file))
    return failure("measuring rules with an unknown kind of reference " + std::to_string(told.kind()));
  ReferenceRule rule;
  rule.kind = static_cast<ReferenceKind>(told.kind());
  rule.text = told.text();
  for (const auto& [name, value] : told.setting()) rule.setting[name] = kernsweep::decode(value);
  return rule;
}

}  // namespace

void encode(const Value& value, wire::Value& out) {
  if (const auto* i = value.integer()) {
    out.set_integer(*i);
  } else if (const auto* t = value.text()) {
    out.set_text(*t);
  } else if (const auto* f = value.real()) {
    out.set_real(*f);
  } else if (const auto* b = value.boolean()) {
    out.set_boolean(*b);
  }
}

Value decode(const wire::Value& value) {
  switch (value.kind_case()) {
    case wire::Value::kBoolean:
      return value.boolean();
    case wire::Value::kInteger:
      return static_cast<std::int64_t>(value.integer());
    case wire::Value::kReal:
      return value.real();
    case wire::Value::kText:
      return value.text();
    default:
      return Null{};
  }
}

void encode(const AttemptId& attempt, wire::Attempt& out) {
  out.set_sweep(attempt.job.sweep.value);
  out.set_index(attempt.job.index);
  out.set_host(attempt.job.host);
  out.set_number(attempt.number);
}

AttemptId decode(const wire::Attempt& attempt) {
  return {{SweepId{attempt.sweep()}, attempt.index(), attempt.host()}, attempt.number()};
}

void encode(const Rules& rules, SweepId sweep, std::uint32_t number, wire::Rules& out) {
  const MeasureRules& measure = rules.measure;
  out.set_sweep(sweep.value);
  out.set_number(number);
  out.set_warmup_runs(measure.warmup.min_runs);
  out.set_warmup_min_ns(measure.warmup.min_time.count());
  out.set_warmup_max_ns(measure.warmup.max_time.count());
  out.set_samples_min(measure.samples.min);
  out.set_samples_max(measure.samples.max);
  out.set_samples_min_ns(measure.samples.min_time.count());
  out.set_samples_max_ns(measure.samples.max_time.count());
  out.set_stop_noise(measure.stop.noise);
  out.set_stop_or_stable(measure.stop.or_stable);
  out.set_alone_on(static_cast<std::uint32_t>(measure.alone_on));
  out.set_verify(measure.verify.enabled);
  const ReferenceRule& reference = measure.verify.reference;
  const bool is_variant = reference.kind == ReferenceKind::variant;
  out.set_reference(is_variant ? reference.text : text_of(reference));
  if (!is_variant) encode(reference, *out.mutable_compared_with());
  for (const auto& [dtype, tolerance] : measure.verify.tolerance)
    (*out.mutable_tolerance())[dtype] = tolerance;
  out.set_verify_repeat(measure.verify.repeat);
  out.set_setup_timeout_ns(rules.timeout.setup.count());
  out.set_run_timeout_ns(rules.timeout.run.count());
  out.set_quick(measure.quick);
  out.set_discard_clock(measure.discard.clock);
  out.set_discard_share(measure.discard.share);
  out.set_metric(static_cast<std::uint32_t>(measure.metric));
  out.set_interference(measure.interference);
  out.set_asked(static_cast<std::uint32_t>(measure.verify.asked));
  out.set_distrust(measure.verify.distrust);
}

Result<Rules> decode(const wire::Rules& rules) {
  if (rules.alone_on() < 1 || rules.alone_on() > 4) {
    return failure("measuring rules with an unknown 'alone_on' " + std::to_string(rules.alone_on()));
  }
  if (rules.metric() < 1 || rules.metric() > 2 || rules.asked() < 1 || rules.asked() > 2) {
    return failure("measuring rules with an unknown 'metric' " + std::to_string(rules.metric()) +
                   " or 'asked' " + std::to_string(rules.asked()));
  }
  Rules out;
  MeasureRules& measure = out.measure;
  measure.warmup = {rules.warmup_runs(), duration_from(rules.warmup_min_ns()),
                    duration_from(rules.warmup_max_ns())};
  measure.samples = {rules.samples_min(), rules.samples_max(), duration_from(rules.samples_min_ns()),
                     duration_from(rules.samples_max_ns())};
  measure.stop = {rules.stop_noise(), rules.stop_or_stable()};
  measure.alone_on = static_cast<Exclusion>(rules.alone_on());
  measure.verify.enabled = rules.verify();
  measure.verify.reference = rules.reference();
  if (rules.has_compared_with()) {
    KS_ASSIGN_OR_RETURN(auto reference, decode(rules.compared_with()));
    measure.verify.reference = std::move(reference);
  }
  for (const auto& [dtype, tolerance] : rules.tolerance()) measure.verify.tolerance[dtype] = tolerance;
  measure.verify.repeat = rules.verify_repeat();
  measure.verify.distrust = rules.distrust();
  measure.quick = rules.quick();
  measure.discard = {rules.discard_clock(), rules.discard_share()};
  measure.metric = static_cast<Metric>(rules.metric());
  measure.interference = rules.interference();
  measure.verify.asked = static_cast<AskedRule>(rules.asked());
  out.timeout.setup = duration_from(rules.setup_timeout_ns());
  out.timeout.run = duration_from(rules.run_timeout_ns());
  return out;
}

std::string text_of(const wire::LostCores& lost) {
  std::string cpus;
  for (const std::uint32_t cpu : lost.cpus()) cpus += (cpus.empty() ? "" : ", ") + std::to_string(cpu);
  return (lost.cpus_size() == 1 ? "core " : "cores ") + cpus + " (" + lost.why() + ")";
}

}  // namespace kernsweep
