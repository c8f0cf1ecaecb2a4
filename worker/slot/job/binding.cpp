#include "worker/slot/job/binding.hpp"

#include <algorithm>
#include <iterator>

#include "shared/base/value.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {
namespace {

std::string_view kind_text(ks_kind kind) {
  constexpr std::string_view kNames[] = {"any value", "true or false", "an integer", "a number", "text"};
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(kNames) ? kNames[number] : "of a kind that this version does not know";
}

ks_kind kind_of(const Value& value) {
  if (value.boolean()) return KS_BOOLEAN;
  if (value.integer()) return KS_INTEGER;
  if (value.real()) return KS_FLOAT;
  return value.text() ? KS_TEXT : KS_NULL;
}

int column_of(const std::vector<std::string>& columns, std::string_view name) {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
}

}  // namespace

ks_param param_of(const char* name, const wire::Value& value) {
  ks_param out{name, KS_NULL, 0, 0, ""};
  switch (value.kind_case()) {
    case wire::Value::kBoolean:
      out.kind = KS_BOOLEAN;
      out.integer = value.boolean() ? 1 : 0;
      break;
    case wire::Value::kInteger:
      out.kind = KS_INTEGER;
      out.integer = value.integer();
      out.real = static_cast<double>(value.integer());
      break;
    case wire::Value::kReal:
      out.kind = KS_FLOAT;
      out.real = value.real();
      break;
    case wire::Value::kText:
      out.kind = KS_TEXT;
      out.text = value.text().c_str();
      break;
    default:
      break;
  }
  return out;
}

std::string ParamSet::text(const std::vector<std::string>& left_out) const {
  std::string out;
  for (const ks_param& param : params_) {
    if (std::ranges::find(left_out, param.name) != left_out.end()) continue;
    if (!out.empty()) out += ' ';
    out += std::string(param.name) + "=";
    switch (param.kind) {
      case KS_BOOLEAN:
        Value(param.integer != 0).append_canonical(out);
        break;
      case KS_INTEGER:
        Value(static_cast<std::int64_t>(param.integer)).append_canonical(out);
        break;
      case KS_FLOAT:
        Value(param.real).append_canonical(out);
        break;
      default:
        Value(param.text).append_canonical(out);
        break;
    }
  }
  return out;
}

void ParamSet::add(const char* name, std::int64_t value) {
  const auto at = std::find_if(params_.begin(), params_.end(),
                               [&](const ks_param& param) { return std::string_view(param.name) > name; });
  params_.insert(at, ks_param{name, KS_INTEGER, value, static_cast<double>(value), ""});
}

Binding::Binding(const ks_family& family, const ks_variant& variant,
                 const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < family.param_count; ++i) add(family.params[i], columns);
  for (std::size_t i = 0; i < variant.param_count; ++i) add(variant.params[i], columns);
  if (family.any_params) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool known = std::any_of(entries_.begin(), entries_.end(),
                                     [&](const Entry& entry) { return entry.name == columns[i]; });
      const bool derived = columns[i].empty();  // derived columns have no name in a plan
      if (!known && !derived && !is_kept_from_kernels(columns[i]))
        entries_.push_back({columns[i], KS_NULL, static_cast<int>(i), false, {}});
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
}

void Binding::add(const ks_param_doc& doc, const std::vector<std::string>& columns) {
  Entry entry{doc.name, doc.kind, column_of(columns, doc.name), doc.fallback == nullptr, {}};
  if (doc.fallback && *doc.fallback) {
    const Value value = doc.kind == KS_TEXT ? Value(doc.fallback) : value_of_scalar(doc.fallback);
    entry.fallback.name = doc.name;
    entry.fallback.kind = doc.kind == KS_NULL ? kind_of(value) : doc.kind;  // any kind: that of the default
    entry.fallback.text = "";
    if (const auto* truth = value.boolean()) entry.fallback.integer = *truth ? 1 : 0;
    if (const auto* whole = value.integer()) entry.fallback.integer = *whole;
    if (const auto number = value.number()) entry.fallback.real = *number;
    if (value.text()) entry.fallback.text = fallback_texts_.emplace_back(doc.fallback).c_str();
  }
  entries_.push_back(std::move(entry));
}

Status Binding::fill(const wire::JobBody& body, ParamSet& out) const {
  out.params_.clear();
  for (const Entry& entry : entries_) {
    ks_param param{entry.name.c_str(), KS_NULL, 0, 0, ""};
    if (entry.column >= 0 && entry.column < body.values_size()) {
      param = param_of(entry.name.c_str(), body.values(entry.column));
    }
    if (param.kind == KS_NULL) {
      if (entry.fallback.kind != KS_NULL) {
        out.params_.push_back(entry.fallback);
        out.params_.back().name = entry.name.c_str();
      } else if (entry.required) {
        return failure("the parameter '" + entry.name + "' is not set; give it an axis in the sweep file");
      }
      continue;
    }
    if (entry.kind == KS_FLOAT && param.kind == KS_INTEGER) param.kind = KS_FLOAT;
    if (entry.kind != KS_NULL && param.kind != entry.kind) {
      return failure("the parameter '" + entry.name + "' must be " + std::string(kind_text(entry.kind)) +
                     ", not " + std::string(kind_text(param.kind)));
    }
    out.params_.push_back(param);
  }
  return Done{};
}

}  // namespace kernsweep
