#include "shared/lists/shell_reading.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace kernsweep {
namespace {

constexpr int kDepthOfTexts = 24;  // of a text that starts another
constexpr int kStepsMax = 50'000;  // commands of all
const std::string kNotKnown(1, kUnknownText);

template <class T>
void add_missing(std::vector<T>& to, const T& value) {
  if (std::ranges::find(to, value) == to.end()) to.push_back(value);
}

std::string shortened_text(const std::string& text) {
  constexpr std::size_t kShown = 60;
  const std::string line = text.substr(0, text.find('\n'));
  return line.size() > kShown ? line.substr(0, kShown) + "..." : line;
}

}  // namespace

ShellReading::ShellReading(Launched base)
    : base_(std::move(base)), outputs_([this](const std::string& text) { return outputs_of(text); }) {
  state_.environment = base_.environment;
  state_.folders = {base_.folder};
}

StartedFiles ShellReading::take() {
  std::erase_if(found_.files, [&](const StartedFile& each) { return written_.contains(each.path); });
  return std::move(found_);
}

void ShellReading::note_unknown(const std::string& what) {
  std::string shown = shortened_text(what);
  std::ranges::replace(shown, kUnknownText, '?');
  if (!is_quiet_ && found_.unknown.size() < kShellValuesMax) add_missing(found_.unknown, shown);
}

ShellReading::Start ShellReading::read_text(const std::string& text) {
  const auto parsed = depth_ < kDepthOfTexts && is_known_text(text) ? parse_shell(text) : std::nullopt;
  if (!parsed) {
    note_unknown(text);
    return Start::known;  // it is noted
  }
  ++depth_;
  read(*parsed);
  --depth_;
  return Start::known;
}

void ShellReading::read(const ShellNode& node) {
  if (++steps_ > kStepsMax) {
    if (steps_ == kStepsMax + 1) note_unknown("a text that is too long");
    return;
  }
  const auto [document, input, capture] = std::tuple(document_, input_, capture_);
  std::vector<std::string> unread{""};
  read_redirects(node);
  const auto goes_to_file = [](const ShellRedirect& each) {
    return each.kind == ShellRedirect::Kind::writes && each.is_output;
  };
  if (capture_ != nullptr && std::ranges::any_of(node.redirects, goes_to_file)) capture_ = &unread;
  switch (node.kind) {
    case ShellNode::Kind::command:
      read_command(node);
      break;
    case ShellNode::Kind::test:
      for (const std::string& word : node.words) (void)ShellExpansion(state_, outputs_).texts(word);
      break;
    case ShellNode::Kind::function:
      state_.functions[node.name] = node.body;
      break;
    case ShellNode::Kind::loop:
      read_loop(node);
      break;
    case ShellNode::Kind::branches:
      read_branches(node);
      break;
    case ShellNode::Kind::list:
    case ShellNode::Kind::pipeline:
    case ShellNode::Kind::subshell:
      read_parts(node);
      break;
  }
  std::tie(document_, input_, capture_) = std::tuple(document, input, capture);
}

void ShellReading::read_parts(const ShellNode& node) {
  const bool is_pipe = node.kind == ShellNode::Kind::pipeline && node.parts.size() > 1;
  const bool is_apart = is_pipe || node.kind == ShellNode::Kind::subshell;
  for (const ShellNode& part : node.parts) {
    std::optional<ShellState> before;
    if (is_apart) before = state_;
    std::vector<std::string> unread{""};
    auto* const capture = capture_;
    if (is_pipe && &part != &node.parts.back() && capture_ != nullptr) capture_ = &unread;
    const bool is_conditional = part.after != ShellNode::After::any;
    conditional_ += is_conditional ? 1 : 0;
    read(part);
    conditional_ -= is_conditional ? 1 : 0;
    capture_ = capture;
    if (before) state_ = std::move(*before);
  }
}

void ShellReading::read_loop(const ShellNode& node) {
  if (!node.name.empty()) {
    std::vector<std::string> values;
    for (const std::string& word : node.words)
      for (const auto& fields : ShellExpansion(state_, outputs_).words(word))
        for (const std::string& field : fields) add_missing(values, field);
    assign(node.name, std::move(values), false, false);
  }
  ++conditional_;
  constexpr int kRounds = 2;  // what one round sets the next one uses
  for (int round = 0; round < kRounds; ++round)
    for (const ShellNode& part : node.parts) read(part);
  --conditional_;
}

void ShellReading::read_branches(const ShellNode& node) {
  std::vector<std::string> subjects{kNotKnown};
  if (!node.words.empty()) subjects = ShellExpansion(state_, outputs_).texts(node.words[0]);
  const bool is_sure = subjects.size() == 1 && is_known_text(subjects[0]);
  // The condition of an `if` is always evaluated.
  if (node.patterns.empty() && !node.parts.empty()) read(node.parts[0]);
  ++conditional_;
  for (std::size_t i = node.patterns.empty() ? 1 : 0; i < node.parts.size(); ++i) {
    bool fits = !is_sure, is_last = false;
    for (const std::string& pattern : is_sure&& i < node.patterns.size() ? node.patterns[i] : Words{}) {
      std::string plain = pattern;
      std::erase(plain, '"');
      const bool is_plain = plain.find_first_of("$`'\\") == std::string::npos;
      const bool is_equal = is_plain && fnmatch(plain.c_str(), subjects[0].c_str(), 0) == 0;
      fits = fits || !is_plain || is_equal;
      is_last = is_last || is_equal;
    }
    if (fits) read(node.parts[i]);
    if (is_last) break;
  }
  --conditional_;
}

void ShellReading::read_redirects(const ShellNode& node) {
  for (const ShellRedirect& each : node.redirects) {
    if (each.kind == ShellRedirect::Kind::document) {
      document_ = &each.word;
      // Commands in it run; an apostrophe in it quotes nothing.
      std::string text = each.word;
      std::erase_if(text, [](char c) { return c == '\'' || c == '"'; });
      if (!each.is_quoted) (void)ShellExpansion(state_, outputs_).texts(text);
      continue;
    }
    for (const std::string& word : ShellExpansion(state_, outputs_).texts(each.word)) {
      if (each.kind == ShellRedirect::Kind::reads) {
        note_word(word, true);
        input_ = word;
      } else if (each.kind == ShellRedirect::Kind::writes) {
        for (const std::string& folder : state_.folders)
          written_.insert(word.starts_with('/') ? word : folder + word);
      }
    }
  }
}

void ShellReading::read_command(const ShellNode& node) {
  std::size_t first = 0;
  while (first < node.words.size() && assigned_at(node.words[first]) != std::string::npos) ++first;
  if (first == node.words.size()) {
    for (const std::string& word : node.words) assign_word(word);
    return;
  }
  std::optional<std::map<std::string, ShellVariable>> before;
  if (first > 0) before = state_.variables;
  const int conditional = std::exchange(conditional_, first > 0 ? 0 : conditional_);
  for (std::size_t i = 0; i < first; ++i) assign_word(node.words[i]);
  conditional_ = conditional;
  run_alternatives(node, first);
  if (before) state_.variables = std::move(*before);
}

void ShellReading::run_alternatives(const ShellNode& node, std::size_t first) {
  const std::vector<Words> alternatives = alternatives_of(node, first);
  const bool are_several = alternatives.size() > 1;
  bool any = false, is_unknown = false;
  conditional_ += are_several ? 1 : 0;
  for (const Words& words : alternatives) {
    const Start start = run_words(words);
    any = any || start == Start::known;
    is_unknown = is_unknown || start == Start::unknown;
  }
  conditional_ -= are_several ? 1 : 0;
  if (!any || is_unknown) note_unknown(node.words[first]);
}

std::vector<ShellReading::Words> ShellReading::alternatives_of(const ShellNode& node, std::size_t first) {
  std::vector<Words> out(1);
  for (std::size_t i = first; i < node.words.size(); ++i) {
    const std::string& word = node.words[i];
    const std::size_t equals = i > first ? assigned_at(word) : std::string::npos;
    std::vector<Words> values;
    if (equals == std::string::npos) {
      values = ShellExpansion(state_, outputs_).words(word);
    } else if (word.substr(word.find('=') + 1).starts_with('(')) {  // declare -a NAME=(...)
      assign_word(word);
      values = {{word.substr(0, equals)}};
    } else {
      for (const std::string& text : ShellExpansion(state_, outputs_).texts(word)) values.push_back({text});
    }
    std::vector<Words> all;
    if (out.size() * values.size() > kShellValuesMax) {  // no matter which of them go together
      all = out;
      for (Words& each : all)
        for (const Words& value : values) each.insert(each.end(), value.begin(), value.end());
    } else {
      for (const Words& each : out)
        for (const Words& value : values) {
          all.push_back(each);
          all.back().insert(all.back().end(), value.begin(), value.end());
        }
    }
    out = std::move(all);
  }
  return out;
}

std::vector<std::string> ShellReading::outputs_of(const std::string& text) {
  std::vector<std::string> texts{""};
  ShellState before = state_;
  auto* const capture = std::exchange(capture_, &texts);
  const int conditional = std::exchange(conditional_, 0);
  std::string rest = text;
  if (const auto at = rest.find_first_not_of(" \t\n"); at != std::string::npos && rest[at] == '<') {
    (void)read_text(rest);  // $(< file)
    texts = {kNotKnown};
  } else {
    (void)read_text(rest);
  }
  conditional_ = conditional;
  capture_ = capture;
  state_ = std::move(before);
  for (std::string& each : texts)
    while (each.ends_with('\n')) each.pop_back();
  return texts;
}

void ShellReading::emit(const std::vector<std::string>& texts) {
  if (capture_ == nullptr) return;
  std::vector<std::string> all;
  for (const std::string& before : *capture_)
    for (const std::string& text : texts) add_missing(all, before + text);
  if (conditional_ > 0) {
    for (const std::string& text : texts) add_missing(all, text);
    for (const std::string& before : *capture_)
      if (!before.empty()) add_missing(all, before);
  }
  if (all.size() > kShellValuesMax) all = {kNotKnown};
  *capture_ = std::move(all);
}

void ShellReading::assign(const std::string& name, std::vector<std::string> values, bool is_array,
                          bool adds) {
  const auto [found, fresh] = state_.variables.try_emplace(name);
  ShellVariable& variable = found->second;
  if (fresh && conditional_ > 0)
    for (const std::string& line : state_.environment)
      if (line.starts_with(name + "=")) variable.values.push_back(line.substr(name.size() + 1));
  if (adds && is_array) {
    variable.values.insert(variable.values.end(), values.begin(), values.end());
  } else if (adds) {
    std::vector<std::string> all;
    for (const std::string& before : variable.values)
      for (const std::string& value : values) all.push_back(before + value);
    variable.values = all.empty() ? values : all;
  } else if (conditional_ > 0 && !is_array) {
    for (const std::string& value : values) add_missing(variable.values, value);
  } else {
    variable.values = std::move(values);
  }
  variable.is_array = is_array;
  if (variable.values.size() > kShellValuesMax) variable.values = {kNotKnown};
}

// NAME=value with its quotes.
void ShellReading::assign_word(const std::string& word) {
  const std::size_t equals = word.find('=');
  const bool adds = equals > 0 && word[equals - 1] == '+';
  const std::string name = word.substr(0, adds ? equals - 1 : equals);
  const std::string value = word.substr(equals + 1);
  if (!value.starts_with('(')) {
    // The value so far may be one of the environment.
    const std::string all = adds ? "\"$" + name + "\"" + value : value;
    std::vector<std::string> values = ShellExpansion(state_, outputs_).texts(all);
    for (const std::string& each : values) note_word(each, false);
    assign(name, std::move(values), false, false);
    return;
  }
  Words items;
  const auto inner = parse_shell("x " + value.substr(1, value.size() - 2));
  const ShellNode* node = inner ? &*inner : nullptr;
  while (node != nullptr && node->kind != ShellNode::Kind::command)
    node = node->parts.empty() ? nullptr : &node->parts[0];
  if (node == nullptr) items.push_back(kNotKnown);
  for (std::size_t i = 1; node != nullptr && i < node->words.size(); ++i)
    for (const Words& fields : ShellExpansion(state_, outputs_).words(node->words[i]))
      items.insert(items.end(), fields.begin(), fields.end());
  assign(name, std::move(items), true, adds);
}

// Likewise without quotes, of `export` and the like.
void ShellReading::assign_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;
  note_word(text.substr(equals + 1), false);
  assign(text.substr(0, equals), {text.substr(equals + 1)}, false, false);
}

}  // namespace kernsweep
