#include "shared/text/moment.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>

namespace kernsweep {

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string utc_text(double unix_s, int decimals) {
  constexpr double kYear10000 = 253402300800;
  if (!(unix_s >= 0 && unix_s < kYear10000)) return "";
  const auto whole = static_cast<std::time_t>(unix_s);
  std::tm utc{};
  if (gmtime_r(&whole, &utc) == nullptr) return "";
  std::string part;
  if (decimals > 0) {
    const double scale = std::pow(10, decimals);
    const double share = std::floor((unix_s - static_cast<double>(whole)) * scale);
    part = fmt::format(".{:0{}}", static_cast<std::int64_t>(share), decimals);
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, part);
}

}  // namespace kernsweep
