#include "tests/fuzz/stand_ins/stand_ins.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "shared/base/log.hpp"
#include "shared/base/result.hpp"
#include "shared/base/stop_signal.hpp"

namespace kernsweep {
namespace {

std::atomic<std::int64_t> ahead_ns{0};
std::atomic<int> stops{0};
std::atomic<std::uint64_t> lines{0};

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { KS_ASSERT(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0); }
};
const Pipe& stop_pipe() {
  static const Pipe one;
  return one;
}

}  // namespace

namespace fuzz {

void leap(Duration ahead) {
  ahead_ns.fetch_add(ahead.count());
}

void ask_to_stop() {
  stops.fetch_add(1);
  const char byte = 1;
  KS_ASSERT(write(stop_pipe().ends[1], &byte, 1) == 1);
}

void forget_stops() {
  stops.store(0);
  StopSignal().acknowledge();
}

std::uint64_t unread_lines() {
  return lines.load();
}

}  // namespace fuzz

Status StopSignal::prepare() {
  return Done{};
}
StopSignal::StopSignal() = default;

int StopSignal::descriptor() const {
  return stop_pipe().ends[0];
}
int StopSignal::count() const {
  return stops.load();
}
void StopSignal::acknowledge() {
  char bytes[16];
  while (read(stop_pipe().ends[0], bytes, sizeof bytes) > 0) {
  }
}

void set_log_level(LogLevel) {}
void announce(const std::string&) {}
void complain(const std::string&) {}
void log_quietly(LogLevel, const std::string&) {}
Status open_log_file(const std::string&) {
  return Done{};
}
bool log_file_is_open() {
  return false;
}
std::vector<LogField> fields_of(const AttemptId&) {
  return {};
}
void log_event(std::string_view, const std::vector<LogField>&) {}
void log_line(LogLevel, const std::string& text) {
  if (text.find("cannot be read") != std::string::npos) lines.fetch_add(1);
}

}  // namespace kernsweep

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  const std::int64_t ns = at.tv_sec * 1'000'000'000LL + at.tv_nsec + kernsweep::ahead_ns.load();
  return time_point(nanoseconds(ns));
}
