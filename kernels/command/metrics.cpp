#include "kernels/command/metrics.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>

#include "kernels/pack_parts.hpp"
#include "shared/text/command_line.hpp"

namespace kernsweep::command {
namespace {

constexpr time_t kLongAgo = 1;  // seconds since 1970

std::vector<std::string> words_in(const ks_params& params, std::string_view name) {
  return command_words(kernsweep::text_of(params, std::string(name).c_str()))
      .value_or(std::vector<std::string>());
}

}  // namespace

std::unique_ptr<Metrics> Metrics::of(const ks_params& params) {
  const char* const text = kernsweep::text_of(params, std::string(kMetricsColumn).c_str());
  if (*text == '\0') return nullptr;
  auto out = std::make_unique<Metrics>();
  out->printed_ = printed_values_of(text);
  out->hint_ = kernsweep::text_of(params, std::string(kMetricsHintColumn).c_str());
  if (const auto file = words_in(params, kMetricsFileColumn); !file.empty()) out->source_ = file.front();
  for (const std::string& word : words_in(params, kMetricsRowColumn)) {
    const auto equals = std::min(word.find('='), word.size());
    out->row_.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return out;
}

void Metrics::prepare(ProcessRun& runs, Report& report) const {
  if (source_ == "stdout") report.keep(kReadMost);
  if (source_ == "stderr") runs.keep_errors(kReadMost);
}

void Metrics::before_run() const {
  if (!is_file()) return;
  const timespec times[2] = {{0, UTIME_OMIT}, {kLongAgo, 0}};
  utimensat(AT_FDCWD, source_.c_str(), times, 0);  // fails if there is no such file
}

std::string Metrics::read_file(std::string& text) const {
  struct stat found {};
  if (stat(source_.c_str(), &found) != 0)
    return "metrics: the command has not written " + source_ + " (" + strerror(errno) +
           "); `from` is a path from the folder of the worker";
  if (!S_ISREG(found.st_mode)) return "metrics: " + source_ + " is not a regular file";
  if (found.st_mtim.tv_sec == kLongAgo)
    return "metrics: the command has not written " + source_ + " in this run; what it has is older";
  if (static_cast<std::size_t>(found.st_size) > kReadMost)
    return "metrics: " + source_ + " has more than 64 MiB; let the command write less";
  std::ifstream file(source_, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file) return "metrics: " + source_ + " cannot be read";
  text = std::move(all).str();
  return "";
}

std::string Metrics::take_text(const ProcessRun& runs, const Report& report, std::string& text) const {
  if (is_file()) return read_file(text);
  if (source_ == "stderr") text = runs.errors();
  return source_ == "stdout" && report.is_cut()
             ? "metrics: the command printed more than 64 MiB; let it print less, or read a file"
             : "";
}

std::string Metrics::read(const std::string& text, Report& report) {
  const std::string_view printed = source_ == "stdout" ? report.output() : std::string_view(text);
  return read_printed(printed_, printed, source_, row_, hint_, report, samples_);
}

}  // namespace kernsweep::command
