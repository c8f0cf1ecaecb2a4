// Any bytes as an expression: it is refused with a column, or compiled and run on values of all kinds.
//
// Promises tried: no crash, no sanitizer's complaint; the same question has the same answer; holds() and
// evaluate() agree about failing; every message begins with a column.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression/expression.hpp"
#include "shared/base/result.hpp"

namespace {

using kernsweep::Null;
using kernsweep::Value;

const std::vector<Value>& values_to_try() {
  static const std::vector<Value> values = {
      Value(7),
      Value("f32"),
      Value(0),
      Value(-1),
      Value(2.5),
      Value(std::numeric_limits<std::int64_t>::min()),
      Value(Null{}),
      Value(true),
      Value(std::numeric_limits<std::int64_t>::max()),
      Value(-0.0),
      Value(""),
      Value(1e308),
      Value(std::numeric_limits<double>::infinity()),
      Value(std::numeric_limits<double>::quiet_NaN()),
      Value("\xc3\xa9 and bytes that are no UTF-8: \xff"),
      Value(9007199254740993),
      Value(5e-324),
  };
  return values;
}

std::string canonical(const Value& value) {
  std::string out;
  value.append_canonical(out);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto expression = kernsweep::Expression::parse(text);
  if (!expression) {
    KS_ASSERT(expression.error().message.rfind("column ", 0) == 0);
    return 0;
  }
  KS_ASSERT(expression->text() == text);
  const auto& tried = values_to_try();
  for (std::size_t first = 0; first < tried.size(); first += 3) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < expression->names().size(); ++i)
      values.push_back(tried[(first + i) % tried.size()]);
    const auto value = expression->evaluate(values);
    const auto again = expression->evaluate(values);
    const auto holds = expression->holds(values);
    KS_ASSERT(value.has_value() == again.has_value() && value.has_value() == holds.has_value());
    if (value) {
      KS_ASSERT(canonical(*value) == canonical(*again));
    } else {
      KS_ASSERT(value.error().message.rfind("column ", 0) == 0);
    }
  }
  return 0;
}
