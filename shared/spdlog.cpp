#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "shared/log.hpp"

namespace kernsweep {
namespace {

// Never destroyed: threads that outlive main may still have something to say.
spdlog::logger& logger() {
  static auto* const instance = [] {
    auto* made = new spdlog::logger("kernsweep", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void set_log_level(LogLevel least) {
  logger().set_level(level_of(least));
}
void log_line(LogLevel level, const std::string& text) {
  logger().log(level_of(level), text);
}

}  // namespace kernsweep
