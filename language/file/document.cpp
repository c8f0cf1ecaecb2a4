#include "language/file/document.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "language/file/kernel.hpp"
#include "language/file/names.hpp"
#include "language/file/setting.hpp"
#include "language/file/shell_characters.hpp"
#include "language/space/table.hpp"
#include "shared/base/try.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

class Reader {
 public:
  Reader(const Node& root, Document& document, TableSource& tables, bool quick)
      : root_(root), document_(document), tables_(tables), quick_(quick) {}

  Status read() {
    if (!root_.is_mapping()) {
      return wrong(root_,
                   fmt::format("a sweep is a mapping with the keys sweep, name, kernel and axes, not {}",
                               describe(root_)));
    }
    KS_RETURN_IF_ERROR(check_keys(root_, language(), "a sweep"));
    Status (Reader::*const steps[])() = {
        &Reader::read_version,      &Reader::read_kernel,    &Reader::read_settings,
        &Reader::read_axes,         &Reader::read_zips,      &Reader::read_derived,
        &Reader::read_problem,      &Reader::read_filters,   &Reader::read_constraints,
        &Reader::read_requirements, &Reader::read_overrides, &Reader::read_claims};
    for (const auto step : steps) {
      KS_RETURN_IF_ERROR((this->*step)());
    }
    return Done{};
  }

 private:
  // The names of several commands, each with its place.
  Result<Axis> axis_of_commands(const Node& commands) {
    Node name = commands, list = commands;
    name.kind = Node::Kind::scalar;
    name.scalar = document_.sweep.kernel;
    list.kind = Node::Kind::sequence;
    list.entries.clear();
    for (const NamedCommand& each : document_.program->several) {
      list.items.push_back(each.name);
      list.items.back().quoted = true;
    }
    return read_axis(name, list, tables_, document_.passed, document_.notes);
  }

  Status missing(const char* key, const char* example) const {
    return wrong(root_, fmt::format("the key '{}' is missing; add for example `{}`", key, example));
  }

  Status read_version() {
    const Node* node = root_.find("sweep");
    if (node == nullptr) return missing("sweep", "sweep: 1");
    if (!node->is_scalar() || node->scalar != "1") {
      return wrong(*node,
                   fmt::format("this is version 1 of the sweep language, the file asks for {}; a newer "
                               "kernsweep may know it",
                               describe(*node)));
    }
    return Done{};
  }

  Status read_kernel() { return kernsweep::read_kernel(root_, document_); }

  Status read_settings() {
    Sweep& sweep = document_.sweep;
    for (const auto& entry : root_.entries) {
      const Key* key = key_named(language(), entry.key.scalar);
      if (key == nullptr || (!key->is_setting() && key->kind != KeyKind::section)) continue;
      KS_RETURN_IF_ERROR(apply_setting(*key, entry.key.scalar, entry.value, sweep));
    }
    if (const Node* verify = root_.find("verify")) note_verify("verify", *verify);
    const Node* name = root_.find("name");
    if (name == nullptr) return missing("name", "name: gemm-first-look");
    KS_RETURN_IF_ERROR(check_sweep_name(*name));
    const Node* measure = root_.find("measure");
    const auto given = [&](const char* key) { return measure != nullptr && measure->find(key) != nullptr; };
    document_.alone_on_given = given("alone_on");
    document_.sampling_given = given("warmup") || given("samples") || given("stop");
    const Node* retry = root_.find("retry");
    document_.retry_given = retry != nullptr && retry->find("for") != nullptr;
    return check_bounds(sweep.rules, where(measure != nullptr ? *measure : root_));
  }

  void note_verify(const std::string& path, const Node& value) {
    const auto note = [&](const char* name, std::vector<Node>& target) {
      const Node* const found = path == std::string("verify.") + name    ? &value
                                : path == "verify" && value.is_mapping() ? value.find(name)
                                                                         : nullptr;
      if (found != nullptr) target.push_back(*found);
    };
    note("reference", document_.references);
    note("tolerance", document_.tolerances);
  }

  Status read_axes() {
    const Node* axes = root_.find("axes");
    if (axes == nullptr) return missing("axes", "axes: {threads: [1, 2, 4]}");
    if (!axes->is_mapping()) {
      return wrong(*axes,
                   fmt::format("axes takes a mapping from names to values, not {}", describe(*axes)));
    }
    document_.passed = passed_columns(root_);
    note_shell_characters(root_, document_.notes);
    const Node* const commands = root_.find("commands");
    if (commands != nullptr) {
      KS_ASSIGN_OR_RETURN(auto names, axis_of_commands(*commands));
      document_.axes.push_back(std::move(names));
    }
    for (const auto& [name, value] : axes->entries) {
      if (is_ignored_key(name.scalar)) continue;
      if (commands != nullptr && name.scalar == "command")
        return wrong(name, "the names of `commands` are the axis 'command'; call this one something else");
      KS_ASSIGN_OR_RETURN(auto axis, read_axis(name, value, tables_, document_.passed, document_.notes));
      document_.axes.push_back(std::move(axis));
    }
    if (document_.axes.empty()) return wrong(*axes, "axes is empty; a sweep varies something");
    if (document_.axes.size() > kAxesMax) return wrong(*axes, fmt::format("more than {} axes", kAxesMax));
    return Done{};
  }

  Status read_zips() {
    const Node* zip = root_.find("zip");
    if (zip == nullptr) return Done{};
    if (!zip->is_mapping())
      return wrong(*zip, "zip takes a mapping from names to lists of axes, as {tile: [a, b]}");
    for (const auto& [name, members] : zip->entries) {
      if (is_ignored_key(name.scalar)) continue;
      if (!members.is_sequence() || members.items.size() < 2) {
        return wrong(members, fmt::format("zip '{}' takes a list of at least two axes", name.scalar));
      }
      for (const Node& member : members.items) {
        if (!member.is_scalar())
          return wrong(member, "a member of zip is the name of an axis, not " + describe(member));
      }
      document_.zips.push_back(ZipGroup{name, members.items});
    }
    return Done{};
  }

  Status read_derived() {
    const Node* derive = root_.find("derive");
    if (derive == nullptr) return Done{};
    if (!derive->is_mapping()) return wrong(*derive, "derive takes a mapping from names to expressions");
    for (const auto& [name, value] : derive->entries) {
      if (is_ignored_key(name.scalar)) continue;
      KS_RETURN_IF_ERROR(check_column_name(name));
      if (is_environment(name.scalar)) {
        return wrong(name,
                     fmt::format("'{}' cannot be derived; derived columns are notes and set no environment",
                                 name.scalar));
      }
      KS_ASSIGN_OR_RETURN(auto expression, read_expression(value, "derive"));
      document_.derived.push_back(Formula{name.scalar, "", std::move(expression), value});
    }
    return Done{};
  }

  Status read_problem() {
    const Node* list = root_.find("problem");
    if (list == nullptr) return Done{};
    if (!list->is_sequence()) {
      return wrong(*list, fmt::format("problem takes a list of columns, as [m, n, k], not {}; [] makes all "
                                      "columns settings",
                                      describe(*list)));
    }
    std::set<std::string> names;
    for (const Node& name : list->items) {
      if (!name.is_scalar() || name.is_null() || name.scalar.empty())
        return wrong(name, "an entry of problem is the name of a column, not " + describe(name));
      if (!names.insert(name.scalar).second)
        return wrong(name, fmt::format("problem names '{}' twice; remove one", name.scalar));
    }
    document_.problem = *list;
    return Done{};
  }

  Status read_points(const char* key, std::vector<Node>& out) const {
    const Node* list = root_.find(key);
    if (list == nullptr) return Done{};
    if (!list->is_sequence())
      return wrong(*list, fmt::format("{} takes a list of mappings, not {}", key, describe(*list)));
    for (const Node& item : list->items) {
      if (!item.is_mapping() || item.entries.empty()) {
        return wrong(item, fmt::format("an entry of {} is a mapping from columns to values, not {}", key,
                                       item.is_mapping() ? "an empty one" : describe(item)));
      }
      for (const auto& [column, value] : item.entries) {
        if (!value.is_scalar()) {
          return wrong(
              value, fmt::format("{}: '{}' takes one value, not {}", key, column.scalar, describe(value)));
        }
      }
      out.push_back(item);
    }
    return Done{};
  }

  Status read_filters() {
    KS_RETURN_IF_ERROR(read_points("exclude", document_.excludes));
    return read_points("include", document_.includes);
  }

  Status read_constraints() {
    const Node* list = root_.find("constraints");
    if (list == nullptr) return Done{};
    if (!list->is_sequence())
      return wrong(*list, "constraints takes a list of expressions, not " + describe(*list));
    for (const Node& item : list->items) {
      const Node* text = &item;
      std::string why;
      if (item.is_mapping()) {
        KS_RETURN_IF_ERROR(check_keys(item, key_named(language(), "constraints")->keys, "a constraint"));
        text = item.find("expr");
        if (text == nullptr) return wrong(item, "a constraint needs `expr`");
        if (const Node* reason = item.find("why")) {
          if (!reason->is_scalar()) return wrong(*reason, "why takes text, not " + describe(*reason));
          why = reason->scalar;
        }
      }
      KS_ASSIGN_OR_RETURN(auto expression, read_expression(*text, "a constraint"));
      document_.constraints.push_back(Formula{"", why, std::move(expression), *text});
    }
    return Done{};
  }

  Status read_requirements() {
    const Node* list = root_.find("requires");
    if (list == nullptr) return Done{};
    const std::vector<Node> one = {*list};
    if (list->is_mapping()) return wrong(*list, "requires takes a list of expressions, not a mapping");
    for (const Node& item : list->is_sequence() ? list->items : one) {
      KS_ASSIGN_OR_RETURN(auto expression, read_expression(item, "requires"));
      document_.requirements.push_back(Formula{"", "", std::move(expression), item});
    }
    return Done{};
  }

  Status read_override(const Node& item) {
    if (!item.is_mapping())
      return wrong(item, "an override is a mapping with `when` and `set`, not " + describe(item));
    KS_RETURN_IF_ERROR(check_keys(item, key_named(language(), "overrides")->keys, "an override"));
    const Node* when = item.find("when");
    const Node* set = item.find("set");
    if (when == nullptr || set == nullptr) return wrong(item, "an override needs `when` and `set`");
    KS_ASSIGN_OR_RETURN(auto expression, read_expression(*when, "when"));
    if (!set->is_mapping())
      return wrong(*set, "set takes a mapping from settings to values, not " + describe(*set));
    OverrideEntry entry{Formula{"", "", std::move(expression), *when}, {}};
    Sweep tried = document_.sweep;
    for (const auto& [path, value] : set->entries) {
      if (is_ignored_key(path.scalar)) continue;
      const SettingPath setting = setting_at(path.scalar);
      if (setting.key == nullptr || !setting.key->per_point) {
        return wrong(path,
                     setting.key != nullptr
                         ? fmt::format("'{}' applies to the whole sweep and cannot differ between points",
                                       path.scalar)
                         : fmt::format("there is no setting '{}'{}", path.scalar,
                                       did_you_mean(path.scalar, setting_paths(true))));
      }
      Assignment assignment{setting.key, path.scalar, value};
      const bool names_one =
          setting.key->kind == KeyKind::number_by_name && setting.steps.back() != setting.key->name;
      if (names_one) {
        Node map = value;
        map.kind = Node::Kind::mapping;
        Node name = path;
        name.scalar = setting.steps.back();
        map.entries.assign(1, NodeEntry{name, value});
        assignment.value = std::move(map);
        assignment.path.resize(assignment.path.size() - name.scalar.size() - 1);
      }
      KS_RETURN_IF_ERROR(apply_setting(*setting.key, assignment.path, assignment.value, tried));
      note_verify(assignment.path, assignment.value);
      for (const char* sampling : {"measure.warmup", "measure.samples", "measure.stop"})
        if (path.scalar.starts_with(sampling)) document_.sampling_given = true;
      // --quick keeps sampling short: overrides of `measure` do not apply.
      if (!quick_ || !path.scalar.starts_with("measure.")) entry.set.push_back(std::move(assignment));
    }
    if (auto good = check_bounds(tried.rules, where(*set)); !good && !quick_) return good;
    document_.overrides.push_back(std::move(entry));
    return Done{};
  }

  Status read_overrides() {
    const Node* list = root_.find("overrides");
    if (list == nullptr) return Done{};
    if (!list->is_sequence()) return wrong(*list, "overrides takes a list, not " + describe(*list));
    constexpr std::size_t kMost = 63;  // a bit of a point's mask for each, and one for add_devices
    if (list->items.size() > kMost) return wrong(*list, fmt::format("more than {} overrides", kMost));
    for (const Node& item : list->items) {
      KS_RETURN_IF_ERROR(read_override(item));
    }
    return Done{};
  }

  Status read_claims() {
    const Node* list = root_.find("claims");
    if (list == nullptr) return Done{};
    KS_ASSIGN_OR_RETURN(auto claims, kernsweep::read_claims(*list));
    document_.claims = std::move(claims);
    return Done{};
  }

  const Node& root_;
  Document& document_;
  TableSource& tables_;
  bool quick_;
};

Result<Document> document_of(Node root, std::string text, const std::string& path,
                             const Replacements& replacements, TableSource& tables) {
  KS_RETURN_IF_ERROR(replace_in_tree(root, replacements));
  Document document;
  document.sweep.file = path;
  document.sweep.text = std::move(text);
  document.sweep.quick = replacements.quick;
  document.sweep.order = replacements.default_order;
  document.sweep.order_seed = replacements.order_seed;
  document.sweep.rules.measure.quick = replacements.quick;
  Reader reader(root, document, tables, replacements.quick);
  KS_RETURN_IF_ERROR(reader.read());
  document.sweep.tables = tables.take();
  return document;
}

}  // namespace

Result<Expression> read_expression(const Node& node, const std::string& what) {
  if (!node.is_scalar() || node.is_null()) {
    return wrong(node, fmt::format("{} takes an expression, not {}", what, describe(node)));
  }
  auto expression = Expression::parse(node.scalar);
  if (!expression) return wrong(node, fmt::format("in {}: {}", describe(node), expression.error().message));
  return expression;
}

Result<Document> read_document(std::string text, const std::string& path, const Replacements& replacements,
                               const std::vector<TextFile>* tables) {
  const auto source = std::make_shared<const TextSource>(TextSource{path.empty() ? "sweep" : path, true});
  KS_ASSIGN_OR_RETURN(auto root, parse_yaml(text, source));
  std::optional<std::string> directory;
  if (!path.empty()) directory = std::filesystem::path(path).parent_path().string();
  TableSource source_of_tables(directory, tables);
  return document_of(std::move(root), std::move(text), path, replacements, source_of_tables);
}

Result<Document> read_document(Node root, std::string text, const Replacements& replacements) {
  TableSource tables(std::string(), nullptr);
  return document_of(std::move(root), std::move(text), "", replacements, tables);
}

}  // namespace kernsweep
