// Parameters of a pack in C++ (pack.hpp): declared once, read into the members of a struct.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pack.h"

namespace kernsweep::pack {

// Why something cannot be done: KS_UNSUPPORTED for a point that this variant, library or processor cannot
// compute, KS_BAD_PARAMETER for one that no variant could, KS_FAILED for all other reasons.
class Refused : public std::runtime_error {
 public:
  Refused(ks_status status, const std::string& reason) : std::runtime_error(reason), status_(status) {}
  ks_status status() const { return status_; }

 private:
  ks_status status_;
};

// The members of ks_param_doc, and more. Texts live as long as the process.
struct ParamText {
  const char* name = "";
  const char* summary = "";        // one line, with the unit
  const char* fallback = nullptr;  // as in a sweep file; nullptr: required; "": none, the member stays
  const char* choices = nullptr;   // "nchw|nhwc"; nullptr: any value
  bool setting = false;            // free to choose for the same answer; otherwise part of the problem
  bool of_variants = false;        // of a problem: declared by variants, read here for its tolerance
  double least = -std::numeric_limits<double>::infinity();  // for numbers, both included
  double most = std::numeric_limits<double>::infinity();
};

// A parameter that is stored in a member of Struct. Its kind is that of the member: std::int64_t, double,
// bool, std::string; ks_dtype ("f32", with choices); another enum: its value is the index of the text in
// the choices; a bool with two choices: whether it is the second one.
template <class Struct>
struct Param {
  ParamText text;
  ks_kind kind = KS_NULL;
  void (*store)(Struct&, const ks_param&, const ParamText&) = nullptr;

  ks_param_doc doc() const { return {text.name, kind, text.fallback, text.choices, text.summary}; }
};

namespace detail {

// Writes a reason, shortened to its size but never within a character of UTF-8.
inline void say(ks_why why, std::string_view reason) {
  if (why.text == nullptr || why.size == 0) return;
  std::size_t length = std::min(reason.size(), why.size - 1);
  const auto continues = [&](std::size_t at) {
    return at < reason.size() && (static_cast<unsigned char>(reason[at]) & 0xC0U) == 0x80U;
  };
  while (length > 0 && continues(length)) --length;
  std::memcpy(why.text, reason.data(), length);
  why.text[length] = '\0';
}

// The index of `text` in "a|b|c"; -1: it is none of them.
inline int choice_of(std::string_view choices, std::string_view text) {
  for (int at = 0;; ++at) {
    const std::size_t bar = choices.find('|');
    if (choices.substr(0, bar) == text) return at;
    if (bar == std::string_view::npos) return -1;
    choices.remove_prefix(bar + 1);
  }
}

inline ks_dtype dtype_named(std::string_view name) {
  constexpr std::string_view kNames =
      "f64|f32|bf16|f16|s8|u8|s32|s64|f8e4m3|f8e5m2";  // as ks_dtype, from 1
  const int at = choice_of(kNames, name);
  if (at < 0) throw Refused(KS_BAD_PARAMETER, "'" + std::string(name) + "' is not a data type");
  return static_cast<ks_dtype>(at + 1);
}

inline const char* what_is(ks_kind kind) {
  switch (kind) {
    case KS_BOOLEAN:
      return "a boolean";
    case KS_INTEGER:
      return "a whole number";
    case KS_FLOAT:
      return "a number";
    case KS_TEXT:
      return "a text";
    case KS_NULL:
      return "null";
  }
  return "of an unknown kind";
}

inline std::string shown(double number) {
  char text[32];
  const bool whole = std::abs(number) < 1e15 && number == std::floor(number);
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%g", number);
  return text;
}

// The same for a limit: from 2^20 on powers of 2 are written as such.
inline std::string shown_limit(double number) {
  int exponent = 0;
  const bool is_power = std::frexp(number, &exponent) == 0.5 && exponent > 20;
  return is_power ? "2^" + std::to_string(exponent - 1) : shown(number);
}

inline void check_range(const ks_param& param, const ParamText& text) {
  if (param.real >= text.least && param.real <= text.most) return;  // NaN is in no range
  const bool from = std::isfinite(text.least), to = std::isfinite(text.most);
  const std::string range = from && to ? shown_limit(text.least) + " to " + shown_limit(text.most)
                            : from     ? "at least " + shown_limit(text.least)
                            : to       ? "at most " + shown_limit(text.most)
                                       : "a number";
  throw Refused(KS_BAD_PARAMETER,
                std::string(text.name) + " is " + shown(param.real) + "; it must be " + range);
}

template <class Member>
constexpr ks_kind kind_of(bool has_choices) {
  if constexpr (std::is_same_v<Member, bool>) return has_choices ? KS_TEXT : KS_BOOLEAN;
  if constexpr (std::is_same_v<Member, double>) return KS_FLOAT;
  if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>) return KS_INTEGER;
  return KS_TEXT;
}

template <class Member>
void store(Member& to, const ks_param& param, const ParamText& text) {
  if constexpr (std::is_same_v<Member, bool>) {
    to = text.choices != nullptr ? choice_of(text.choices, param.text) == 1 : param.integer != 0;
  } else if constexpr (std::is_same_v<Member, double>) {
    check_range(param, text);
    to = param.real;
  } else if constexpr (std::is_integral_v<Member>) {
    static_assert(std::is_same_v<Member, std::int64_t>, "a whole number is a std::int64_t");
    check_range(param, text);
    to = param.integer;
  } else if constexpr (std::is_same_v<Member, ks_dtype>) {
    to = dtype_named(param.text);
  } else if constexpr (std::is_enum_v<Member>) {
    to = static_cast<Member>(choice_of(text.choices, param.text));  // valid: checked before
  } else {
    static_assert(std::is_same_v<Member, std::string>, "a parameter has no such type");
    to = param.text;
  }
}

template <class>
struct MemberOf;
template <class Struct_, class Type_>
struct MemberOf<Type_ Struct_::*> {
  using Struct = Struct_;
  using Type = Type_;
};

}  // namespace detail

// param<&Problem::n>({.name = "n", .summary = "elements"}); for a member of a base class with the struct
// that is read: param<&Problem::n, Problem>(...).
template <auto member, class Struct = typename detail::MemberOf<decltype(member)>::Struct>
Param<Struct> param(const ParamText& text) {
  using Type = typename detail::MemberOf<decltype(member)>::Type;
  if (std::is_enum_v<Type> && text.choices == nullptr)
    throw Refused(KS_FAILED, std::string(text.name) + ": an enum needs its choices");
  return {text, detail::kind_of<Type>(text.choices != nullptr),
          [](Struct& to, const ks_param& from, const ParamText& about) {
            detail::store(to.*member, from, about);
          }};
}

// Reads the parameters of a point. A member whose parameter is absent or null is unchanged. Error: Refused
// with KS_BAD_PARAMETER and what is wrong, or the exception of the struct's check().
template <class Struct>
Struct read(const ks_params& from) {
  Struct out{};
  for (const auto& each : Struct::params()) {
    const ParamText& text = each.text;
    const ks_param* found = nullptr;
    for (std::size_t i = 0; i < from.count; ++i) {
      const ks_param& item = from.items[i];
      if (item.kind != KS_NULL && std::string_view(item.name) == text.name) found = &item;
    }
    const std::string name = text.name;
    if (found == nullptr) {
      if (text.fallback != nullptr) continue;
      throw Refused(KS_BAD_PARAMETER, name + " is missing: " + text.summary);
    }
    if (found->kind != each.kind && !(each.kind == KS_FLOAT && found->kind == KS_INTEGER))
      throw Refused(KS_BAD_PARAMETER, name + " must be " + detail::what_is(each.kind) + ", not " +
                                          detail::what_is(found->kind));
    if (text.choices != nullptr && each.kind == KS_TEXT && detail::choice_of(text.choices, found->text) < 0)
      throw Refused(KS_BAD_PARAMETER,
                    name + " is \"" + found->text + "\"; it must be one of " + text.choices);
    each.store(out, *found, text);
  }
  if constexpr (requires { out.check(); }) out.check();
  return out;
}

}  // namespace kernsweep::pack
