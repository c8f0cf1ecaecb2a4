#include "language/space/axis.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernsweep {

bool is_note(std::string_view column) {
  return column == "label" || column == "count";
}

void append_identity(const Value& value, std::string& out) {
  value.append_canonical(out);
  if (const std::string* word = value.word()) Value(*word).append_canonical(out);
}

std::string_view name_of(ValueKind kind) {
  constexpr std::string_view names[] = {"integers", "numbers", "true and false", "text"};
  return names[static_cast<std::size_t>(kind)];
}

ValueKind kind_of(const std::vector<const Node*>& scalars, bool environment) {
  bool integer = !environment, real = !environment, boolean = !environment, any = false;
  for (const Node* node : scalars) {
    if (node->is_null()) continue;
    any = true;
    const Value value = node->quoted ? Value(node->scalar) : value_of_scalar(node->scalar);
    integer = integer && value.integer() != nullptr;
    real = real && (value.integer() != nullptr || value.real() != nullptr);
    boolean = boolean && value.boolean() != nullptr;
  }
  if (!any) return ValueKind::text;
  return integer   ? ValueKind::integer
         : real    ? ValueKind::real
         : boolean ? ValueKind::boolean
                   : ValueKind::text;
}

std::optional<Value> value_in_kind(const Node& scalar, ValueKind kind) {
  if (scalar.is_null()) return Value(Null{});
  if (kind == ValueKind::text) return Value(scalar.scalar);
  if (scalar.quoted) return std::nullopt;
  const Value value = value_of_scalar(scalar.scalar);
  if (kind == ValueKind::integer) return value.integer() != nullptr ? std::optional(value) : std::nullopt;
  if (kind == ValueKind::boolean) return value.boolean() != nullptr ? std::optional(value) : std::nullopt;
  const auto number = value.number();
  return number ? std::optional(Value(*number)) : std::nullopt;
}

Status check_exact(const Node& scalar, const std::string& column, ValueKind kind, bool keeps_word) {
  const Value value = scalar.quoted ? Value() : value_of_scalar(scalar.scalar);
  if (kind != ValueKind::real || keeps_word || value.integer() == nullptr) return Done{};
  const auto rounded = static_cast<double>(*value.integer());
  if (is_same_number(value, Value(rounded))) return Done{};
  return wrong(scalar,
               fmt::format("'{0}' has fractions, next to which {1} would become {2:.1f}; write {2:.1f} if "
                           "that is meant, or give '{0}' whole numbers only",
                           column, value.to_text(), rounded));
}

ValueList ValueList::arithmetic(std::int64_t low, std::int64_t step, std::uint64_t count) {
  ValueList list;
  list.low_ = low;
  list.step_ = step;
  list.count_ = count;
  list.is_range_ = true;
  return list;
}

void ValueList::get(std::uint64_t row, Value& out) const {
  if (is_range_) {
    // Unsigned, because row * step may exceed 2^63 - 1 between a negative start and a positive value.
    out = static_cast<std::int64_t>(static_cast<std::uint64_t>(low_) +
                                    row * static_cast<std::uint64_t>(step_));
  } else {
    out = values_[row];
  }
}

bool ValueList::holds_at(std::uint64_t row, const Value& value) const {
  if (!is_range_) return values_[row] == value;
  Value mine;
  get(row, mine);
  return mine == value;
}

std::optional<std::uint64_t> ValueList::row_of(const Value& value) const {
  if (!is_range_) {
    const auto found = std::find(values_.begin(), values_.end(), value);
    if (found == values_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - values_.begin());
  }
  const auto* integer = value.word() == nullptr ? value.integer() : nullptr;
  if (integer == nullptr || count_ == 0 || *integer < low_) return std::nullopt;
  const std::uint64_t distance = static_cast<std::uint64_t>(*integer) - static_cast<std::uint64_t>(low_);
  const auto step = static_cast<std::uint64_t>(step_);
  if (distance % step != 0 || distance / step >= count_) return std::nullopt;
  return distance / step;
}

}  // namespace kernsweep
