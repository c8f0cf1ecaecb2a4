// `verify.reference`: its placeholders and axes become columns.
#include <fmt/format.h>

#include <algorithm>

#include "language/file/reference.hpp"
#include "language/file/setting.hpp"
#include "language/plan/builder.hpp"
#include "language/space/axis.hpp"
#include "shared/base/try.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

const std::string kPath = "verify.reference";

// Why a column cannot be replaced for a reference; empty if it can.
std::string flaw_of_column(const Column& column) {
  const std::string& name = column.name;
  if (column.is_computed()) return "is computed from others; name those";
  if (is_resource(name) || is_environment(name) || name.ends_with(".library"))
    return "is fixed for the slot's process, which also computes the reference; name another setting, "
           "or use `command:` or `python:`, which run in their own process";
  if (is_note(name)) return "is a note, which changes nothing in what is computed";
  if (name.starts_with("input.")) return "says what is asked; the reference gets the same operands";
  return "";
}

std::string raw_key(const std::string& name, const std::string& scalar) {
  return name + "\n" + scalar;
}

}  // namespace

Status PlanBuilder::add_reference_text(const Node& node, const ReferenceRule& rule) {
  const auto made = rule.kind == ReferenceKind::command ? CommandTemplate::of_text(rule.text)
                                                        : CommandTemplate::of_words({rule.text});
  KS_ASSERT(made.has_value());  // read_reference has checked it
  ReferenceText text{*made, {}};
  for (const std::string& name : made->names()) {
    const auto column = column_named(name);
    if (!column) {
      const std::string hint = hint_for(name);
      return wrong(node,
                   fmt::format("{}: in '{}': {}", kPath, rule.text,
                               !hint.empty() ? hint
                                             : fmt::format("no column is called '{}'{}; write {{{{ "
                                                           "for a brace",
                                                           name, did_you_mean(name, column_names(false)))));
    }
    text.columns.push_back(*column);
  }
  plan_->reference_texts.insert_or_assign({rule.kind, rule.text}, std::move(text));
  return Done{};
}

Status PlanBuilder::add_reference_setting(const Node& node, SweepReference& reference) {
  const Node* inner = node.find("setting");
  for (const auto& [name, value] : (inner != nullptr ? *inner : node).entries) {
    if (is_ignored_key(name.scalar)) continue;
    const auto column = column_named(name.scalar);
    if (!column) {
      const std::string hint = hint_for(name.scalar);
      return wrong(name, hint.empty() ? fmt::format("{}: no axis is called '{}'{}", kPath, name.scalar,
                                                    did_you_mean(name.scalar, column_names(true)))
                                      : kPath + ": " + hint);
    }
    const Column& known = plan_->sweep.columns[*column];
    std::string flaw = flaw_of_column(known);
    const auto& problem = plan_->sweep.problem;
    if (flaw.empty() && problem && std::ranges::find(*problem, name.scalar) != problem->end())
      flaw = "is part of the problem (`problem:`), and a reference answers the same problem";
    if (!flaw.empty()) return wrong(name, fmt::format("{}: '{}' {}", kPath, name.scalar, flaw));
    if (!value.is_null()) {
      const auto wanted = value_of_column(value, *column);
      if (!wanted)
        return wrong(value, fmt::format("{}: {} can never be a value of '{}', which holds {}", kPath,
                                        describe(value), name.scalar, name_of(kind_of_column_[*column])));
      plan_->reference_values.insert_or_assign(raw_key(name.scalar, value.scalar), *wanted);
    }
    reference.where_of[name.scalar] = where(value);
  }
  return Done{};
}

Status PlanBuilder::add_references() {
  for (const Node& node : document_.references) {
    const auto read = read_reference(kPath, node);
    KS_ASSERT(read.has_value());  // it was read together with the other settings
    SweepReference reference{*read, where(node), {}};
    const bool has_text = read->kind == ReferenceKind::command || read->kind == ReferenceKind::file;
    KS_RETURN_IF_ERROR(has_text                               ? add_reference_text(node, *read)
                       : read->kind == ReferenceKind::setting ? add_reference_setting(node, reference)
                                                              : Status(Done{}));
    plan_->resolve(reference.rule);
    plan_->references.push_back(std::move(reference));
  }
  plan_->resolve(plan_->sweep.rules.measure.verify.reference);
  return Done{};
}

// The output of a program has no data type, unless the sweep sets one.
Status PlanBuilder::check_tolerances() {
  const Sweep& sweep = plan_->sweep;
  const bool has_dtype = std::ranges::find(sweep.columns, "dtype", &Column::name) != sweep.columns.end();
  if (sweep.kernel != "command" || has_dtype) return Done{};
  for (const Node& tolerance : document_.tolerances) {
    for (const auto& [name, value] : tolerance.entries) {
      if (name.scalar == "relative" || name.scalar == "absolute" || is_ignored_key(name.scalar)) continue;
      return wrong(name, fmt::format("verify.tolerance: what a command prints has no data type, so that "
                                     "'{}' would do nothing; write relative: {}",
                                     name.scalar, value.scalar));
    }
  }
  return Done{};
}

void Plan::resolve(ReferenceRule& rule) const {
  for (auto& [name, value] : rule.setting) {
    if (!value.text()) continue;
    const auto known = reference_values.find(raw_key(name, *value.text()));
    if (known != reference_values.end()) value = known->second;
  }
}

std::vector<Value> Plan::values_of_reference(const ReferenceRule& rule, std::vector<Value> values) const {
  for (std::uint32_t c = 0; c < sweep.columns.size(); ++c) {
    const auto replaced = rule.setting.find(sweep.columns[c].name);
    if (replaced != rule.setting.end()) values[c] = replaced->second;
  }
  // An axis whose condition is no longer true is absent there, as at any point.
  for (const std::size_t w : product.dependency_order()) {
    const Wheel& wheel = product.wheels()[w];
    if (wheel.when && !wheel.when->holds(values).value_or(false)) wheel.clear(values);
  }
  compute_derived(values);
  fill_program(values);
  return values;
}

ReferenceAt Plan::reference_at(const ReferenceRule& rule, const std::vector<Value>& values) const {
  ReferenceAt out;
  if (rule.kind == ReferenceKind::setting) {
    const std::vector<Value> there = values_of_reference(rule, values);
    for (std::uint32_t c = 0; c < there.size(); ++c)
      if (there[c] != values[c] && sweep.columns[c].origin != Column::Origin::derived)
        out.replaced.emplace_back(c, there[c]);
    return out;
  }
  const auto text = reference_texts.find({rule.kind, rule.text});
  if (text == reference_texts.end()) return out;
  const auto& [words, columns] = text->second;
  if (rule.kind == ReferenceKind::command) {
    out.text = words.fill(columns, values);
    return out;
  }
  out.text = words.fill_first_word(columns, values);
  const auto slash = sweep.file.rfind('/');
  if (!out.text.starts_with('/') && slash != std::string::npos)
    out.text = sweep.file.substr(0, slash + 1) + out.text;
  return out;
}

}  // namespace kernsweep
