#include <nlohmann/json.hpp>

#include "cli/show/json.hpp"

namespace kernsweep {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const google::protobuf::RepeatedPtrField<wire::Param>& params) {
  auto out = Json::array();
  for (const auto& param : params) {
    out.push_back({{"name", param.name()},
                   {"kind", param.kind()},
                   {"choices", param.choices()},
                   {"required", param.required()},
                   {"default", param.fallback()},
                   {"summary", param.summary()},
                   {"problem", param.has_problem() ? Json(param.problem()) : Json()}});
  }
  return out;
}

Json json_of(const wire::Family& family) {
  auto variants = Json::array();
  for (const auto& variant : family.variants()) {
    variants.push_back({{"name", variant.name()},
                        {"summary", variant.summary()},
                        {"params", json_of(variant.params())},
                        {"available", variant.unavailable().empty()},
                        {"reason", variant.unavailable()},
                        {"device", variant.device().empty() ? "cpu" : variant.device()}});
  }
  return {{"name", family.name()},
          {"summary", family.summary()},
          {"reference", family.reference()},
          {"any_params", family.any_params()},
          {"params", json_of(family.params())},
          {"variants", variants},
          {"pack", family.pack()},
          {"version", family.version()}};
}

Json json_of(const Value& value) {
  if (const auto* truth = value.boolean()) return *truth;
  if (const auto* whole = value.integer()) return *whole;
  if (const auto* real = value.real()) return *real;
  if (const auto* text = value.text()) return *text;
  return nullptr;
}

}  // namespace

std::string catalogue_json(const wire::Catalogue& catalogue, const std::string& wanted) {
  auto families = Json::array();
  for (const auto& family : catalogue.families()) {
    if (wanted.empty() || family.name() == wanted) families.push_back(json_of(family));
  }
  auto broken = Json::array();
  for (const auto& reason : catalogue.broken()) broken.push_back(reason);
  return dumped({{"families", families}, {"broken", broken}});
}

std::string findings_json(const std::vector<CheckFinding>& findings) {
  auto out = Json::array();
  for (const CheckFinding& finding : findings) {
    auto values = Json::object();
    for (const auto& [name, value] : finding.is.values) values[name] = json_of(value);
    out.push_back({{"id", finding.id},
                   {"group", finding.group},
                   {"verdict", name_of(finding.is.verdict)},
                   {"found", finding.is.found},
                   {"why", finding.why},
                   {"remedy", finding.is.remedy},
                   {"values", values}});
  }
  return dumped(out);
}

std::string summary_json(const SweepSummary& summary, const std::vector<Filter>& rules,
                         const std::string& database, int status, const std::string& findings,
                         const std::string& claims) {
  const Rejections& rejections = summary.rejections;
  Json rejected = {{"points", rejections.rejected},
                   {"of", rejections.raw_points},
                   {"exact", rejections.exact},
                   {"rules", Json::array()}};
  for (std::size_t i = 0; i < std::min(rules.size(), rejections.by_rule.size()); ++i) {
    rejected["rules"].push_back({{"rule", rules[i].text}, {"points", rejections.by_rule[i]}});
    if (!rules[i].why.empty()) rejected["rules"].back()["why"] = rules[i].why;
  }
  Json answer = {{"sweep", summary.name},
                 {"sweep_id", summary.sweep.value},
                 {"database", database},
                 {"ending", name_of(summary.ending)},
                 {"status", status},
                 {"ok", summary.tally.ok},
                 {"failed", summary.tally.failed},
                 {"earlier", summary.tally.earlier},
                 {"reused", summary.reused},
                 {"retried", summary.tally.retried},
                 {"done", summary.tally.done},
                 {"seconds", summary.seconds},
                 {"rejected", std::move(rejected)}};
  if (summary.blocks > 0) answer["blocks"] = summary.blocks;
  if (!summary.decided.empty()) answer["decided"] = summary.decided;
  if (!summary.taken_over.empty()) answer["taken_over"] = summary.taken_over;
  if (!summary.again.empty()) answer["measured_again"] = summary.again;
  if (!findings.empty()) answer["findings"] = Json::parse(findings, nullptr, false);
  if (!claims.empty()) answer["claims"] = Json::parse(claims, nullptr, false);
  return dumped(answer);
}

}  // namespace kernsweep
