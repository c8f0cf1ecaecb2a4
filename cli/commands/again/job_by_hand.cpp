#include "cli/commands/again/job_by_hand.hpp"

#include "coordinator/net/batch.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep {

SingleJob job_by_hand(const Expansion& expansion, SweepId sweep, std::uint64_t number) {
  const std::vector<coordinator::KnownHost> no_hosts;
  const coordinator::ExpansionSpace space(expansion, no_hosts);
  coordinator::KeyBook keys;
  coordinator::BatchWriter writer(space, expansion.sweep(), sweep, keys);
  coordinator::SentDefinitions sent;
  wire::JobBatch batch;
  writer.write({AttemptId{JobId{sweep, number, 0}, 1}}, sent, batch);
  const wire::Plan& plan = batch.plans(0);
  const wire::SlotKey& key = batch.keys(0);
  const auto rules = decode(batch.rules(0));
  wire::JobBody body;
  KS_ASSERT(rules && body.ParseFromString(batch.jobs(0).body()));

  SingleJob job;
  job.family = key.family();
  job.seed = plan.seed();
  job.threads = key.threads();
  job.copies = key.copies();
  job.cache = static_cast<Cache>(body.cache());
  job.process = key.process();
  job.environment = {key.environment().begin(), key.environment().end()};
  job.rules = *rules;
  ReferenceRule& reference = job.rules.measure.verify.reference;
  if (!body.reference().empty()) reference.text = body.reference();
  if (reference.kind == ReferenceKind::setting) reference.setting.clear();
  for (const auto& [column, value] : body.replaced())
    reference.setting[plan.columns(static_cast<int>(column))] = decode(value);
  for (int i = 0; i < plan.columns_size(); ++i) {
    const std::string& name = plan.columns(i);
    const Value value = decode(body.values(i));
    const bool said_elsewhere =
        name.empty() || name == "threads" || name == "copies" || is_environment(name);
    if (!said_elsewhere && !value.is_null()) job.values.emplace_back(name, value);
  }
  return job;
}

std::string variant_of(const SingleJob& job) {
  for (const auto& [name, value] : job.values) {
    if (name == "variant") return value.to_text();
  }
  return "";
}

}  // namespace kernsweep
