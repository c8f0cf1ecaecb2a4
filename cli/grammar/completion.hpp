// Scripts with which shells complete the words of a command line, made from the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/grammar/grammar.hpp"

namespace kernsweep {

enum class Shell : std::uint8_t { bash = 1, zsh, fish };
// Returns nothing for an unknown name.
std::optional<Shell> shell_named(std::string_view name);

// A script for the shell to read. It completes commands, options, the values of options that accept only
// certain words, and file names: databases (.db) and sweep files (.yaml, .yml, .json) for arguments of
// these kinds. It starts no program.
std::string completion_script(Shell shell, std::span<const GrammarCommand> grammar);

}  // namespace kernsweep
