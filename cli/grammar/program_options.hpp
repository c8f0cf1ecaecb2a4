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

  void add_run();                        // run_options.cpp
  void add_sweep_files();                // run_options.cpp
  void add_repair();                     // repair_options.cpp
  void add_network();                    // network_options.cpp
  void add_memory(CLI::App* to);         // worker_options.cpp
  void add_worker_limits(CLI::App* to);  // worker_options.cpp
  void add_launchers();                  // launcher_options.cpp
  void add_clients();                    // client_options.cpp
  void add_keys();                       // key_options.cpp
  void add_queries();                    // query_options.cpp
  void add_compare();                    // compare_options.cpp
  void add_one_result();                 // compare_options.cpp
  void add_roofs();                      // compare_options.cpp

  Arguments& out_;
  CLI::App app_{"Sweeps over compute kernels, with numbers that can be trusted.", "kernsweep"};
};

}  // namespace kernsweep
