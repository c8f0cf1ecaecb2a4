// The filters of a sweep, in the order in which they are applied.
#include <fmt/format.h>

#include <algorithm>

#include "language/file/setting.hpp"
#include "language/plan/builder.hpp"
#include "language/plan/trial.hpp"
#include "language/space/left_out.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

Node command_line(const std::string& option, const std::string& text) {
  Node node;
  node.source = std::make_shared<const TextSource>(
      TextSource{fmt::format("on the command line, {} '{}'", option, text), false});
  node.scalar = text;
  return node;
}

}  // namespace

Status PlanBuilder::add_constraints() {
  for (const auto& [rule, why] : replacements_.left_out) {
    const Node node = command_line("what is left out", rule);
    KS_ASSIGN_OR_RETURN(auto expression, read_expression(node, "expr"));
    document_.constraints.push_back(Formula{"", why, std::move(expression), node});
  }
  for (const auto& formula : document_.constraints) {
    KS_ASSIGN_OR_RETURN(auto condition, resolve_here(formula, false));
    plan_->constraints.push_back(std::move(condition));
  }
  return Done{};
}

void PlanBuilder::add_rule(FilterRule rule, std::string text, std::string why, const Node* node) {
  const bool in_file = node != nullptr && node->source && node->source->has_lines;
  plan_->rules.push_back(rule);
  plan_->filters.push_back(Filter{std::move(text), std::move(why), in_file ? node->place : Place{}});
}

// Adds how to quote the text that --only compares a column of texts with.
tl::unexpected<Error> PlanBuilder::with_hint_to_quote(std::string message) const {
  const std::string& only = replacements_.only;
  const std::size_t equals = only.find('=');
  const std::size_t start = only.find_first_not_of(" =", equals);
  const std::size_t end = std::min({only.find(" and ", start), only.find(" or ", start), only.size()});
  const auto column = column_named(only.substr(0, only.find_first_of(" =!")));
  if (start != only.npos && column && *column < kind_of_column_.size() &&
      kind_of_column_[*column] == ValueKind::text)
    message += fmt::format("; quote a text: --only '{}{}{}'", only.substr(0, start),
                           expression_literal(Value(only.substr(start, end - start))), only.substr(end));
  return failure(message);
}

Status PlanBuilder::add_only_and_sample() {
  if (!replacements_.only.empty()) {
    Node node = command_line("--only", replacements_.only);
    const auto quoted = with_texts_quoted(replacements_.only);
    if (!quoted) return wrong(node, quoted.error().message);
    node.scalar = *quoted;
    auto expression = read_expression(node, "--only");
    if (!expression) {
      node.scalar = replacements_.only;
      return with_hint_to_quote(read_expression(node, "--only").error().message);
    }
    KS_ASSIGN_OR_RETURN(auto condition, resolve_here(Formula{"", "", std::move(*expression), node}, false));
    plan_->only.push_back(std::move(condition));
  }
  if (replacements_.point) {
    if (*replacements_.point >= plan_->raw_points())
      return failure(fmt::format("the sweep has no point {}: it has {} now", *replacements_.point,
                                 plan_->raw_points()));
    plan_->one_point = replacements_.point;
  }
  if (!replacements_.sample.empty()) {
    const Node node = command_line("--sample", replacements_.sample);
    const auto share = replacements_.sample.ends_with('%')
                           ? share_of(replacements_.sample)
                           : Result<double>(failure("write a percentage such as 10%"));
    if (!share) return wrong(node, share.error().message);
    if (*share == 0) return wrong(node, "this keeps no point; write a percentage above 0");
    constexpr double kWhole = 18446744073709551616.0;  // 2^64
    plan_->sample_below = *share >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(*share * kWhole);
  }
  return Done{};
}

Status PlanBuilder::add_rules() {
  using Kind = FilterRule::Kind;
  std::string message;
  const auto tried = [&](const Condition& condition) {
    return try_out(*plan_, wheel_of_, condition, message);
  };
  const auto hopeless = [&](const Condition& condition) {
    return failure(fmt::format("{}: in '{}': {}", condition.where, condition.expression.text(), message));
  };
  for (std::size_t i = 0; i < plan_->derived.size(); ++i) {
    auto& entry = plan_->derived[i];
    const Trial trial = tried(entry.formula);
    if (trial == Trial::always_fails) return hopeless(entry.formula);
    entry.may_fail = trial == Trial::may_fail;
    if (!entry.may_fail) continue;
    const auto& column = plan_->sweep.columns[entry.column];
    add_rule({Kind::derived, i}, fmt::format("derive {}: {}", column.name, entry.formula.expression.text()),
             "", nullptr);
    plan_->filters.back().place = column.place;
  }
  for (std::size_t i = 0; i < plan_->excludes.size(); ++i) {
    add_rule({Kind::exclude, i}, "exclude " + text_of(document_.excludes[i]), "", &document_.excludes[i]);
  }
  for (std::size_t i = 0; i < plan_->constraints.size(); ++i) {
    if (tried(plan_->constraints[i]) == Trial::always_fails) return hopeless(plan_->constraints[i]);
    const auto& formula = document_.constraints[i];
    add_rule({Kind::constraint, i}, formula.expression.text(), formula.why, &formula.node);
  }
  for (std::size_t i = 0; i < plan_->overrides.size(); ++i) {
    const Trial trial = tried(plan_->overrides[i].when);
    if (trial == Trial::always_fails) return hopeless(plan_->overrides[i].when);
    if (trial == Trial::never_fails) continue;
    const auto& formula = document_.overrides[i].when;
    add_rule({Kind::override_, i}, "override when " + formula.expression.text(), "", &formula.node);
  }
  for (const auto& only : plan_->only) {
    if (tried(only) == Trial::always_fails) return hopeless(only);
    add_rule({Kind::only, 0}, "--only " + only.expression.text(), "", nullptr);
  }
  if (plan_->sample_below != UINT64_MAX) {
    add_rule({Kind::sample, 0}, "--sample " + replacements_.sample, "", nullptr);
  }
  return Done{};
}

}  // namespace kernsweep
