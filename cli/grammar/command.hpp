// The interface of a command: its name, its options, and what it does. A command is one file in
// cli/commands, with a class derived from Command and the function that makes its entry, and one line in
// cli/commands/list.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/grammar/options.hpp"

namespace kernsweep {

// The command line apart from the command's own options.
struct Invocation {
  std::vector<std::string> words;  // the whole command line without the program
  bool verbose = false;            // -v
  std::string log;                 // --log; empty: none
};

class Command {
 public:
  virtual ~Command() = default;
  // Called once, before run(): declares the options, each with the member that it fills.
  virtual void declare(Options& to) = 0;
  // Called once, after the members were set from the command line. Returns the exit status.
  virtual int run(const Invocation& given) = 0;
};

struct CommandEntry {
  std::string name;                  // "best"; "keys add" is the command `add` of the command `keys`
  std::string what;                  // its line in --help of the program
  std::string footer;                // the last lines of its own --help
  std::unique_ptr<Command> command;  // nullptr: it only has subcommands, like `keys`
};

// A group of commands under one title in --help.
struct CommandGroup {
  std::string title;
  std::vector<CommandEntry> commands;
};

// All commands of the program, in the order of --help.
std::vector<CommandGroup> all_commands();

}  // namespace kernsweep
