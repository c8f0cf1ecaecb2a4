#include "worker/slot/job/built_files.hpp"

#include <algorithm>
#include <array>

#include "shared/text/command_line.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {
namespace {

constexpr std::array<std::string_view, 5> kUsers = {"command", "command.line", "command.setup",
                                                    "command.cleanup", kBuiltColumn};

// The text of a column with the path replacing {build}: words of a command, or the path alone.
std::string filled_in(std::string_view column, const std::string& text, const std::string& path) {
  return column == kBuiltColumn ? path : with_place(text, kBuildPlace, path);
}

int plan_column(const wire::Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.columns(), name);
  return found == plan.columns().end() ? -1 : static_cast<int>(found - plan.columns().begin());
}

const wire::Built* built_by(const wire::JobBody& body, const std::string& command) {
  const auto found = std::ranges::find(body.built(), command, &wire::Built::command);
  return found == body.built().end() ? nullptr : &*found;
}

// The value in a reference that is another setting.
const wire::Value& other_value(const wire::JobBody& body, int column) {
  const auto found = body.replaced().find(static_cast<std::uint32_t>(column));
  return found == body.replaced().end() ? body.values(column) : found->second;
}

}  // namespace

const wire::Built* own_build(const wire::Plan& plan, const wire::JobBody& body) {
  if (body.built().empty()) return nullptr;
  const int column = plan_column(plan, kBuildColumn);
  return column < 0 || column >= body.values_size() ? nullptr : built_by(body, body.values(column).text());
}

void fill_in_builds(const wire::Plan& plan, wire::JobBody& body) {
  if (body.built().empty()) return;
  const int build_column = plan_column(plan, kBuildColumn);
  if (build_column < 0 || build_column >= body.values_size()) return;
  const wire::Built* const own = built_by(body, body.values(build_column).text());
  const wire::Built* const other = built_by(body, other_value(body, build_column).text());
  for (const std::string_view name : kUsers) {
    const int column = plan_column(plan, name);
    if (column < 0 || column >= body.values_size()) continue;
    const std::string before = other_value(body, column).text();
    const auto uses = [](const std::string& text) { return text.find(kBuildPlace) != std::string::npos; };
    if (other && other != own && uses(before))
      (*body.mutable_replaced())[static_cast<std::uint32_t>(column)].set_text(
          filled_in(name, before, other->path()));
    std::string& text = *body.mutable_values(column)->mutable_text();
    if (own && uses(text)) text = filled_in(name, text, own->path());
  }
}

}  // namespace kernsweep
