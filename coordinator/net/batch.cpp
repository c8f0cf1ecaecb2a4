#include "coordinator/net/batch.hpp"

#include "shared/text/command_line.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordinator {

BatchWriter::BatchWriter(const ExpansionSpace& space, const Sweep& sweep, SweepId id, KeyBook& book)
    : space_(space), sweep_(sweep), id_(id), book_(book), prefix_(sweep.kernel) {
  for (std::size_t i = 0; i < sweep.columns.size(); ++i) {
    const std::string& name = sweep.columns[i].name;
    if (is_environment(name)) environment_columns_.emplace_back(i, environment_variable_of(name));
    if (name.ends_with(".library")) library_columns_.push_back(i);
    if (name == "variant") variant_column_ = i;
    if (name == "python" && sweep.kernel == "python") function_column_ = i;
  }
  // A key's content lists values in this order, without names; so the names are part of the prefix.
  for (const auto& [column, name] : environment_columns_) prefix_ += "\n" + name;
  prefix_ += "\n" + std::to_string(library_columns_.size()) + (variant_column_ ? "v\n" : "\n");
}

void BatchWriter::write_plan(wire::Plan& out) const {
  out.set_sweep(id_.value);
  out.set_kind(static_cast<std::uint32_t>(sweep_.kind));
  out.set_kernel(sweep_.kernel);
  out.set_seed(sweep_.seed);
  out.set_in_blocks(sweep_.processes > 1);
  for (const Column& column : sweep_.columns)
    if (column.name == kBuildColumn) out.set_build_place(place_text(sweep_, column.place));
  out.mutable_depends()->Assign(sweep_.depends.begin(), sweep_.depends.end());
  for (const Column& column : sweep_.columns) {
    // A derived value is only for the user and for queries: no kernel but a call of `source` gets it.
    const bool is_kept = column.origin == Column::Origin::derived && sweep_.kind != KernelKind::source;
    out.add_columns(is_kept ? "" : column.name);
  }
}

bool BatchWriter::distrusts(std::uint64_t index) const {
  return space_.rules(space_.rules_number(index)).measure.verify.distrust;
}

std::uint32_t BatchWriter::key_of(std::uint64_t index) {
  const Point& point = space_.point(index);
  const std::uint32_t process = space_.job(index).process;
  scratch_ = prefix_;
  for (const std::uint32_t number :
       {space_.threads(index), space_.copies(index), process, space_.gpus(index)})
    scratch_.append(reinterpret_cast<const char*>(&number), sizeof number);
  scratch_ += distrusts(index) ? 'd' : 't';
  for (const auto& [column, name] : environment_columns_) point.values[column].append_canonical(scratch_);
  for (const std::size_t column : library_columns_) point.values[column].append_canonical(scratch_);
  if (variant_column_) point.values[*variant_column_].append_canonical(scratch_);
  if (function_column_) point.values[*function_column_].append_canonical(scratch_);
  return book_.number_of(scratch_, [&](wire::SlotKey& key) { fill(key, index); });
}

void BatchWriter::fill(wire::SlotKey& key, std::uint64_t index) const {
  const Point& point = space_.point(index);
  key.set_family(sweep_.kernel);
  key.set_threads(space_.threads(index));
  key.set_copies(space_.copies(index));
  key.set_process(space_.job(index).process);
  key.set_gpus(space_.gpus(index));
  key.set_distrust(distrusts(index));
  if (function_column_) key.set_function(point.values[*function_column_].to_text());
  if (variant_column_) key.set_variant(point.values[*variant_column_].to_text());
  for (const std::size_t column : library_columns_)
    point.values[column].append_canonical(*key.mutable_libraries());
  for (const auto& [column, name] : environment_columns_) {
    if (!point.values[column].is_null())
      (*key.mutable_environment())[name] = point.values[column].to_text();
  }
}

// The reference can differ from point to point, although the rules are the same.
void BatchWriter::write_reference(std::uint64_t index, std::uint32_t rules, wire::JobBody& out) const {
  const ReferenceRule& rule = space_.rules(rules).measure.verify.reference;
  if (rule.kind == ReferenceKind::variant || rule.kind == ReferenceKind::python) return;
  const ReferenceAt reference = space_.reference_at(index, rule);
  out.set_reference(reference.text);
  for (const auto& [column, value] : reference.replaced) encode(value, (*out.mutable_replaced())[column]);
}

void BatchWriter::write(const std::vector<AttemptId>& attempts, SentDefinitions& sent,
                        wire::JobBatch& out) {
  if (sent.plans.insert(id_).second) write_plan(*out.add_plans());
  wire::JobBody body;
  for (const AttemptId& attempt : attempts) {
    const std::uint64_t index = attempt.job.index;
    const std::uint32_t cores = space_.cores(index);
    const std::uint32_t key = key_of(index);
    const std::uint32_t rules = space_.rules_number(index);
    if (sent.rules.emplace(id_, rules).second) encode(space_.rules(rules), id_, rules, *out.add_rules());
    if (sent.keys.size() <= key) sent.keys.resize(book_.keys().size());
    if (!sent.keys[key]) *out.add_keys() = book_.keys()[key];
    sent.keys[key] = true;

    wire::Job& job = *out.add_jobs();
    job.set_sweep(attempt.job.sweep.value);
    job.set_index(index);
    job.set_host(attempt.job.host);
    job.set_attempt(attempt.number);
    job.set_key(key);
    job.set_rules(rules);
    job.set_cores(cores);
    job.set_order(++handed_out_);
    body.Clear();
    body.set_cache(static_cast<std::uint32_t>(space_.job(index).cache));
    for (const Value& value : space_.point(index).values) encode(value, *body.add_values());
    write_reference(index, rules, body);
    body.SerializeToString(job.mutable_body());
  }
}

}  // namespace kernsweep::coordinator
