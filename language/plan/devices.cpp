// The columns `device` and `gpus`: which jobs get GPUs, and how that changes the rules.
#include <fmt/format.h>

#include "language/check/devices.hpp"
#include "language/file/setting.hpp"
#include "language/plan/builder.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// A rule of the language, written as an expression that no file contains. It has the place of the column.
Node rule_of_language(const std::string& text, const std::string& file = "", Place place = {}) {
  Node node;
  node.source = std::make_shared<const TextSource>(
      TextSource{place.line > 0 ? file : std::string("`device` and `gpus`"), place.line > 0});
  node.place = place;
  node.scalar = text;
  return node;
}

Result<Formula> formula_of_language(const std::string& text, std::string why, const std::string& file = "",
                                    Place place = {}) {
  const Node node = rule_of_language(text, file, place);
  KS_ASSIGN_OR_RETURN(auto expression, read_expression(node, "expr"));
  return Formula{"", std::move(why), std::move(expression), node};
}

Status check_value(const std::string& column, const Value& value, const std::string& where) {
  if (const auto wrong = why_no_device(column, value); !wrong.empty()) return failure(where + ": " + wrong);
  return Done{};
}

}  // namespace

Status PlanBuilder::add_devices() {
  const auto place_of = [this](std::uint32_t column) {
    return place_text(plan_->sweep, plan_->sweep.columns[column].place);
  };
  if (const auto visible = column_named("env.CUDA_VISIBLE_DEVICES")) {
    return failure(place_of(*visible) +
                   ": the worker sets CUDA_VISIBLE_DEVICES, to the GPUs that a job got; the axis "
                   "`device: [gpu]` or `gpus` gives it some");
  }
  for (const char* name : {"device", "gpus"}) {
    const auto column = column_named(name);
    if (!column || plan_->sweep.columns[*column].origin != Column::Origin::derived) continue;
    return failure(fmt::format("{}: '{}' says what a job gets, so it is an axis and cannot be derived",
                               place_of(*column), name));
  }
  const bool device = column_named("device").has_value();
  const bool gpus = column_named("gpus").has_value();
  if (!device && !gpus) return Done{};
  KS_RETURN_IF_ERROR(check_device_axes());
  if (device && gpus) {
    const Sweep& sweep = plan_->sweep;
    const Place place = sweep.columns[*column_named("gpus")].place;
    auto both = formula_of_language(R"(device != "cpu" or gpus in [null, 0])",
                                    "a job on the processor gets no GPU", file_text(sweep), place);
    auto none = formula_of_language(R"(device != "gpu" or gpus != 0)", "a job on a GPU gets one or more",
                                    file_text(sweep), place);
    KS_RETURN_IF_ERROR(both);
    KS_RETURN_IF_ERROR(none);
    document_.constraints.push_back(std::move(*both));
    document_.constraints.push_back(std::move(*none));
  }
  if (document_.alone_on_given) return Done{};
  KS_ASSIGN_OR_RETURN(auto when,
                      formula_of_language(!gpus     ? R"(device == "gpu")"
                                          : !device ? "gpus not in [null, 0]"
                                                    : R"(device == "gpu" or gpus not in [null, 0])",
                                          ""));
  const std::string path = "measure.alone_on";
  const SettingPath setting = setting_at(path);
  OverrideEntry entry{std::move(when), {Assignment{setting.key, path, rule_of_language("core")}}};
  document_.overrides.insert(document_.overrides.begin(), std::move(entry));  // the file has precedence
  return Done{};
}

// In a range only the first and the last value are checked.
Status PlanBuilder::check_device_axes() const {
  for (const auto& axis : plan_->axes) {
    for (const auto& field : axis.fields) {
      if (field.name != "device" && field.name != "gpus") continue;
      Value value;
      const std::uint64_t rows = field.values.size();
      const std::uint64_t step = field.values.listed().empty() ? std::max<std::uint64_t>(rows - 1, 1) : 1;
      for (std::uint64_t row = 0; row < rows; row += step) {
        field.values.get(row, value);
        const auto& where = row < axis.rows_at.size() ? axis.rows_at[row] : axis.where;
        KS_RETURN_IF_ERROR(check_value(field.name, value, where));
      }
    }
  }
  return Done{};
}

Status PlanBuilder::check_included_devices() {
  for (const char* name : {"device", "gpus"}) {
    const auto column = column_named(name);
    if (!column) continue;
    for (const auto& point : plan_->includes) {
      KS_RETURN_IF_ERROR(check_value(name, point.values[*column], point.where));
    }
  }
  return Done{};
}

}  // namespace kernsweep
