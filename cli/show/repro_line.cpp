#include "cli/show/repro_line.hpp"

#include <algorithm>

#include "language/file/command_template.hpp"

namespace kernsweep {

std::string shell_line(const ReproLine& line) {
  std::string out;
  for (const std::uint32_t core : line.cores)
    out += (out.empty() ? "taskset -c " : ",") + std::to_string(core);
  out += (out.empty() ? "" : " ") + std::string("env -i");
  for (const std::string& variable : line.environment) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool of_shell =
        std::find(line.of_shell.begin(), line.of_shell.end(), name) != line.of_shell.end();
    out += ' ';
    out += of_shell ? name + "=\"$" + name + "\"" : quoted_word(variable.substr(0, variable.find('\0')));
  }
  return out + " " + quoted_word(line.program) + " --once " + quoted_word(line.job);
}

std::string shell_comment(const std::string& text) {
  std::string out = "# ";
  for (const char c : text) out += c == '\n' ? "\n# " : std::string(1, c);
  return out + "\n";
}

}  // namespace kernsweep
