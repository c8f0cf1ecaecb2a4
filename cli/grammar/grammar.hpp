// The commands and options of the program as data, for generated scripts and documents.
#pragma once

#include <string>
#include <vector>

namespace kernsweep {

struct GrammarOption {
  std::vector<std::string> names;  // "-o", "--output"
  bool takes_word = false;         // the next word is its value
  std::vector<std::string> words;  // its values, if it accepts no others
  std::string what;
};

struct GrammarCommand {
  std::string name;  // "best"; "keys add"; empty: the program itself
  std::string what;
  std::vector<GrammarOption> options;  // without hidden ones
  std::vector<std::string> arguments;  // names of positional arguments: "database", "file"
  std::vector<std::string> words;      // values of the first argument, if it accepts no others
};

// The program first, then its commands in the order of --help.
std::vector<GrammarCommand> grammar();

}  // namespace kernsweep
