// Reads the commands of a shell's text in their order and notes what they start.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared/lists/launched_program.hpp"
#include "shared/lists/shell_values.hpp"
#include "shared/lists/started_files.hpp"

namespace kernsweep {

class ShellReading {
 public:
  using Words = std::vector<std::string>;
  enum class Start { known, missing, unknown };

  explicit ShellReading(Launched base);

  // A command of words without quotes.
  Start run_words(const Words& words);
  // What the program of a command, whose file is `path`, starts by its words.
  void run_kind(const Words& words, const std::string& path);
  void note_unknown(const std::string& what);
  StartedFiles take();

 private:
  // shell_reading.cpp: the structure of a text
  Start read_text(const std::string& text);
  void read(const ShellNode& node);
  void read_parts(const ShellNode& node);
  void read_loop(const ShellNode& node);
  void read_branches(const ShellNode& node);
  void read_redirects(const ShellNode& node);
  void read_command(const ShellNode& node);
  void run_alternatives(const ShellNode& node, std::size_t first);
  std::vector<Words> alternatives_of(const ShellNode& node, std::size_t first);
  std::vector<std::string> outputs_of(const std::string& text);
  void emit(const std::vector<std::string>& texts);
  void assign(const std::string& name, std::vector<std::string> values, bool is_array, bool adds);
  void assign_word(const std::string& word);
  void assign_text(const std::string& text);

  // shell_builtins.cpp
  std::optional<Start> run_builtin(const Words& words);
  std::optional<Start> run_nested(const Words& words);
  void change_folder(const Words& words);
  void emit_of(const Words& words);
  Start run_function(const ShellNode& body, const Words& words);
  Start run_source(const Words& words);

  // shell_programs.cpp: what a program starts by its words
  void run_shell(const Words& words);
  void run_python(const Words& words, const std::string& program);
  void run_module(const std::string& module, const std::string& program);
  void run_script(const std::string& path, const Words& words, bool is_quiet);
  void run_inner(const Words& words);
  void read_apart(const std::string& text, const std::string& program, Words arguments);

  // shell_lookups.cpp: the files of words
  struct Place {
    std::string folder, search, path;  // search: the value of PATH
  };
  Start run_launched(const Words& words);
  Start run_program(const Words& words);
  void read_arguments(const Words& words, bool all);
  void note_word(const std::string& word, bool is_read);
  void note_program(const std::string& word, const Place& place);
  std::vector<Place> files_of(const std::string& name, bool& is_sure);
  std::vector<std::string> environment() const;
  Launched launched_from(const std::string& folder, const std::string& search) const;

  Launched base_;
  ShellState state_;
  const ShellExpansion::Outputs outputs_;
  StartedFiles found_;
  std::set<std::string> written_;
  std::vector<std::string>* capture_ = nullptr;  // possible outputs; null: nobody reads them
  const std::string* document_ = nullptr;        // what the current command gets as its input
  std::string input_;                            // likewise a file
  bool is_quiet_ = false;                        // a script of the system: what it starts is not noted
  int conditional_ = 0, depth_ = 0, steps_ = 0;
};

// The content of a file of text; nothing: it is none. kUnknownText: it is larger than 64 KiB.
std::optional<std::string> small_text(const std::string& path);

}  // namespace kernsweep
