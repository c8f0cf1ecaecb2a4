#include "kernels/command/sources.hpp"

#include <unistd.h>

#include "shared/lists/executable.hpp"
#include "shared/lists/launched_program.hpp"
#include "shared/lists/started_files.hpp"

namespace kernsweep::command {
namespace {

std::vector<std::string> environment_now() {
  std::vector<std::string> lines;
  for (const char* const* line = environ; line != nullptr && *line != nullptr; ++line)
    lines.emplace_back(*line);
  return lines;
}

}  // namespace

void report_words(const ks_context& context, const std::vector<std::string>& given,
                  const std::string& program, const std::string& written) {
  const kernsweep::Launched by = kernsweep::is_launcher(given.front())
                                     ? kernsweep::launched_by(given, environment_now())
                                     : kernsweep::Launched{given, given.size(), "", {}, {}};
  for (std::size_t i = 1; i < by.words.size(); ++i) {
    const std::string& word = by.words[i];
    const std::string path = i < by.at    ? word
                             : i == by.at ? path_of_program(by, word)
                                          : path_of_word(by, word);
    const auto equals = word.find('=');
    if (path == written) continue;
    if (is_file(path)) {
      const bool is_started = i == by.at || (i > by.at && access(path.c_str(), X_OK) == 0);
      const std::string name = is_started ? name_of_launched(by, word) : word;
      context.report_source(context.host, is_started ? "started" : "word", name.c_str(), path.c_str());
    } else if (equals != std::string::npos) {
      const std::string behind = word.substr(equals + 1);
      const std::string file = i < by.at ? behind : path_of_word(by, behind);
      if (!behind.empty() && file != written && is_file(file))
        context.report_source(context.host, "word", word.c_str(), file.c_str());
    }
  }
  const kernsweep::Launched started = kernsweep::launched_by(given, environment_now());
  const bool is_launched = by.at < by.words.size();
  const kernsweep::StartedFiles found =
      started_files(started, is_launched ? path_of_program(by, by.words[by.at]) : program);
  for (const kernsweep::StartedFile& each : found.files)
    if (each.path != written)
      context.report_source(context.host, each.is_started ? "started" : "word", each.name.c_str(),
                            each.path.c_str());
  for (const std::string& each : found.unknown)
    context.report_source(context.host, "unknown", each.c_str(), "");
}

}  // namespace kernsweep::command
