#include "kernels/command/shell_words.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

namespace kernsweep::command {
namespace {

constexpr std::size_t kTextMax = 64 << 10;  // bytes

bool is_shell(std::string_view program) {
  constexpr std::array kShells = {"sh", "bash", "dash", "ash", "ksh", "zsh"};
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return std::ranges::any_of(kShells, [&](std::string_view shell) { return shell == name; });
}

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kTextMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text.size() > kTextMax ? "" : text;
}

// Whether the first line is that of a script for a shell: "#!/bin/sh", "#!/usr/bin/env bash".
bool is_script(std::string_view text) {
  if (!text.starts_with("#!")) return false;
  std::string_view line = text.substr(2, text.find('\n') - 2);
  while (!line.empty()) {
    const auto end = line.find_first_of(" \t\r");
    if (is_shell(line.substr(0, end))) return true;
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  }
  return false;
}

// The text of a script; the file is read again only if it has changed, because each job asks.
std::string script_in(const std::string& path) {
  struct Read {
    timespec changed{};
    off_t bytes = -1;
    std::string text;
  };
  static std::map<std::string, Read> known;
  struct stat now {};
  if (stat(path.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return "";
  Read& read = known[path];
  if (read.bytes == now.st_size && read.changed.tv_sec == now.st_mtim.tv_sec &&
      read.changed.tv_nsec == now.st_mtim.tv_nsec)
    return read.text;
  read = {now.st_mtim, now.st_size, text_in(path)};
  if (!is_script(read.text)) read.text.clear();
  return read.text;
}

}  // namespace

std::vector<ShellWord> words_of_shell(std::string_view text) {
  std::vector<ShellWord> words;
  std::vector<std::string> written;
  ShellWord word{"", true, false};
  bool is_written = false, has_blank = true;
  const auto end_word = [&] {
    if (word.text.empty()) return;
    const bool is_next = word.is_command && (is_written || word.is_input);  // a redirection comes before it
    if (is_written)
      written.push_back(word.text);
    else
      words.push_back({word.text, word.is_command && !is_next, word.is_input});
    word = {"", is_next, false};
    is_written = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char at = text[i];
    const auto is_one_of = [&](std::string_view these) { return these.find(at) != std::string_view::npos; };
    if (at == '#' && has_blank) {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    has_blank = is_one_of(" \t\r\n;&|(){}`");
    if (is_one_of("'\"")) continue;
    if (at == '\\' && i + 1 < text.size() && text[++i] == '\n') continue;
    if (at == '=' && word.is_command) {  // NAME=value: the command follows, unless it follows the value
      word.text.clear();
      const auto end = std::min(text.find_first_of(" \t\r\n;&|", i), text.size());
      std::string value(text.substr(i + 1, end - i - 1));
      std::erase_if(value, [](char each) { return each == '\'' || each == '"'; });
      if (!value.empty()) words.push_back({std::move(value), false, false});
      i = end - 1;
    } else if (has_blank || is_one_of("<>=")) {
      end_word();
      if (at == '<') word.is_input = true;
      if (at == '>') is_written = true;
      if (is_one_of("\n;&|(){}`")) word = {"", true, false};
    } else {
      word.text += text[i];
    }
  }
  end_word();
  std::erase_if(words, [&](const ShellWord& each) { return std::ranges::count(written, each.text) > 0; });
  return words;
}

std::string shell_text(const std::vector<std::string>& words, std::size_t at, const std::string& path) {
  if (at >= words.size()) return "";
  if (!is_shell(words[at])) return script_in(path);
  bool has_text = false;
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') && !word.starts_with('+')) return has_text ? word : text_in(word);
    has_text = has_text || (!word.starts_with("--") && word.find('c') != std::string::npos);
  }
  return "";
}

}  // namespace kernsweep::command
