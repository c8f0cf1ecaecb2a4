// Maps the columns of a sweep to the parameters of a variant: by name, once per plan and variant; then each
// job is filled in without a search.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/result.hpp"

namespace kernsweep {

namespace wire {
class JobBody;
class Value;
}  // namespace wire

// A parameter of the pack interface; `name` and a text of `value` must outlive it.
ks_param param_of(const char* name, const wire::Value& value);

// Parameters in the form of the pack interface, sorted by name. Texts point into the job's body or into the
// binding: both must outlive the set.
class ParamSet {
 public:
  ks_params view() const { return {params_.size(), params_.data()}; }
  // The parameters as canonical text (Value::append_canonical), "k=i64 layout=s4:nchw m=i1": equal exactly
  // for equal parameters, without those in `left_out`. Identifies a cached reference.
  std::string text(const std::vector<std::string>& left_out = {}) const;
  // Adds a parameter in sorted order; `name` must outlive the set.
  void add(const char* name, std::int64_t value);

 private:
  friend class Binding;
  std::vector<ks_param> params_;
};

class Binding {
 public:
  // Columns that neither family nor variant declares are left out, unless the family takes any.
  Binding(const ks_family& family, const ks_variant& variant, const std::vector<std::string>& columns);

  Binding(Binding&&) = default;  // a copy's defaults would point into the original

  // Error: a required parameter is not set, or a value is of another kind; the message has its name.
  Status fill(const wire::JobBody& body, ParamSet& out) const;

 private:
  struct Entry {
    std::string name;
    ks_kind kind = KS_NULL;  // KS_NULL: any
    int column = -1;         // -1: no column of this name
    bool required = false;
    ks_param fallback{};  // kind KS_NULL: none
  };
  void add(const ks_param_doc& doc, const std::vector<std::string>& columns);

  std::vector<Entry> entries_;              // sorted by name
  std::deque<std::string> fallback_texts_;  // stable addresses
};

}  // namespace kernsweep
