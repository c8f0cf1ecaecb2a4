#include "kernels/cpu/libraries/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kernsweep {
namespace {

const char* name_of_kind(ks_kind kind) {
  switch (kind) {
    case KS_NULL:
      return "null";
    case KS_BOOLEAN:
      return "a boolean";
    case KS_INTEGER:
      return "a whole number";
    case KS_FLOAT:
      return "a number";
    case KS_TEXT:
      return "a text";
  }
  return "of an unknown kind";
}

std::string_view text_or_empty(const char* text) {
  return text == nullptr ? std::string_view{} : text;
}

// `choices` is "nchw|nhwc".
bool is_choice(std::string_view choices, std::string_view text) {
  while (true) {
    const std::size_t bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
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
                    fmt::format("{} must be {}, not {}", doc.name, name_of_kind(doc.kind),
                                name_of_kind(param->kind)));
    if (doc.choices == nullptr || doc.kind != KS_TEXT) continue;
    const std::string_view text = text_or_empty(param->text);
    if (!is_choice(doc.choices, text))
      return refuse(KS_BAD_PARAMETER, why,
                    fmt::format("{} is \"{}\"; it must be one of {}", doc.name, text, doc.choices));
  }
  return KS_OK;
}

ks_status refuse(ks_status status, ks_why why, std::string_view reason) {
  if (why.text == nullptr || why.size == 0) return status;
  std::size_t length = std::min(reason.size(), why.size - 1);
  const auto continues = [&](std::size_t at) {
    return at < reason.size() && (static_cast<unsigned char>(reason[at]) & 0xc0u) == 0x80u;
  };
  while (length > 0 && continues(length)) --length;
  std::memcpy(why.text, reason.data(), length);
  why.text[length] = '\0';
  return status;
}

}  // namespace kernsweep
