#include "cli/commands/cluster/launch_options.hpp"

#include "cli/grammar/replacement_words.hpp"

namespace kernsweep {

void LaunchOptions::declare(Options& to) {
  to.option("file", file, "Sweep file (YAML or JSON); not with --join");
  add_replacements(to, replacements);
  add_new_database(to, database);
  to.option("--join", join, "Only workers: join the coordinator that made this file");
  to.option("--listen", listen, "Address of the coordinator, for a fixed port: tcp://*:7777");
  to.option("--worker", worker_options, "Options for every worker: --worker '--cores 4'");
}

std::vector<std::string> LaunchOptions::worker_words() const {
  std::vector<std::string> words;
  for (const std::string& options : worker_options) {
    for (const std::string& word : split_at_blanks(options)) words.push_back(word);
  }
  return words;
}

}  // namespace kernsweep
