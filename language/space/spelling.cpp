#include "language/space/spelling.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "language/expression/expression.hpp"
#include "language/file/command_template.hpp"
#include "language/file/metrics.hpp"
#include "language/file/reference.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

bool has_exponent(std::string_view word) {
  return word.find_first_of("eE") != std::string_view::npos;
}

// Never with an exponent: "-0.5", "100000.0".
std::string plain_digits(double number) {
  char buffer[1100];  // the longest float has 1077 characters
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed).ptr;
  std::string out(buffer, end);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

void add_names(const Result<CommandTemplate>& read, PassedColumns& out) {
  if (read) out.names.insert(read->names().begin(), read->names().end());
}

void add_command(const Node& command, PassedColumns& out) {
  if (command.is_scalar()) add_names(CommandTemplate::of_text(command.scalar), out);
  for (const Node& word : command.items)
    if (word.is_scalar()) add_names(CommandTemplate::of_words({word.scalar}), out);
}

// The columns whose values the derived ones have: {d: n}.
void add_sources(const Node& derive, PassedColumns& out) {
  for (std::size_t round = 0; round < derive.entries.size(); ++round)
    for (const auto& [name, value] : derive.entries) {
      if (!out.names.contains(name.scalar) || !value.is_scalar()) continue;
      const auto formula = Expression::parse(value.scalar);
      if (formula && formula->is_name()) out.names.insert(formula->text());
    }
}

}  // namespace

PassedColumns passed_columns(const Node& root) {
  PassedColumns out;
  out.shell = shell_words(root);
  const Node* kernel = root.find("kernel");
  out.whole_commands = kernel != nullptr && kernel->is_scalar() && kernel->scalar == "command";
  if (const Node* command = root.find("command")) {
    out.words = true;
    add_command(*command, out);
  }
  for (const char* key : {"build", "setup", "cleanup"})
    if (const Node* beside = root.find(key)) add_command(*beside, out);
  if (const Node* commands = root.find("commands")) {
    out.words = true;
    for (const auto& [name, command] : commands->entries) add_command(command, out);
  }
  for (const Node* reference : references_of(root)) {
    if (const Node* command = reference->find("command")) add_command(*command, out);
    const Node* file = reference->find("file");
    if (file != nullptr && file->is_scalar()) add_names(CommandTemplate::of_words({file->scalar}), out);
  }
  const Node* derive = root.find("derive");
  if (derive != nullptr) add_sources(*derive, out);
  out.given = out.names;
  if (const Node* metrics = root.find("metrics"))
    for (const std::string& word : words_of_metrics(*metrics))
      add_names(CommandTemplate::of_words({word}), out);
  if (derive != nullptr) add_sources(*derive, out);
  return out;
}

Status PassedColumns::check_nul(const Node& scalar, std::string_view column) const {
  const bool passed = words || whole_commands || names.contains(column) || is_environment(column);
  if (!passed || scalar.scalar.find('\0') == std::string::npos) return Done{};
  return wrong(scalar, fmt::format("a value of '{}' has a NUL character, which no word of a command and no "
                                   "variable can hold; pass such data in a file",
                                   column));
}

Value with_word(const std::string& scalar, const Value& value) {
  if (!value.number()) return value;
  if (const auto* number = value.real(); number != nullptr && has_exponent(scalar) && *number != 0) {
    const std::string digits = digits_of(*number);
    const bool whole =
        std::abs(*number) < kWholeDoubleMax && digits.find_first_not_of("-0123456789") == std::string::npos;
    return Value::spelled(value, whole ? digits : scalar);
  }
  if (value.integer() != nullptr && value.to_text() == scalar) return value;
  return Value::spelled(value, scalar);
}

Value with_digits(const Value& value) {
  const auto* number = value.real();
  return number == nullptr ? value : Value::spelled(value, digits_of(*number));
}

bool loses_its_word(const Value& value) {
  const std::string* word = value.word();
  if (word == nullptr || has_exponent(*word) || value.without_word().to_text() == *word) return false;
  if (value.real() == nullptr) return true;  // a whole number that is written in digits was found above
  std::string digits = *word;
  const std::size_t start = digits.starts_with('-') ? 1 : 0;
  if (digits.find('.') == start) digits.insert(start, "0");
  if (digits.ends_with('.')) digits += '0';
  return digits != plain_digits(*value.real());
}

void PassedNotes::Note::add(std::string note) {
  if (first.empty()) {
    first = std::move(note);
  } else {
    ++more;
  }
}

void PassedNotes::look_for_a_shell(const Node& scalar) {
  if (passed_.whole_commands && column_ == "command") {
    std::vector<std::string> notes;
    note_command(scalar, true, notes);
    for (std::string& note : notes) shell_.add(std::move(note));
    return;
  }
  const bool passed = passed_.given.contains(column_) && !passed_.shell.read.contains(column_);
  if (!passed && !is_environment(column_)) return;
  std::string note = value_note(scalar, column_, passed && passed_.shell.open.contains(column_));
  if (!note.empty()) shell_.add(std::move(note));
}

void PassedNotes::look_at(const Node& scalar, const Value& value) {
  if (scalar.is_null()) return;
  look_for_a_shell(scalar);
  if (!passed_.given.contains(column_)) return;
  if (scalar.scalar.empty())
    empty_.add(
        fmt::format("{}: a program gets '' as an empty word; null leaves the word out", where(scalar)));
  const auto* computed = value.word() == nullptr ? value.real() : nullptr;
  const std::string got = computed != nullptr ? digits_of(*computed) : value.to_text();
  // One text makes all values of an axis text, and a program gets text unchanged.
  const bool text = value.text() != nullptr && !scalar.quoted;
  const Value number = text ? with_word(scalar.scalar, value_of_scalar(scalar.scalar)) : Value();
  if (number.number() && number.to_text() != scalar.scalar)
    word_.add(fmt::format(
        "{}: a program gets {} as it is, not {}, because the axis has text, too; write the digits",
        where(scalar), text_of(scalar), number.to_text()));
  else if (got != scalar.scalar)
    word_.add(fmt::format("{}: a program gets {} as {}", where(scalar), text_of(scalar), got));
}

void PassedNotes::add_to(std::vector<std::string>& notes) const {
  for (const Note* note : {&word_, &empty_, &shell_}) {
    if (note->first.empty()) continue;
    const std::string more = note->more == 0 ? ""
                                             : fmt::format(", and {} value{} more likewise", note->more,
                                                           note->more == 1 ? "" : "s");
    notes.push_back(note != &shell_ ? fmt::format("{} ('{}'{})", note->first, column_, more)
                    : more.empty()  ? note->first
                                    : fmt::format("{} ('{}'{})", note->first, column_, more));
  }
}

}  // namespace kernsweep
