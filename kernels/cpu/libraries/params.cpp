#include "kernels/cpu/libraries/params.hpp"

#include <fmt/format.h>

#include "kernels/api/pack_params.hpp"

namespace kernsweep {
namespace {

std::string_view text_or_empty(const char* text) {
  return text == nullptr ? std::string_view{} : text;
}

}  // namespace

const ks_param* Params::find(std::string_view name) const {
  for (std::size_t i = 0; i < params_->count; ++i) {
    const ks_param& param = params_->items[i];
    if (param.kind != KS_NULL && name == text_or_empty(param.name)) return &param;
  }
  return nullptr;
}

std::int64_t Params::integer(std::string_view name, std::int64_t fallback) const {
  const ks_param* param = find(name);
  return param != nullptr && param->kind == KS_INTEGER ? param->integer : fallback;
}

double Params::real(std::string_view name, double fallback) const {
  const ks_param* param = find(name);
  return param != nullptr && (param->kind == KS_INTEGER || param->kind == KS_FLOAT) ? param->real
                                                                                    : fallback;
}

bool Params::boolean(std::string_view name, bool fallback) const {
  const ks_param* param = find(name);
  return param != nullptr && param->kind == KS_BOOLEAN ? param->integer != 0 : fallback;
}

const char* Params::text(std::string_view name, const char* fallback) const {
  const ks_param* param = find(name);
  return param != nullptr && param->kind == KS_TEXT && param->text != nullptr ? param->text : fallback;
}

ks_status Params::check(const ks_param_doc* docs, std::size_t doc_count, ks_why why) const {
  for (std::size_t i = 0; i < doc_count; ++i) {
    const ks_param_doc& doc = docs[i];
    const ks_param* param = find(doc.name);
    if (param == nullptr) {
      if (doc.fallback != nullptr) continue;
      return refuse(KS_BAD_PARAMETER, why, fmt::format("{} is missing: {}", doc.name, doc.summary));
    }
    const bool kind_fits = param->kind == doc.kind || (doc.kind == KS_FLOAT && param->kind == KS_INTEGER);
    if (!kind_fits)
      return refuse(KS_BAD_PARAMETER, why,
                    fmt::format("{} must be {}, not {}", doc.name, pack::detail::what_is(doc.kind),
                                pack::detail::what_is(param->kind)));
    if (doc.choices == nullptr || doc.kind != KS_TEXT) continue;
    const std::string_view text = text_or_empty(param->text);
    if (pack::detail::choice_of(doc.choices, text) < 0)
      return refuse(KS_BAD_PARAMETER, why,
                    fmt::format("{} is \"{}\"; it must be one of {}", doc.name, text, doc.choices));
  }
  return KS_OK;
}

ks_status refuse(ks_status status, ks_why why, std::string_view reason) {
  pack::detail::say(why, reason);
  return status;
}

}  // namespace kernsweep
