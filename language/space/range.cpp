#include "language/space/range.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

Result<Value> read_number(const Node& node, const std::string& what) {
  if (node.is_scalar() && !node.quoted) {
    Value value = value_of_scalar(node.scalar);
    if (value.number()) return value;
  }
  return wrong(node, fmt::format("{} takes numbers, not {}", what, describe(node)));
}

Result<std::vector<Value>> numbers_of(const Node& node, const std::string& what, std::size_t most) {
  if (!node.is_sequence() || node.items.size() < 2 || node.items.size() > most) {
    return wrong(
        node,
        fmt::format("{} takes a list [from, to{}], not {}", what, most == 3 ? "] or [from, to, step" : "",
                    node.is_sequence() ? fmt::format("{} values", node.items.size()) : describe(node)));
  }
  std::vector<Value> out;
  for (const Node& item : node.items) {
    KS_ASSIGN_OR_RETURN(auto number, read_number(item, what));
    out.push_back(std::move(number));
  }
  return out;
}

// Rounds to 12 digits, so that the fourth value of 0, 0.1, ... is 0.3 and not 0.30000000000000004.
double rounded(double number) {
  const std::string digits = fmt::format("{:.12g}", number);
  double out = number;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

// Error if a whole number at the start is another one in these digits.
Status check_start(const std::string& name, const Node& range, const Value& first) {
  const Value low = value_of_scalar(range.items.front().scalar);
  if (low.integer() == nullptr || is_same_number(low, first)) return Done{};
  return wrong(range,
               fmt::format("axis '{}': a range with fractions has 12 digits, and {} would become {}; list "
                           "its values",
                           name, low.to_text(), first.to_text()));
}

tl::unexpected<Error> too_many(const Node& node, const std::string& name, double count) {
  return wrong(
      node,
      fmt::format("axis '{}' would have {:.4g} values here, at most {} can be listed; only a range of "
                  "whole numbers with a `step` may be longer",
                  name, count, kListedValuesMax));
}

void say_missed_end(const Node& node, const std::string& name, const Value& last, const Value& end,
                    std::vector<std::string>& notes) {
  notes.push_back(fmt::format("{}: the range of '{}' ends at {} and misses {}", where(node), name,
                              last.to_text(), end.to_text()));
}

AxisField integers(const std::string& name, std::vector<Value> values) {
  return AxisField{name, ValueKind::integer, ValueList(std::move(values)), {}};
}

Result<AxisField> whole_steps(const std::string& name, const Node& node, std::int64_t low,
                              std::int64_t high, std::int64_t step, std::vector<std::string>& notes) {
  const std::uint64_t distance = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t steps = distance / static_cast<std::uint64_t>(step);
  if (steps >= (std::uint64_t{1} << 62)) {
    return wrong(node, fmt::format("axis '{}' would have more than 2^62 values", name));
  }
  AxisField field{name, ValueKind::integer, ValueList::arithmetic(low, step, steps + 1), {}};
  if (distance % static_cast<std::uint64_t>(step) != 0) {
    Value last;
    field.values.get(steps, last);
    say_missed_end(node, name, last, high, notes);
  }
  return field;
}

Result<AxisField> real_steps(const std::string& name, const Node& node, double low, double high,
                             double step, std::vector<std::string>& notes) {
  // With a small tolerance: 0 to 1 in steps of 0.1 has 11 values although 0.1 is not exact.
  const double exact = (high - low) / step;
  const double steps = std::floor(exact + 1e-9);
  if (!(steps < static_cast<double>(kListedValuesMax))) {
    return too_many(node, name, steps + 1);
  }
  std::vector<Value> values;
  for (double i = 0; i <= steps; ++i) {
    values.emplace_back(rounded(low + i * step));
  }
  KS_RETURN_IF_ERROR(check_start(name, node, values.front()));
  if (exact - steps > 1e-9) say_missed_end(node, name, values.back(), Value(high), notes);
  return AxisField{name, ValueKind::real, ValueList(std::move(values)), {}};
}

Result<AxisField> whole_factors(const std::string& name, const Node& node, std::int64_t low,
                                std::int64_t high, std::int64_t factor, std::vector<std::string>& notes) {
  std::vector<Value> values;
  for (std::int64_t value = low;;) {
    values.emplace_back(value);
    std::int64_t next = 0;
    if (__builtin_mul_overflow(value, factor, &next) || next > high) {
      if (value != high) say_missed_end(node, name, value, high, notes);
      return integers(name, std::move(values));
    }
    value = next;
  }
}

Result<AxisField> real_factors(const std::string& name, const Node& node, double low, double high,
                               double factor, std::vector<std::string>& notes) {
  std::vector<Value> values;
  const double steps = std::floor(std::log(high / low) / std::log(factor) + 1e-9);
  if (!(steps < static_cast<double>(kListedValuesMax))) {
    return too_many(node, name, steps + 1);
  }
  for (double i = 0; i <= steps; ++i) values.emplace_back(rounded(low * std::pow(factor, i)));
  KS_RETURN_IF_ERROR(check_start(name, node, values.front()));
  if (std::abs(*values.back().real() - high) > 1e-9 * std::abs(high)) {
    say_missed_end(node, name, values.back(), Value(high), notes);
  }
  return AxisField{name, ValueKind::real, ValueList(std::move(values)), {}};
}

Result<AxisField> read_powers(const std::string& name, const Node& node) {
  KS_ASSIGN_OR_RETURN(const auto ends, numbers_of(node, "pow2", 3));
  std::int64_t exponents[3] = {0, 0, 1};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto* whole = ends[i].integer();
    if (whole == nullptr || *whole < 0 || *whole > 62) {
      return wrong(node.items[i],
                   fmt::format("pow2 takes whole exponents from 0 to 62, not {}", node.items[i].scalar));
    }
    exponents[i] = *whole;
  }
  if (exponents[2] == 0) return wrong(node.items[2], "the step of pow2 must be above 0");
  if (exponents[0] > exponents[1]) {
    return wrong(node,
                 fmt::format("pow2 goes from {} down to {}; an axis rises", exponents[0], exponents[1]));
  }
  std::vector<Value> values;
  for (std::int64_t e = exponents[0]; e <= exponents[1]; e += exponents[2])
    values.emplace_back(std::int64_t{1} << e);
  return integers(name, std::move(values));
}

struct Growth {
  Value by = 1;
  bool multiplies = false;
};

Result<Growth> growth_of(const Node& spec) {
  const Node* step = spec.find("step");
  const Node* mul = spec.find("mul");
  if (step != nullptr && mul != nullptr) return wrong(*mul, "a range has `step` or `mul`, not both");
  const Node* node = step != nullptr ? step : mul;
  if (node == nullptr) return Growth{};
  KS_ASSIGN_OR_RETURN(auto number, read_number(*node, step != nullptr ? "step" : "mul"));
  const double least = step != nullptr ? 0 : 1;
  if (!(*number.number() > least)) {
    return wrong(*node, fmt::format("{} must be above {}, not {}", step != nullptr ? "step" : "mul", least,
                                    node->scalar));
  }
  return Growth{number, mul != nullptr};
}

}  // namespace

Result<AxisField> read_range(const std::string& name, const Node& spec, std::vector<std::string>& notes) {
  if (const Node* powers = spec.find("pow2")) {
    for (const char* other : {"step", "mul"}) {
      if (const Node* misplaced = spec.find(other)) {
        return wrong(*misplaced,
                     fmt::format("`{}` belongs to `range`; a third number is the step of pow2", other));
      }
    }
    auto field = read_powers(name, *powers);
    if (field && powers->items.size() == 3) {
      Value last;
      field->values.get(field->values.size() - 1, last);
      const std::int64_t end = std::int64_t{1} << *value_of_scalar(powers->items[1].scalar).integer();
      if (*last.integer() != end) say_missed_end(*powers, name, last, end, notes);
    }
    return field;
  }
  const Node& node = *spec.find("range");
  KS_ASSIGN_OR_RETURN(const auto ends, numbers_of(node, "range", 2));
  KS_ASSIGN_OR_RETURN(const auto growth, growth_of(spec));
  const Value &low = ends[0], &high = ends[1];
  const bool ends_whole = low.integer() != nullptr && high.integer() != nullptr;
  if (ends_whole ? *low.integer() > *high.integer() : *low.number() > *high.number()) {
    return wrong(node, fmt::format("the range goes from {} down to {}; an axis rises", low.to_text(),
                                   high.to_text()));
  }
  const bool whole =
      low.integer() != nullptr && high.integer() != nullptr && growth.by.integer() != nullptr;
  if (!growth.multiplies) {
    return whole ? whole_steps(name, node, *low.integer(), *high.integer(), *growth.by.integer(), notes)
                 : real_steps(name, node, *low.number(), *high.number(), *growth.by.number(), notes);
  }
  if (!(*low.number() > 0)) return wrong(node, "a range with `mul` starts above 0");
  return whole ? whole_factors(name, node, *low.integer(), *high.integer(), *growth.by.integer(), notes)
               : real_factors(name, node, *low.number(), *high.number(), *growth.by.number(), notes);
}

}  // namespace kernsweep
