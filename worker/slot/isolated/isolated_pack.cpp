#include "worker/slot/isolated/isolated_pack.hpp"

#include <algorithm>

#include "shared/text/choices.hpp"
#include "worker/slot/isolated/distrusted_calls.hpp"
#include "worker/slot/isolated/parameters.hpp"

namespace kernsweep {
namespace {

DistrustedCalls& calls_of(void* state) {
  return *static_cast<DistrustedCalls*>(state);
}

ks_status run(void* state) {
  return calls_of(state).run();
}

double elapsed(void* state) {
  return calls_of(state).elapsed_s();
}

ks_status metrics(void* state, ks_declared_metric* out, std::size_t capacity, std::size_t* count) {
  wire::IsolatedAnswer answer;
  *count = 0;
  if (calls_of(state).kernel().metrics(answer)) return KS_FAILED;
  for (const std::string& bytes : answer.metrics())
    if (*count < capacity && read_bytes(bytes, out[*count])) ++*count;
  return KS_OK;
}

void release(void* state) {
  calls_of(state).kernel().end();
}

ks_kind kind_named(const std::string& name) {
  if (name == "boolean") return KS_BOOLEAN;
  if (name == "integer") return KS_INTEGER;
  if (name == "float") return KS_FLOAT;
  return name == "text" ? KS_TEXT : KS_NULL;
}

}  // namespace

IsolatedPack::IsolatedPack(const wire::IsolatedFamily& about) {
  const wire::Family& from = about.family();
  const auto params_of = [this](const auto& described) -> std::vector<ks_param_doc>& {
    std::vector<ks_param_doc>& params = params_.emplace_back();
    for (const wire::Param& each : described.params())
      params.push_back({kept(each.name()), kind_named(each.kind()),
                        each.required() ? nullptr : kept(each.fallback()),
                        each.choices().empty() ? nullptr : kept(each.choices()), kept(each.summary())});
    return params;
  };
  for (const wire::Variant& each : from.variants()) {
    const std::vector<ks_param_doc>& params = params_of(each);
    variants_.push_back({.name = kept(each.name()),
                         .summary = kept(each.summary()),
                         .params = params.data(),
                         .param_count = params.size(),
                         .run = run,
                         .elapsed = elapsed,
                         .release = release,
                         .device = each.device().empty() ? nullptr : kept(each.device()),
                         .declared_metrics = metrics});
    listed_.push_back(&variants_.back());
  }
  const std::vector<ks_param_doc>& params = params_of(from);
  family_ = {.name = kept(from.name()),
             .summary = kept(from.summary()),
             .params = params.data(),
             .param_count = params.size(),
             .any_params = from.any_params() ? 1 : 0,
             .reference = from.reference().empty() ? nullptr : kept(from.reference()),
             .variants = listed_.data(),
             .variant_count = listed_.size(),
             .in_place = about.in_place().empty() ? nullptr : kept(about.in_place()),
             .least = about.least().empty() ? nullptr : kept(about.least())};
  pack_ = {.api_major = KS_API_MAJOR,
           .api_minor = KS_API_MINOR,
           .name = kept(about.pack_name()),
           .version = kept(from.version()),
           .build = kept(from.build()),
           .families = families_,
           .family_count = 1};
  if (!about.constants().empty()) constants_ = split_choices(about.constants());
}

bool IsolatedPack::is_constant(const std::string& operand) const {
  return std::ranges::find(constants_, operand) != constants_.end();
}

}  // namespace kernsweep
