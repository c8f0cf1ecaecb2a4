// The command line's grammar from inside: one class, whose commands are added in groups, a file for each.
// Private to the files cli11*.cpp, the only ones that see CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/grammar/arguments.hpp"

namespace kernsweep {

inline constexpr const char* kFooter =
    "Exit status: 0 every job has an accepted result, 1 finished but some have none, 2 bad input or "
    "usage,\n"
    "3 stopped and resumable.";
inline constexpr const char* kAnswerFooter = "Exit status: 0 answered, 2 bad input or usage.";

// What an option says that was given without a word (an unset variable of a shell); as CLI11 checks.
std::string not_empty(const std::string& word);

class CommandLine {
 public:
  explicit CommandLine(Arguments& out);

  // As read_arguments().
  int parse(int argc, char** argv);
  // Whether parse() would do, without a word on the terminal.
  Status check(int argc, char** argv);

 private:
  std::string complaint(const CLI::ParseError& error, int argc, char** argv) const;
  std::string left_over(const CLI::App& chosen) const;
  std::string no_command(const CLI::ParseError& error, int argc, char** argv) const;

  CLI::App* command(Command which, const std::string& name, const std::string& what);
  CLI::App* client(Command which, const std::string& name, const std::string& what);
  void add_file(CLI::App* to);
  void add_json(CLI::App* to);
  void add_replacements(CLI::App* to);
  void add_output(CLI::App* to);
  void add_database(CLI::App* to);
  void add_sweep(CLI::App* to);

  void add_run();                        // cli11_run.cpp
  void add_sweep_files();                // cli11_run.cpp
  void add_repair();                     // cli11_repair.cpp
  void add_network();                    // cli11_network.cpp
  void add_memory(CLI::App* to);         // cli11_worker.cpp
  void add_worker_limits(CLI::App* to);  // cli11_worker.cpp
  void add_launchers();                  // cli11_launchers.cpp
  void add_clients();                    // cli11_clients.cpp
  void add_keys();                       // cli11_keys.cpp
  void add_queries();                    // cli11_queries.cpp
  void add_compare();                    // cli11_compare.cpp
  void add_one_result();                 // cli11_compare.cpp
  void add_roofs();                      // cli11_compare.cpp

  Arguments& out_;
  CLI::App app_{"Sweeps over compute kernels, with numbers that can be trusted.", "kernsweep"};
};

}  // namespace kernsweep
