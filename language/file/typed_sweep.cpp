#include "language/file/typed_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "language/file/command_template.hpp"
#include "language/file/document.hpp"
#include "language/file/metrics.hpp"
#include "language/file/names.hpp"
#include "language/file/yaml_text.hpp"
#include "language/space/axis.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// A command of the command line with the names of its placeholders.
struct TypedCommand {
  std::string name;
  Node text;
  std::vector<std::string> places;
};

Result<std::vector<std::string>> places_of(const Node& text) {
  if (const auto flaw = flaw_of_text(text.scalar)) return wrong(text, flaw->message);
  const auto read = CommandTemplate::of_text(text.scalar);
  if (!read) return wrong(text, read.error().message);
  return read->names();
}

// "gzip" of "/usr/bin/gzip -c {level}", with only the characters that a sweep's name may have.
std::string program_name(const std::string& command) {
  const std::string first = command.substr(0, command.find_first_of(" \t\n"));
  std::string name = std::filesystem::path(first).filename().string();
  std::erase_if(name, [](unsigned char c) {
    return c >= 0x80 || (std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-');
  });
  while (!name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) == 0) name.erase(0, 1);
  return name.empty() ? "command" : name;
}

// "fd-rg" of several programs.
std::string sweep_name(const std::vector<std::string>& commands) {
  constexpr std::size_t kMost = 60;
  std::vector<std::string> names;
  for (const std::string& command : commands)
    if (std::string name = program_name(command); std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  std::string out;
  for (const std::string& name : names)
    if (out.size() + name.size() < kMost) out += (out.empty() ? "" : "-") + name;
  return out.empty() ? "command" : out;
}

std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

// Whether an axis changes a job although no command uses it.
bool needs_no_place(const std::string& axis) {
  return is_note(axis) || is_environment(axis) || is_resource(axis);
}

class Writer {
 public:
  Writer(const TypedSweep& typed, const Replacements& replacements, std::size_t cores)
      : typed_(typed),
        replacements_(replacements),
        cores_(cores),
        root_(mapping_node(argument("-c", ""))) {}

  Result<WrittenSweep> write() {
    KS_RETURN_IF_ERROR(read_commands());
    add("sweep", scalar_node(root_.source, "1"));
    Node name = scalar_node(root_.source, sweep_name(typed_.commands));
    name.quoted = name.is_null();
    add("name", std::move(name));
    add_commands();
    KS_RETURN_IF_ERROR(add_beside("build", typed_.build));
    give_places_of_build();
    KS_RETURN_IF_ERROR(add_beside("setup", typed_.setup));
    KS_RETURN_IF_ERROR(add_beside("cleanup", typed_.cleanup));
    KS_RETURN_IF_ERROR(add_metrics());
    KS_RETURN_IF_ERROR(add_axes());
    KS_RETURN_IF_ERROR(check_places());
    add_problem();
    Replacements settings;
    settings.settings = replacements_.settings;
    KS_RETURN_IF_ERROR(replace_in_tree(root_, settings));
    WrittenSweep out{root_, text(), replacements_};
    out.left.axes.clear();
    out.left.settings.clear();
    return out;
  }

 private:
  Node& add(const char* key, Node value) { return put(root_, key, std::move(value)); }

  Status read_commands() {
    if (typed_.names.size() > typed_.commands.size()) {
      return failure(
          fmt::format("on the command line, --name '{}': there are {} names for {} (-c); "
                      "remove one",
                      typed_.names[typed_.commands.size()], typed_.names.size(),
                      counted(typed_.commands.size(), "command", "commands")));
    }
    std::set<std::string> met;
    for (std::size_t i = 0; i < typed_.commands.size(); ++i) {
      const std::string& command = typed_.commands[i];
      const bool is_named = i < typed_.names.size();
      const std::string& name = is_named ? typed_.names[i] : command;
      Node text = scalar_node(argument("-c", command), command);
      text.quoted = text.is_null();  // a program may have this name
      if (!met.insert(name).second) {
        return is_named
                   ? failure(fmt::format("on the command line, --name '{}': two commands have this name; "
                                         "give each one of its own",
                                         name))
                   : tl::unexpected(wrong(text,
                                          "this command is there twice; to compare it with itself, "
                                          "give each a name: --name a --name b"));
      }
      KS_ASSIGN_OR_RETURN(auto places, places_of(text));
      commands_.push_back({name, std::move(text), std::move(places)});
    }
    return Done{};
  }

  bool has_names() const { return commands_.size() > 1 || !typed_.names.empty(); }

  void add_commands() {
    if (!has_names()) {
      add("command", commands_.front().text);
      return;
    }
    Node all = mapping_node(commands_.front().text.source);
    for (const TypedCommand& each : commands_) {
      Node name = each.text;
      name.scalar = each.name;
      all.entries.push_back(NodeEntry{name, each.text});
    }
    add("commands", std::move(all));
  }

  Status add_beside(const std::string& key, const std::string& text) {
    if (text.empty()) return Done{};
    Node node = scalar_node(argument("--" + key, text), text);
    KS_ASSIGN_OR_RETURN(auto places, places_of(node));
    beside_.push_back({key, node, std::move(places)});
    add(key.c_str(), std::move(node));
    return Done{};
  }

  // A command that uses the file of a build also uses the placeholders of the build.
  void give_places_of_build() {
    if (typed_.build.empty()) return;
    std::vector<std::string>& places = beside_.back().places;
    std::erase(places, "out");
    known_.insert("build");
    for (TypedCommand& command : commands_) {
      if (std::ranges::find(command.places, "build") == command.places.end()) continue;
      for (const std::string& place : places)
        if (std::ranges::find(command.places, place) == command.places.end())
          command.places.push_back(place);
    }
  }

  Status add_metrics() {
    if (typed_.metrics.empty()) return Done{};
    KS_ASSIGN_OR_RETURN(auto node, parse_yaml(typed_.metrics, argument("--metrics", typed_.metrics)));
    for (const std::string& word : words_of_metrics(node))
      if (const auto read = CommandTemplate::of_words({word}))
        beside_.push_back({"metrics", node, read->names()});
    add("metrics", std::move(node));
    return Done{};
  }

  bool is_used(const std::string& axis) const {
    const auto names = [&](const TypedCommand& each) {
      return std::ranges::find(each.places, axis) != each.places.end();
    };
    return std::ranges::any_of(commands_, names) || std::ranges::any_of(beside_, names);
  }

  // The condition of an axis that some commands do not use: it is inactive for those.
  std::string condition_of(const std::string& axis) const {
    std::vector<std::string> users;
    for (const TypedCommand& each : commands_)
      if (std::ranges::find(each.places, axis) != each.places.end())
        users.push_back(quoted_text(each.name));
    if (users.empty() || users.size() == commands_.size()) return "";
    return users.size() == 1 ? "command == " + users.front()
                             : fmt::format("command in [{}]", fmt::join(users, ", "));
  }

  static Node with_condition(Node value, const std::string& condition) {
    if (condition.empty() || (value.is_mapping() && value.find("when") != nullptr)) return value;
    const TextSourcePtr source = value.source;
    Node spec = mapping_node(source);
    if (value.is_mapping()) {
      spec = std::move(value);
    } else {
      put(spec, "values", std::move(value));
    }
    put(spec, "when", scalar_node(source, condition));
    return spec;
  }

  // Columns of a record axis, else the axis.
  static std::vector<std::string> columns_of(const std::string& name, const Node& value) {
    const Node* list = value.is_mapping() ? value.find("values") : &value;
    if (list == nullptr || list->items.empty() || !list->items.front().is_mapping()) return {name};
    std::vector<std::string> out;
    for (const auto& entry : list->items.front().entries) out.push_back(entry.key.scalar);
    return out;
  }

  // hyperfine's syntax for a list would be read as one value.
  static Status check_no_list(const TypedAxis& axis) {
    const Node& value = axis.value;
    if (!value.is_scalar() || value.quoted || value.scalar.find(',') == std::string::npos) return Done{};
    return wrong(
        value,
        fmt::format(
            "this is a single value '{0}'; write {1}=[{0}] for a list, or {1}=['{0}'] if that is meant",
            value.scalar, axis.name));
  }

  Status add_axes() {
    Node axes = mapping_node(root_.source);
    for (const std::string& text : replacements_.axes) {
      KS_ASSIGN_OR_RETURN(auto axis, typed_axis(text));
      const Node place = scalar_node(axis.value.source, "");
      if (axes.find(axis.name) != nullptr)
        return wrong(place,
                     fmt::format("the axis '{}' is there twice; give all its values at once", axis.name));
      if (axis.name == "command")
        return wrong(place, "the commands are the axis 'command'; give each by -c");
      KS_RETURN_IF_ERROR(check_no_list(axis));
      const bool is_table = axis.value.is_mapping() && axis.value.find("table") != nullptr;
      const auto columns = columns_of(axis.name, axis.value);
      const auto serves = [&](const std::string& column) {
        return needs_no_place(column) || is_used(column);
      };
      if (!is_table && std::ranges::none_of(columns, serves)) {
        return wrong(place, fmt::format("no command (-c) uses the axis '{}'; write {{{}}} where its value "
                                        "belongs{}",
                                        axis.name, columns.front(), did_you_mean(axis.name, all_places())));
      }
      is_open_ = is_open_ || is_table;
      for (const std::string& column : columns) known_.insert(column);
      const bool is_plain = columns.size() == 1 && !needs_no_place(axis.name);
      put(axes, axis.name, with_condition(std::move(axis.value), is_plain ? condition_of(axis.name) : ""));
    }
    KS_RETURN_IF_ERROR(add_threads(axes));
    add("axes", std::move(axes));
    return Done{};
  }

  Status add_threads(Node& axes) {
    const bool is_given = axes.find("threads") != nullptr;
    if (is_given && typed_.threads > 0)
      return failure("on the command line: both --threads and -a 'threads=...' are given; remove one");
    if (is_given) return Done{};
    const std::uint64_t threads = typed_.threads > 0 ? typed_.threads : std::max<std::size_t>(cores_, 1);
    const auto source = argument("--threads", std::to_string(threads));
    put(axes, "threads", scalar_node(source, std::to_string(threads)));
    known_.insert("threads");
    return Done{};
  }

  std::vector<std::string> all_places() const {
    std::vector<std::string> out;
    for (const auto* list : {&commands_, &beside_})
      for (const TypedCommand& each : *list) out.insert(out.end(), each.places.begin(), each.places.end());
    return out;
  }

  Status check_places() const {
    std::vector<std::string> known(known_.begin(), known_.end());
    std::erase_if(known, [](const std::string& name) { return name == "threads" || name == "build"; });
    for (const auto* list : {&commands_, &beside_})
      for (const TypedCommand& each : *list)
        for (const std::string& place : each.places) {
          const bool is_name = place == "command" && has_names();
          // A run may find the values of a placeholder in `metrics`.
          if (is_open_ || is_name || known_.contains(place) || each.name == "metrics") continue;
          if (!check_column_name(scalar_node(each.text.source, place)))
            return wrong(each.text, fmt::format("no axis can have the name {0}; write {{{{{0}}}}} for "
                                                "the characters",
                                                place));
          return wrong(each.text,
                       fmt::format("{{{0}}} has no axis{1}; add -a '{0}=[1, 2]' with its values, or write "
                                   "{{{{{0}}}}} for the characters",
                                   place, did_you_mean(place, known)));
        }
    return Done{};
  }

  void add_problem() {
    if (typed_.problem.empty()) return;
    Node list;
    list.kind = Node::Kind::sequence;
    for (const std::string& given : typed_.problem) {
      list.source = argument("--problem", given);
      for (std::size_t at = 0; at <= given.size();) {
        const auto comma = std::min(given.find(',', at), given.size());
        list.items.push_back(scalar_node(list.source, given.substr(at, comma - at)));
        at = comma + 1;
      }
    }
    add("problem", std::move(list));
  }

  // The options that define this sweep, without those about how it is run.
  std::string typed_words() const {
    std::string out = "kernsweep run";
    const auto option = [&](const char* name, const std::string& value) {
      out += fmt::format(" {} {}", name, quoted_word(value));
    };
    for (const std::string& command : typed_.commands) option("-c", command);
    for (const std::string& name : typed_.names) option("--name", name);
    for (const std::string& axis : replacements_.axes) option("-a", axis);
    if (!typed_.build.empty()) option("--build", typed_.build);
    if (!typed_.setup.empty()) option("--setup", typed_.setup);
    if (!typed_.cleanup.empty()) option("--cleanup", typed_.cleanup);
    if (!typed_.metrics.empty()) option("--metrics", typed_.metrics);
    for (const std::string& name : typed_.problem) option("--problem", name);
    if (typed_.threads > 0) option("--threads", std::to_string(typed_.threads));
    for (const std::string& setting : replacements_.settings) option("--set", setting);
    std::ranges::replace_if(
        out, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    return out;
  }

  void add_block(std::string& out, const char* key, const Node& mapping) const {
    out += fmt::format("{}:\n", key);
    for (const auto& [name, value] : mapping.entries)
      out += fmt::format("  {}: {}\n", yaml_key(name.scalar), yaml_value(value));
  }

  std::string text() const {
    std::string out = "# " + typed_words() + "\n";
    for (const auto& [key, value] : root_.entries) {
      const std::string& name = key.scalar;
      if (name == "command" || name == "commands")
        out += "\n# {NAME} is the value of an axis. There is no shell; for one: sh -c '...'\n";
      if (name == "axes")
        out += typed_.threads == 0 && value.find("threads") != nullptr
                   ? "\n# Every combination is measured. threads: how many cores a process may use.\n"
                   : "\n# Every combination is measured.\n";
      if (name == "build")
        out +=
            "\n# Runs once for each combination of its values; {out} is the file that {build} stands "
            "for.\n";
      if (name == "metrics")
        out += "\n# The numbers that the program prints, in place of its time from start to end.\n";
      if (name == "problem") out += "\n# Only points with equal values here compete.\n";
      if (name == "commands" || name == "axes")
        add_block(out, name.c_str(), value);
      else
        out += fmt::format("{}: {}\n", yaml_key(name), yaml_value(value));
    }
    return out;
  }

  const TypedSweep& typed_;
  const Replacements& replacements_;
  const std::size_t cores_;
  Node root_;
  std::vector<TypedCommand> commands_, beside_;
  std::set<std::string> known_;  // columns
  bool is_open_ = false;         // a table may have more columns
};

}  // namespace

Result<WrittenSweep> written_sweep(const TypedSweep& typed, const Replacements& replacements,
                                   std::size_t cores) {
  return Writer(typed, replacements, cores).write();
}

}  // namespace kernsweep
