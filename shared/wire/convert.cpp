#include "shared/wire/convert.hpp"

#include "shared/base/rule_fields.hpp"
#include "shared/base/try.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {
namespace {

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
  out.set_sweep(sweep.value);
  out.set_number(number);
  out.set_quick(rules.measure.quick);
  Rules copy = rules;
  for (const RuleField& field : rule_fields())
    if (const auto value = value_of(field, copy))
      encode(*value, (*out.mutable_fields())[std::string(field.path)]);
  encode(rules.measure.verify.reference, *out.mutable_reference());
  for (const auto& [dtype, tolerance] : rules.measure.verify.tolerance)
    (*out.mutable_tolerance())[dtype] = tolerance;
}

Result<Rules> decode(const wire::Rules& rules) {
  Rules out;
  for (const RuleField& field : rule_fields()) {
    if (!value_of(field, out)) continue;
    const auto told = rules.fields().find(std::string(field.path));
    // Coordinators without support for builds do not send it.
    if (told == rules.fields().end() && std::string_view(field.path) == "timeout.build") continue;
    if (told == rules.fields().end()) return failure("measuring rules without " + std::string(field.path));
    KS_RETURN_IF_ERROR(set_value(field, decode(told->second), out));
  }
  out.measure.quick = rules.quick();
  KS_ASSIGN_OR_RETURN(out.measure.verify.reference, decode(rules.reference()));
  for (const auto& [dtype, tolerance] : rules.tolerance()) out.measure.verify.tolerance[dtype] = tolerance;
  return out;
}

std::string text_of(const wire::LostCores& lost) {
  std::string cpus;
  for (const std::uint32_t cpu : lost.cpus()) cpus += (cpus.empty() ? "" : ", ") + std::to_string(cpu);
  return (lost.cpus_size() == 1 ? "core " : "cores ") + cpus + " (" + lost.why() + ")";
}

}  // namespace kernsweep
