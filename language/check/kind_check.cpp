#include "language/check/kind_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "language/space/axis.hpp"
#include "language/space/permutation.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {
namespace {

// A column with values that a parameter does not accept.
struct Clash {
  std::size_t column = 0;
  const CatalogueVariant* variant = nullptr;  // the variant that has the parameter
  const CatalogueParameter* parameter = nullptr;
  bool of_family = false;
};

// Whether `value`, from a column that does not fit `kind`, would fit if it were the only value: the 1 in
// [1, one] is an integer although the axis is text, and so is the 1 in [1, 2.5].
bool fits_as_written(std::string_view kind, const Value& value) {
  if (const auto* text = value.text()) {
    const Value plain = value_of_scalar(*text);
    return !plain.is_null() && is_value_of(kind, plain);
  }
  const auto* real = value.real();
  return real != nullptr && kind == "integer" && *real == std::floor(*real);
}

std::string_view called(const Value& value) {
  if (value.text() != nullptr) return "text";
  if (value.boolean() != nullptr) return "a boolean";
  return value.integer() != nullptr ? "an integer" : "a float";
}

struct Need {
  std::string_view kind, what, how;
};

const Need& need_of(std::string_view kind) {
  static constexpr Need kNeeds[] = {
      {"integer", "an integer", "write whole numbers, without point or quotes"},
      {"float", "a number", "write plain numbers, without quotes"},
      {"boolean", "true or false", "write true or false, without quotes"},
      {"text", "text", "put the values in quotes"}};
  const auto* found = std::find_if(std::begin(kNeeds), std::end(kNeeds),
                                   [&](const Need& need) { return need.kind == kind; });
  KS_ASSERT(found != std::end(kNeeds));  // any other kind accepts every value
  return *found;
}

class KindCheck {
 public:
  KindCheck(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family)
      : sweep_(sweep), expansion_(expansion), family_(family) {}

  Status run() {
    find_clashes();
    if (clashes_.empty()) return Done{};
    const Clash* clash = first_measured();
    return clash == nullptr ? Status(Done{}) : refusal(*clash);
  }

 private:
  void find_clashes() {
    for (std::size_t c = 0; c < sweep_.columns.size(); ++c) {
      const Column& column = sweep_.columns[c];
      if (column.name == "variant") variant_column_ = c;
      if (column.is_computed()) continue;
      const Value value = any_value(c);
      for (const auto& variant : family_.variants) {
        for (const auto* parameters : {&family_.parameters, &variant.parameters}) {
          for (const auto& parameter : *parameters) {
            if (parameter.name == column.name && !is_value_of(parameter.kind, value))
              clashes_.push_back({c, &variant, &parameter, parameters == &family_.parameters});
          }
        }
      }
    }
  }

  // The axis and field of the column; null if only includes set it.
  std::pair<const Axis*, const AxisField*> field_of(std::size_t column) const {
    for (const auto& axis : expansion_.axes()) {
      for (const auto& field : axis.fields) {
        if (field.name == sweep_.columns[column].name) return {&axis, &field};
      }
    }
    return {nullptr, nullptr};
  }

  // Calls f(row, value) for values that are not null until it returns false; for a range only with the
  // first value.
  template <class F>
  static void for_rows(const AxisField& field, F f) {
    const std::uint64_t rows = field.values.is_range() ? 1 : field.values.size();
    Value value;
    for (std::uint64_t row = 0; row < rows; ++row) {
      field.values.get(row, value);
      if (!value.is_null() && !f(row, value)) return;
    }
  }

  // A value of the column that is not null, if there is one: all others have the same kind.
  Value any_value(std::size_t column) const {
    Value found;
    if (const auto* field = field_of(column).second) {
      for_rows(*field, [&](std::uint64_t, const Value& value) {
        found = value;
        return false;
      });
    }
    Point point;
    for (std::uint64_t i = first_included(); i < expansion_.raw_points() && found.is_null(); ++i) {
      expansion_.point_at(i, point);
      found = point.values[column];
    }
    return found;
  }

  std::uint64_t first_included() const { return expansion_.raw_points() - expansion_.included_points(); }

  const Clash* first_measured() const {
    Point point;
    const std::uint64_t axes_make = first_included();
    const std::uint64_t tried = std::min(axes_make, kPointsTried);
    const Permutation drawn(std::max<std::uint64_t>(axes_make, 1), 0);
    for (std::uint64_t i = 0; i < tried; ++i) {
      if (const Clash* clash = clash_at(tried < axes_make ? drawn(i) : i, point)) return clash;
    }
    for (std::uint64_t i = axes_make; i < expansion_.raw_points(); ++i) {
      if (const Clash* clash = clash_at(i, point)) return clash;
    }
    return nullptr;
  }

  const Clash* clash_at(std::uint64_t position, Point& point) const {
    expansion_.point_at(position, point);
    const Value named = variant_column_ ? point.values[*variant_column_] : Value();
    for (const Clash& clash : clashes_) {
      if (point.values[clash.column].is_null()) continue;
      // A host does not need the name of the variant if there is only one.
      const bool here =
          named.is_null() ? family_.variants.size() == 1 : named.to_text() == clash.variant->name;
      if (here && !expansion_.rejection(position, point)) return &clash;
    }
    return nullptr;
  }

  // The value that decided the kind of its column, and its place.
  struct Blame {
    std::string where;
    std::optional<Value> value;  // nothing: each fits as written, but one in quotes has made all text
  };

  Blame blame(const Clash& clash) const {
    const auto [axis, field] = field_of(clash.column);
    const std::string at_axis =
        axis != nullptr ? axis->where : place_text(sweep_, sweep_.columns[clash.column].place);
    std::optional<Blame> only, guilty;
    std::size_t set = 0;
    const auto look_at = [&](const Value& value, const std::string& where) {
      if (++set == 1) only = Blame{where, value};
      if (!fits_as_written(clash.parameter->kind, value)) guilty = Blame{where, value};
      return !guilty;
    };
    if (field != nullptr) {
      for_rows(*field, [&, rows = &axis->rows_at](std::uint64_t row, const Value& value) {
        return look_at(value, row < rows->size() ? (*rows)[row] : at_axis);
      });
    }
    Point point;
    for (std::uint64_t i = first_included(); i < expansion_.raw_points() && !guilty; ++i) {
      expansion_.point_at(i, point);
      const Value& value = point.values[clash.column];
      if (!value.is_null()) look_at(value, at_axis);
    }
    if (guilty) return *guilty;
    return set == 1 ? *only : Blame{at_axis, {}};
  }

  Status refusal(const Clash& clash) const {
    const Blame found = blame(clash);
    const Value any = any_value(clash.column);
    const Need& need = need_of(clash.parameter->kind);
    return failure(fmt::format("{}: parameter '{}' of {} '{}' must be {}, but {}; {}", found.where,
                               clash.parameter->name, clash.of_family ? "kernel" : "variant",
                               clash.of_family ? family_.name : clash.variant->name, need.what,
                               found.value ? fmt::format("'{}' is {}", found.value->to_text(), called(any))
                               : any.text() != nullptr ? "its values are text"
                                                       : "its values are floats",
                               need.how));
  }

  const Sweep& sweep_;
  const Expansion& expansion_;
  const CatalogueFamily& family_;
  std::optional<std::size_t> variant_column_;
  std::vector<Clash> clashes_;
};

}  // namespace

bool is_value_of(std::string_view kind, const Value& value) {
  if (value.is_null()) return true;
  if (kind == "integer") return value.integer() != nullptr;
  if (kind == "float") return value.number().has_value();
  if (kind == "boolean") return value.boolean() != nullptr;
  return kind != "text" || value.text() != nullptr;
}

Status check_kinds(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family) {
  return KindCheck(sweep, expansion, family).run();
}

}  // namespace kernsweep
