// The command line: who may connect.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kKeysFooter =
    "Each changes NAME.keys, which a running coordinator notices within a second. Without --keys it is "
    "the\n"
    "one *.keys file of this folder. docs/guides/keys.md has the recipes.\n"
    "Exit status: 0 done, 2 bad input or usage.";

}  // namespace

void CommandLine::add_keys() {
  CLI::App* const keys = app_.add_subcommand("keys", "Who may connect to a coordinator");
  keys->require_subcommand(1);
  keys->fallthrough();
  keys->footer(kKeysFooter);
  const auto add = [&](Command which, const std::string& name, const std::string& what) {
    CLI::App* const added = keys->add_subcommand(name, what);
    added->group("Subcommands");
    added->callback([this, which] { out_.command = which; });
    added->fallthrough();
    added->add_option("--keys", out_.key_file,
                      "Key file of the coordinator (default: the one in this folder)");
    added->footer(kKeysFooter);
    return added;
  };
  add_json(add(Command::keys_list, "list", "Show the keys: name, role, since when, until when"));

  CLI::App* const added = add(Command::keys_add, "add", "Make a key, and its join file");
  added->add_option("name", out_.key_name, "Name of the key")->required();
  added->add_option("--role", out_.key_role, "worker (default) or client")
      ->check(CLI::IsMember({"worker", "client"}));

  add(Command::keys_revoke, "revoke", "Refuse a key from now on")
      ->add_option("name", out_.key_name, "Name of the key")
      ->required();

  CLI::App* const rotate =
      add(Command::keys_rotate, "rotate", "Exchange a key, or without NAME the coordinator's own");
  rotate->add_option("name", out_.key_name, "Name of the key (default: the coordinator's own)");
  rotate->add_option("--overlap", out_.overlap,
                     "How long the former one is still good (default: 1h; 0: not)");
}

}  // namespace kernsweep
