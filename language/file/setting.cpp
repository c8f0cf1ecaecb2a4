#include "language/file/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/file/reference.hpp"
#include "shared/base/rule_fields.hpp"
#include "shared/base/try.hpp"
#include "shared/text/choices.hpp"
#include "shared/text/number_text.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// Decimal digits only: from_chars would accept "inf" and "nan" too.
std::optional<double> decimal(std::string_view text) {
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  const auto number = number_of<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

Status wrong_kind(const Node& node, const std::string& path, const std::string& expected) {
  return wrong(node, fmt::format("{} takes {}, not {}", path, expected, describe(node)));
}

std::string listed(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

Result<std::size_t> choice_of(const Key& key, const std::string& path, const Node& node) {
  const auto known = split_choices(key.choices);
  if (!node.is_scalar() || node.is_null()) {
    return wrong(node, fmt::format("{} takes one of {}, not {}", path, listed(known), describe(node)));
  }
  const auto found = std::find(known.begin(), known.end(), node.scalar);
  if (found == known.end()) {
    return wrong(node,
                 fmt::format("{} cannot be '{}'{}", path, node.scalar, did_you_mean(node.scalar, known)));
  }
  return static_cast<std::size_t>(found - known.begin());
}

Result<std::vector<std::size_t>> choices_of(const Key& key, const std::string& path, const Node& node) {
  std::vector<std::size_t> out;
  if (node.is_mapping()) {
    return wrong(node, fmt::format("{} takes one of {} or a list of them, not a mapping", path,
                                   listed(split_choices(key.choices))));
  }
  const std::vector<Node> one = {node};
  for (const Node& item : node.is_sequence() ? node.items : one) {
    KS_ASSIGN_OR_RETURN(const auto choice, choice_of(key, path, item));
    if (std::find(out.begin(), out.end(), choice) != out.end()) {
      return wrong(item, fmt::format("{}: '{}' appears twice", path, item.scalar));
    }
    out.push_back(choice);
  }
  return out;
}

Status set_retry_for(const Key& key, const std::string& path, const Node& node, RetryRules& retry) {
  KS_ASSIGN_OR_RETURN(const auto chosen, choices_of(key, path, node));
  const auto known = split_choices(key.choices);
  retry.on.clear();
  retry.on_throttled = false;
  for (const std::size_t i : chosen) {
    if (known[i] == "throttled") {
      retry.on_throttled = true;
    } else {
      const auto outcome = outcome_named(known[i]);
      KS_ASSERT(outcome.has_value());
      retry.on.push_back(*outcome);
    }
  }
  return Done{};
}

Status set_caches(const Key& key, const std::string& path, const Node& node, std::vector<Cache>& caches) {
  KS_ASSIGN_OR_RETURN(const auto chosen, choices_of(key, path, node));
  if (chosen.empty()) return wrong(node, path + " needs at least one of hot, cold");
  caches.clear();
  for (const std::size_t i : chosen) caches.push_back(static_cast<Cache>(i + 1));
  return Done{};
}

template <class Enum>
Status set_choice(const Key& key, const std::string& path, const Node& node, Enum& target) {
  KS_ASSIGN_OR_RETURN(const auto choice, choice_of(key, path, node));
  target = static_cast<Enum>(choice + 1);  // the enums count from 1, in the order of the table
  return Done{};
}

template <class Number>
Status set_count(const Key& key, const std::string& path, const Node& node, Number& target) {
  const bool plain = node.is_scalar() && !node.quoted;
  const auto number = plain ? number_of<std::uint64_t>(node.scalar) : std::nullopt;
  if (!number) return wrong_kind(node, path, "a whole number");
  if (*number < key.least ||
      *number > std::min<std::uint64_t>(key.most, std::numeric_limits<Number>::max())) {
    return wrong(
        node, key.most == UINT64_MAX
                  ? fmt::format("{} is at least {}, not {}", path, key.least, node.scalar)
                  : fmt::format("{} goes from {} to {}, not {}", path, key.least, key.most, node.scalar));
  }
  target = static_cast<Number>(*number);
  return Done{};
}

Status set_text(const std::string& path, const Node& node, std::string& target) {
  if (!node.is_scalar() || node.is_null()) return wrong_kind(node, path, "text");
  target = node.scalar;
  return Done{};
}

Status set_truth(const std::string& path, const Node& node, bool& target) {
  if (!node.is_scalar() || node.quoted || (node.scalar != "true" && node.scalar != "false")) {
    return wrong_kind(node, path, "true or false");
  }
  target = node.scalar == "true";
  return Done{};
}

template <class Read, class Target>
Status set_measured(const std::string& path, const Node& node, Read read, std::string_view expected,
                    Target& target) {
  if (!node.is_scalar() || node.is_null()) return wrong_kind(node, path, std::string(expected));
  const auto value = read(node.scalar);
  if (!value) return wrong(node, path + ": " + value.error().message);
  target = *value;
  return Done{};
}

// "20m", "200 jobs", "1 job".
Result<ProcessBudget> budget_of(const std::string& text) {
  ProcessBudget budget;
  if (const auto time = duration_of(text)) {
    budget.time = *time;
    return budget;
  }
  const std::size_t word = std::min(text.find(' '), text.size());
  const auto jobs = number_of<std::uint64_t>(text.substr(0, word));
  const std::string unit = text.substr(word);
  if (!jobs || *jobs == 0 || (unit != " jobs" && unit != " job"))
    return failure(
        fmt::format("'{}' is neither a duration such as 20m nor a number of jobs such as 200 jobs", text));
  budget.jobs = *jobs;
  return budget;
}

Status set_texts(const std::string& path, const Node& node, std::map<std::string, std::string>& target) {
  if (!node.is_mapping()) return wrong_kind(node, path, "a mapping from names to text");
  for (const auto& [key, value] : node.entries) {
    if (is_ignored_key(key.scalar)) continue;
    KS_RETURN_IF_ERROR(set_text(path + "." + key.scalar, value, target[key.scalar]));
  }
  return Done{};
}

Status set_numbers(const Key& key, const std::string& path, const Node& node,
                   std::map<std::string, double>& target) {
  if (!node.is_mapping()) return wrong_kind(node, path, "a mapping from data types to numbers");
  const auto known = split_choices(key.choices);
  for (const auto& [name, value] : node.entries) {
    if (is_ignored_key(name.scalar)) continue;
    // A wrong data type must be reported here, because otherwise the family's own tolerance would apply.
    if (std::find(known.begin(), known.end(), name.scalar) == known.end()) {
      return wrong(name, fmt::format("{}: there is no data type '{}'{}", path, name.scalar,
                                     did_you_mean(name.scalar, known)));
    }
    const auto number = value.is_scalar() && !value.quoted ? decimal(value.scalar) : std::nullopt;
    if (!number) return wrong_kind(value, path + "." + name.scalar, "a number that is not negative");
    target[name.scalar] = *number;
  }
  return Done{};
}

Status apply_section(const Key& key, const std::string& path, const Node& node, Sweep& sweep) {
  if (!node.is_mapping()) {
    return wrong_kind(
        node, path,
        key.kind == KeyKind::switch_section ? "true, false or a mapping" : "a mapping of settings");
  }
  KS_RETURN_IF_ERROR(check_keys(node, key.keys, path));
  for (const auto& [name, value] : node.entries) {
    if (is_ignored_key(name.scalar)) continue;
    const Key* inner = key_named(key.keys, name.scalar);
    KS_RETURN_IF_ERROR(apply_setting(*inner, path + "." + name.scalar, value, sweep));
  }
  return Done{};
}

}  // namespace

Result<double> share_of(std::string_view text) {
  const bool percent = text.ends_with('%');
  std::string_view digits = percent ? text.substr(0, text.size() - 1) : text;
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto number = decimal(digits);
  if (!number) return failure(fmt::format("'{}' is not a share; write 0.5% or 0.005", text));
  const double share = percent ? *number / 100 : *number;
  if (share > 1) return failure(fmt::format("'{}' is more than 100%; write 0.5% or 0.005", text));
  return share;
}

std::string text_of(Duration duration) {
  const double s = seconds(duration);
  if (s == 0) return "0 s";
  if (s < 1e-6) return fmt::format("{:.3g} ns", s * 1e9);
  if (s < 1e-3) return fmt::format("{:.3g} us", s * 1e6);
  if (s < 1) return fmt::format("{:.3g} ms", s * 1e3);
  if (s < 60) return fmt::format("{:.3g} s", s);
  if (s < 3600)
    return fmt::format("{} min {:02} s", static_cast<std::int64_t>(s) / 60,
                       static_cast<std::int64_t>(s) % 60);
  const auto minutes = static_cast<std::int64_t>(s / 60);
  if (minutes < 48 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  return fmt::format("{:.1f} days", s / 86400);
}

bool is_ignored_key(std::string_view name) {
  return name.starts_with("x-");
}

Status check_keys(const Node& node, std::span<const Key> keys, const std::string& what) {
  for (const auto& entry : node.entries) {
    const std::string& name = entry.key.scalar;
    if (is_ignored_key(name) || key_named(keys, name) != nullptr) continue;
    return wrong(entry.key,
                 fmt::format("{} has no key '{}'{}", what, name, did_you_mean(name, names_of(keys))));
  }
  return Done{};
}

Status apply_setting(const Key& key, const std::string& path, const Node& node, Sweep& sweep) {
  const Target target = target_of(key, sweep);
  if (key.kind == KeyKind::section) return apply_section(key, path, node, sweep);
  if (key.kind == KeyKind::switch_section) {
    bool& enabled = *std::get<bool*>(target);
    if (node.is_scalar() && (node.scalar == "true" || node.scalar == "false"))
      return set_truth(path, node, enabled);
    enabled = true;
    return apply_section(key, path, node, sweep);
  }
  if (key.kind == KeyKind::bounds) {
    if (node.is_mapping()) return apply_section(key, path, node, sweep);
    if (!node.is_scalar() || node.quoted || !number_of<std::uint64_t>(node.scalar))
      return wrong_kind(node, path, "a whole number, or a mapping with min and max");
    for (const Key& each : key.keys)
      if (each.kind == KeyKind::count) KS_RETURN_IF_ERROR(apply_setting(each, path, node, sweep));
    return Done{};
  }
  if (key.kind == KeyKind::duration) {
    return set_measured(path, node, duration_of, "a duration such as 100ms", *std::get<Duration*>(target));
  }
  if (key.kind == KeyKind::budget) {
    return set_measured(path, node, budget_of,
                        "a duration such as 20m, or a number of jobs such as 200 jobs",
                        *std::get<ProcessBudget*>(target));
  }
  if (key.kind == KeyKind::share) {
    return set_measured(path, node, share_of, "a share such as 0.5%", *std::get<double*>(target));
  }
  return std::visit(
      Cases{[&](std::uint64_t* t) { return set_count(key, path, node, *t); },
            [&](std::uint32_t* t) { return set_count(key, path, node, *t); },
            [&](bool* t) { return set_truth(path, node, *t); },
            [&](std::string* t) { return set_text(path, node, *t); },
            [&](Hosts* t) { return set_choice(key, path, node, *t); },
            [&](Order* t) { return set_choice(key, path, node, *t); },
            [&](Exclusion* t) { return set_choice(key, path, node, *t); },
            [&](Metric* t) { return set_choice(key, path, node, *t); },
            [&](AskedRule* t) { return set_choice(key, path, node, *t); },
            [&](OutputsRule* t) { return set_choice(key, path, node, *t); },
            [&](std::vector<Cache>* t) { return set_caches(key, path, node, *t); },
            [&](RetryRules* t) { return set_retry_for(key, path, node, *t); },
            [&](ReferenceRule* t) -> Status {
              KS_ASSIGN_OR_RETURN(*t, read_reference(path, node));
              return Done{};
            },
            [&](std::map<std::string, std::string>* t) { return set_texts(path, node, *t); },
            [&](std::map<std::string, double>* t) { return set_numbers(key, path, node, *t); },
            [&](auto) -> Status { KS_ASSERT(false); }},
      target);
}

Status check_bounds(const Rules& rules, const std::string& where) {
  const auto& samples = rules.measure.samples;
  const auto& warmup = rules.measure.warmup;
  if (samples.min > samples.max) {
    return failure(fmt::format("{}: measure.samples.min ({}) is above measure.samples.max ({})", where,
                               samples.min, samples.max));
  }
  if (samples.min_time > samples.max_time) {
    return failure(fmt::format("{}: measure.samples.min_time ({}) is above measure.samples.max_time ({})",
                               where, text_of(samples.min_time), text_of(samples.max_time)));
  }
  if (warmup.min_time > warmup.max_time) {
    return failure(fmt::format("{}: measure.warmup.min_time ({}) is above measure.warmup.max_time ({})",
                               where, text_of(warmup.min_time), text_of(warmup.max_time)));
  }
  return Done{};
}

}  // namespace kernsweep
