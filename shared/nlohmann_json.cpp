#include <fmt/chrono.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "shared/json_line.hpp"

namespace kernsweep {
namespace {

std::string time_text() {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  const auto whole = floor<std::chrono::seconds>(now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(system_clock::to_time_t(whole)),
                     (now - whole).count());
}

}  // namespace

std::string json_line(const std::vector<LogField>& fields) {
  nlohmann::ordered_json line;
  line["time"] = time_text();
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.name)] = value; }, field.value);
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kernsweep
