#include "language/check/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/space/axis.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

std::string why_no_device(const std::string& column, const Value& value) {
  if (value.is_null()) return "";
  if (column == "device") {
    if (value.text() != nullptr && (*value.text() == "cpu" || *value.text() == "gpu")) return "";
    return fmt::format(
        "device is cpu or gpu, not '{}'; the worker that runs a job decides which GPU it gets; give "
        "another name to what a kernel calls its device",
        value.to_text());
  }
  const auto* count = value.integer();
  if (count != nullptr && *count >= 0 && *count <= kGpusOfJobMax) return "";
  return fmt::format("gpus takes whole numbers from 0 to {}, not '{}'", kGpusOfJobMax, value.to_text());
}

std::uint32_t gpus_of(const Value* device, const Value* gpus) {
  if (gpus != nullptr && gpus->integer() != nullptr)
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(*gpus->integer(), 0, kGpusOfJobMax));
  const bool named = device != nullptr && device->text() != nullptr && *device->text() == "gpu";
  return named ? 1 : 0;
}

bool asks_for_gpus(const Expansion& expansion) {
  const auto names_one = [](const std::string& column, const Value& value) {
    return column == "device" ? gpus_of(&value, nullptr) > 0
                              : column == "gpus" && gpus_of(nullptr, &value) > 0;
  };
  Value value;
  for (const auto& axis : expansion.axes()) {
    for (const auto& field : axis.fields) {
      const std::uint64_t last = field.name == "gpus" || field.name == "device" ? field.values.size() : 0;
      for (std::uint64_t row = 0; row < last; ++row) {
        field.values.get(row, value);
        if (names_one(field.name, value)) return true;
      }
    }
  }
  const auto& columns = expansion.sweep().columns;
  Point point;
  const std::uint64_t points = expansion.raw_points();
  for (std::uint64_t i = points - expansion.included_points(); i < points; ++i) {
    expansion.point_at(i, point);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (names_one(columns[c].name, point.values[c])) return true;
    }
  }
  return false;
}

}  // namespace kernsweep
