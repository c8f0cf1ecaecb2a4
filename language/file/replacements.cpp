// Puts the replacements of the command line into the tree of a sweep file before it is read, so that the
// same rules check them, and errors name the argument.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "language/file/document.hpp"
#include "language/space/left_out.hpp"
#include "shared/base/try.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/suggest.hpp"
#include "shared/text/trimmed.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

TextSourcePtr argument(const std::string& option, const std::string& text) {
  return std::make_shared<const TextSource>(
      TextSource{fmt::format("on the command line, {} '{}'", option, text), false});
}

Node mapping_node(const TextSourcePtr& source) {
  Node node;
  node.kind = Node::Kind::mapping;
  node.source = source;
  return node;
}

Node scalar_node(const TextSourcePtr& source, std::string_view text) {
  Node node;
  node.source = source;
  node.scalar = text;
  return node;
}

Node& put(Node& parent, const std::string& key, Node value) {
  if (Node* there = parent.find(key)) {
    *there = std::move(value);
    return *there;
  }
  parent.entries.push_back(NodeEntry{scalar_node(value.source, key), std::move(value)});
  return parent.entries.back().value;
}

namespace {

// The mapping that is equivalent to a plain number: both bounds are that number. The caller replaces one of
// them.
Node both_bounds(const Node& number) {
  Node bounds = mapping_node(number.source);
  for (const char* const name : {"min", "max"})
    bounds.entries.push_back({scalar_node(number.source, name), number});
  return bounds;
}

Status set_path(Node& root, const std::string& path, Node value) {
  const TextSourcePtr source = value.source;
  const SettingPath setting = setting_at(path);
  if (setting.key == nullptr) {
    if (path.starts_with("axes")) return wrong(value, "axes are replaced by -a 'NAME=[values]'");
    return wrong(value,
                 fmt::format("there is no setting '{}'{}", path, did_you_mean(path, setting_paths(false))));
  }
  Node* at = &root;
  std::string before;
  for (std::size_t i = 0; i + 1 < setting.steps.size(); ++i) {
    Node* next = at->find(setting.steps[i]);
    before += (i == 0 ? "" : ".") + setting.steps[i];
    const Key* const key = setting_at(before).key;
    if (next != nullptr && next->is_scalar() && key != nullptr && key->kind == KeyKind::bounds)
      *next = both_bounds(*next);
    if (next == nullptr || !next->is_mapping()) next = &put(*at, setting.steps[i], mapping_node(source));
    at = next;
  }
  put(*at, setting.steps.back(), std::move(value));
  return Done{};
}

// A single dash is text; YAML would read it as a list with an empty item.
Result<Node> value_of(std::string_view text, const TextSourcePtr& source) {
  if (text == "-" || text == "~") return scalar_node(source, text);
  auto node = parse_yaml(text, source);
  if (!node && text.find_first_not_of(" \n") == std::string_view::npos) return scalar_node(source, "");
  return node;
}

// Whether YAML takes the whole text for one value: no tag, anchor, start of a block or comment.
bool is_whole(const Node& value, std::string_view text, const TextSourcePtr& source) {
  if (value.is_mapping()) return true;
  if (value.is_sequence()) return text.starts_with('[');
  if (!value.quoted) return value.scalar == text && !text.empty();
  const bool in_quotes = text.front() == text.back() && (text.front() == '\'' || text.front() == '"');
  return in_quotes && !parse_yaml(text.substr(0, text.size() - 1), source);
}

// The value of NAME=VALUE, an argument of `option`, in the syntax of YAML.
Result<Node> typed_value(const std::string& option, const std::string& name, const std::string& value,
                         const TextSourcePtr& source) {
  auto node = value_of(value, source);
  const std::string_view text = trimmed(value);
  const bool is_list = text.starts_with('[') || text.starts_with('{');
  if (node ? is_whole(*node, text, source) : is_list) return node;
  const std::string in_quotes = name + "=" + expression_literal(Value(value));
  return wrong(scalar_node(source, ""), fmt::format("YAML does not read '{}' as this text; quote it: {} {}",
                                                    value, option, quoted_word(in_quotes)));
}

Status set_one(Node& root, const std::string& argument_text) {
  const auto source = argument("--set", argument_text);
  const auto equals = argument_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return wrong(scalar_node(source, ""), "write PATH=VALUE, such as measure.processes=5");
  }
  const std::string path = argument_text.substr(0, equals), text = argument_text.substr(equals + 1);
  auto value = trimmed(text).empty() ? scalar_node(source, "") : typed_value("--set", path, text, source);
  KS_RETURN_IF_ERROR(value);
  return set_path(root, path, std::move(*value));
}

// "[0:6]" and "[0:6:2]" -> a list of two or three scalars; commas are accepted, too.
std::optional<Node> colon_range(std::string_view text, const TextSourcePtr& source) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Node list;
  list.kind = Node::Kind::sequence;
  list.source = source;
  for (;;) {
    const auto end = text.find_first_of(":,");
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    list.items.push_back(scalar_node(source, part));
    if (end == std::string_view::npos) return list;
    text = text.substr(end + 1);
  }
}

struct AxisArgument {
  std::string name;
  std::string shape;  // "", "pow2", "range", "mul"
  std::string value;
  bool is_new = false;
};

Result<AxisArgument> split_axis(const std::string& text, const Node& place) {
  const char* const usage = "write NAME=[1,2,4], NAME[pow2]=[0:6] or NAME[range]=[32:128:32]";
  AxisArgument out;
  const auto equals = text.find('=');
  if (equals == std::string::npos) return wrong(place, usage);
  out.name = text.substr(0, equals);
  out.value = text.substr(equals + 1);
  if (out.name.starts_with('+')) {
    out.is_new = true;
    out.name.erase(0, 1);
  }
  if (const auto bracket = out.name.find('['); bracket != std::string::npos) {
    if (!out.name.ends_with(']')) return wrong(place, usage);
    out.shape = out.name.substr(bracket + 1, out.name.size() - bracket - 2);
    out.name.resize(bracket);
    const std::vector<std::string> shapes = {"pow2", "range", "mul"};
    if (std::find(shapes.begin(), shapes.end(), out.shape) == shapes.end()) {
      return wrong(place, fmt::format("[{}] is not a way to give an axis{}", out.shape,
                                      did_you_mean(out.shape, shapes)));
    }
  }
  while (out.name.ends_with(' ')) out.name.pop_back();
  if (out.name.empty()) return wrong(place, usage);
  return out;
}

Result<Node> axis_value(const AxisArgument& given, const TextSourcePtr& source) {
  if (given.shape.empty()) return typed_value("-a", given.name, given.value, source);
  auto ends = colon_range(given.value, source);
  const bool pow2 = given.shape == "pow2";
  if (!ends || ends->items.size() < 2 || ends->items.size() > 3) {
    return wrong(scalar_node(source, ""), fmt::format("[{}] takes [from:to] or [from:to:{}]", given.shape,
                                                      given.shape == "mul" ? "factor" : "step"));
  }
  Node spec = mapping_node(source);
  if (!pow2 && ends->items.size() == 3) {
    Node growth = ends->items.back();
    ends->items.pop_back();
    put(spec, given.shape == "mul" ? "mul" : "step", std::move(growth));
  } else if (given.shape == "mul") {
    put(spec, "mul", scalar_node(source, "2"));
  }
  put(spec, pow2 ? "pow2" : "range", std::move(*ends));
  return spec;
}

// The scalars of an axis, as written, by column; "" is the axis itself.
template <class Take>
void each_scalar(Node& axis, const Take& take) {
  if (axis.is_mapping()) {
    if (Node* values = axis.find("values")) each_scalar(*values, take);
  } else if (axis.is_scalar()) {
    take("", axis);
  }
  for (Node& item : axis.items) {
    if (item.is_scalar()) take("", item);
    for (auto& [key, value] : item.entries)
      if (value.is_scalar()) take(key.scalar, value);
  }
}

// The values of one column in the file.
struct ListedScalars {
  std::set<std::string> words;
  bool quoted = false, text = false, truths = true, null = false;

  void add(const Node& scalar) {
    if (scalar.is_null()) {
      null = true;
      return;
    }
    words.insert(scalar.scalar);
    quoted = quoted || scalar.quoted;
    const Value value = value_of_scalar(scalar.scalar);
    text = text || value.text() != nullptr;
    truths = truths && value.boolean() != nullptr && !scalar.quoted;
  }
};

// Gives a typed value the kind of the listed value that it names, also in the form in which answers print
// it: 3.10 becomes text if the file has such values in quotes, 1 of [auto, 1] becomes text, 1 becomes true
// if the file lists booleans only, and - becomes null if the file lists null and no dash.
void take_as_listed(Node& typed, Node& file) {
  std::map<std::string, ListedScalars> listed;
  each_scalar(file, [&](const std::string& column, const Node& scalar) { listed[column].add(scalar); });
  std::map<std::string, bool> truths;  // whether each typed value can be a boolean
  each_scalar(typed, [&](const std::string& column, const Node& scalar) {
    const bool one = scalar.is_null() ||
                     (!scalar.quoted && (scalar.scalar == "-" || scalar.scalar == "0" ||
                                         scalar.scalar == "1" || value_of_scalar(scalar.scalar).boolean()));
    truths.try_emplace(column, true).first->second &= one;
  });
  each_scalar(typed, [&](const std::string& column, Node& scalar) {
    const auto found = listed.find(column);
    if (scalar.quoted || found == listed.end()) return;
    const ListedScalars& known = found->second;
    const bool is_listed = known.words.contains(scalar.scalar);
    if (scalar.is_null()) {
      scalar.quoted = is_listed && !known.null;
    } else if (scalar.scalar == "-" && known.null && !is_listed) {
      scalar.scalar = "null";
    } else if (known.words.empty()) {
      return;
    } else if (known.truths && truths[column]) {
      if (scalar.scalar == "0" || scalar.scalar == "1")
        scalar.scalar = scalar.scalar == "1" ? "true" : "false";
    } else if (known.quoted || (known.text && is_listed)) {
      scalar.quoted = true;
    }
  });
}

// The text among the values of the axis that is typed, as it is or as answers print it: on one line. It
// means that value, whatever YAML reads in it.
std::optional<std::string> listed_text(Node& axis, const std::string& typed) {
  std::optional<std::string> exact, printed;
  each_scalar(axis, [&](const std::string& column, const Node& scalar) {
    if (!column.empty() || scalar.is_null()) return;
    if (scalar.scalar == typed) exact = typed;
    if (one_line(scalar.scalar, std::string::npos) == typed) printed = scalar.scalar;
  });
  return exact ? exact : printed;
}

Status replace_axis(Node& root, const std::string& text) {
  const auto source = argument("-a", text);
  const Node place = scalar_node(source, "");
  KS_ASSIGN_OR_RETURN(const auto given, split_axis(text, place));
  Node* axes = root.find("axes");
  if (axes == nullptr || !axes->is_mapping())
    return Done{};  // the reader reports it, with the place in the file
  Node* there = axes->find(given.name);
  std::vector<std::string> known;
  for (const auto& entry : axes->entries) known.push_back(entry.key.scalar);
  if (there == nullptr && !given.is_new) {
    return wrong(place, fmt::format("the sweep has no axis '{}'{} (to add an axis, write '+{}=...')",
                                    given.name, did_you_mean(given.name, known), given.name));
  }
  if (there != nullptr && given.is_new) {
    return wrong(place, fmt::format("the sweep has an axis '{}' already; leave out the +", given.name));
  }
  const auto listed =
      there != nullptr && given.shape.empty() ? listed_text(*there, given.value) : std::nullopt;
  auto value = listed ? scalar_node(source, *listed) : axis_value(given, source);
  KS_RETURN_IF_ERROR(value);
  if (there != nullptr) take_as_listed(*value, *there);
  value->quoted = value->quoted || (listed && listed->empty());
  // A replaced axis keeps its condition, unless the replacement has one.
  const Node* when = there != nullptr && there->is_mapping() ? there->find("when") : nullptr;
  if (when != nullptr && (!value->is_mapping() || value->find("when") == nullptr)) {
    Node spec = value->is_mapping() ? std::move(*value) : mapping_node(source);
    if (spec.entries.empty()) put(spec, "values", std::move(*value));
    put(spec, "when", Node(*when));
    value = std::move(spec);
  }
  put(*axes, given.name, std::move(*value));
  return Done{};
}

}  // namespace

Result<TypedAxis> typed_axis(const std::string& text) {
  const auto source = argument("-a", text);
  KS_ASSIGN_OR_RETURN(const auto given, split_axis(text, scalar_node(source, "")));
  KS_ASSIGN_OR_RETURN(auto value, axis_value(given, source));
  return TypedAxis{given.name, given.is_new, std::move(value)};
}

Status replace_in_tree(Node& root, const Replacements& replacements) {
  if (!root.is_mapping()) return Done{};
  if (replacements.quick) {
    const auto source =
        std::make_shared<const TextSource>(TextSource{"on the command line, --quick", false});
    for (const auto& [path, value] : quick_settings()) {
      KS_RETURN_IF_ERROR(set_path(root, std::string(path), scalar_node(source, value)));
    }
  }
  for (const auto& text : replacements.settings) {
    KS_RETURN_IF_ERROR(set_one(root, text));
  }
  for (const auto& text : replacements.axes) {
    KS_RETURN_IF_ERROR(replace_axis(root, text));
  }
  return Done{};
}

}  // namespace kernsweep
