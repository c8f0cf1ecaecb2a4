#include "worker/slot/isolated/parameters.hpp"

#include <algorithm>

#include "worker/slot/job/binding.hpp"

namespace kernsweep {

IsolatedParameters::IsolatedParameters(const wire::IsolatedPoint& point) {
  for (const auto& [name, value] : point.params()) params_.push_back(param_of(name.c_str(), value));
  std::ranges::sort(params_,
                    [](const ks_param& a, const ks_param& b) { return std::strcmp(a.name, b.name) < 0; });
}

void write_point(const char* variant, const ks_params& params, wire::IsolatedPoint& out) {
  out.set_variant(variant);
  for (std::size_t i = 0; i < params.count; ++i) {
    const ks_param& param = params.items[i];
    wire::Value& value = (*out.mutable_params())[param.name];
    switch (param.kind) {
      case KS_BOOLEAN:
        value.set_boolean(param.integer != 0);
        break;
      case KS_INTEGER:
        value.set_integer(param.integer);
        break;
      case KS_FLOAT:
        value.set_real(param.real);
        break;
      case KS_TEXT:
        value.set_text(param.text);
        break;
      case KS_NULL:
        break;
    }
  }
}

}  // namespace kernsweep
