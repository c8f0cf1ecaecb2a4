#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "shared/base/log.hpp"
#include "shared/text/json_line.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

// Never destroyed, because threads that run longer than main may still log.
spdlog::logger& logger() {
  static auto* const instance = [] {
    auto* made = new spdlog::logger("kernsweep", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *instance;
}

// Null if there is no log file. Never destroyed either.
spdlog::logger* file = nullptr;

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

// Indents all lines but the first, so that a peer's text cannot imitate a line of this log.
std::string indented(const std::string& text) {
  std::string out;
  for (const char c : for_terminal(text)) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return out;
}

// Logs this once, and only on stderr, because the file cannot be written.
void tell_of_lost_lines(const std::string& why) {
  static std::atomic<bool> logged = false;
  if (!logged.exchange(true))
    logger().warn(spdlog::string_view_t("the log file loses lines: " + for_terminal(why)));
}

// Flushes each line, so that a crash loses no line that was written before.
void write_line(const std::vector<LogField>& fields) {
  file->log(spdlog::level::info, spdlog::string_view_t(json_line(fields)));
}

}  // namespace

void set_log_level(LogLevel least) {
  logger().set_level(level_of(least));
}

void log_line(LogLevel level, const std::string& text) {
  logger().log(level_of(level), spdlog::string_view_t(indented(text)));
  log_quietly(level, text);
}

void announce(const std::string& text) {
  const std::string shown = indented(text);
  const spdlog::details::log_msg line(spdlog::source_loc{}, logger().name(), spdlog::level::info, shown);
  for (const auto& sink : logger().sinks()) {
    sink->log(line);
    sink->flush();
  }
  log_quietly(LogLevel::info, text);
}

void complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", for_terminal(text).c_str());
  log_quietly(LogLevel::error, text);
}

void log_quietly(LogLevel level, const std::string& text) {
  if (!file) return;
  const auto name = spdlog::level::to_string_view(level_of(level));
  write_line({{"level", std::string(name.data(), name.size())}, {"text", text}});
}

Status open_log_file(const std::string& path) {
  try {
    auto* made =
        new spdlog::logger("kernsweep log file", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
    made->set_pattern("%v");
    made->flush_on(spdlog::level::trace);
    made->set_error_handler(tell_of_lost_lines);  // a full disk must have no other effect
    file = made;
    return Done{};
  } catch (const spdlog::spdlog_ex&) {
    return failure("the log file " + path + " cannot be opened for writing: " + std::strerror(errno));
  }
}

bool log_file_is_open() {
  return file != nullptr;
}

void log_event(std::string_view event, const std::vector<LogField>& fields) {
  if (!file) return;
  std::vector<LogField> all;
  all.reserve(fields.size() + 1);
  all.push_back({"event", std::string(event)});
  all.insert(all.end(), fields.begin(), fields.end());
  write_line(all);
}

std::vector<LogField> fields_of(const AttemptId& attempt) {
  std::vector<LogField> fields{{"sweep", std::uint64_t{attempt.job.sweep.value}},
                               {"job", attempt.job.index},
                               {"attempt", std::uint64_t{attempt.number}}};
  const std::uint32_t times = times_restarted(attempt.job.host);
  if (times > 0)
    fields.push_back({"restarted", std::uint64_t{times}});
  else if (attempt.job.host != 0)
    fields.push_back({"job_host", std::uint64_t{attempt.job.host}});
  return fields;
}

}  // namespace kernsweep
