#include <nlohmann/json.hpp>

#include "shared/text/json_line.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep {
std::string json_line(const std::vector<LogField>& fields) {
  nlohmann::ordered_json line;
  line["time"] = utc_text(unix_now(), 3);
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.name)] = value; }, field.value);
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kernsweep
