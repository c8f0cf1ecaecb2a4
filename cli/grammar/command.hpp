// A command of the program: its name, what it takes, what it does. A command is one file in cli/commands,
// which holds a class of this kind and the function that makes its entry, and one line in
// cli/commands/list.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/grammar/options.hpp"

namespace kernsweep {

// What the program was given beside the command's own options.
struct Invocation {
  std::vector<std::string> words;  // all of the command line but the program
  bool verbose = false;            // -v
  std::string log;                 // --log; empty: none
};

class Command {
 public:
  virtual ~Command() = default;
  // Called once, before run(): declares the options, each with the member that it fills.
  virtual void declare(Options& to) = 0;
  // The members have what was typed. Returns the exit status.
  virtual int run(const Invocation& given) = 0;
};

struct CommandEntry {
  std::string name;                  // "best"; "keys add" is the command `add` of the command `keys`
  std::string what;                  // its line in --help
  std::string footer;                // below its own --help
  std::unique_ptr<Command> command;  // null: it only holds others, as `keys` does
};

// Commands as --help lists them.
struct CommandGroup {
  std::string title;
  std::vector<CommandEntry> commands;
};

// All commands of the program, in the order of --help.
std::vector<CommandGroup> all_commands();

}  // namespace kernsweep
