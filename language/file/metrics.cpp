#include "language/file/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/file/document.hpp"
#include "language/file/keys.hpp"
#include "language/file/names.hpp"
#include "language/file/setting.hpp"
#include "language/file/text_file.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/printed_values.hpp"
#include "shared/text/pattern.hpp"
#include "shared/text/suggest.hpp"
#include "shared/text/unit_scale.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kValuesMax = 32, kNameMax = 63;
constexpr std::string_view kCommandAxis = "command";

Result<std::string> text_in(const Node& node, const std::string& what) {
  if (node.is_scalar() && !node.is_null()) return node.scalar;
  return wrong(node, fmt::format("{} takes text, not {}", what, describe(node)));
}

Result<bool> truth_in(const Node& node, const std::string& what) {
  if (node.is_scalar() && (node.scalar == "true" || node.scalar == "false")) return node.scalar == "true";
  return wrong(node, fmt::format("{} takes true or false, not {}", what, describe(node)));
}

Status check_pointer(const Node& node) {
  const std::string& text = node.scalar;
  bool good = text.empty() || text.front() == '/' || text.find('/') == std::string::npos;
  for (std::size_t at = text.find('~'); at != std::string::npos; at = text.find('~', at + 1))
    good = good && at + 1 < text.size() && (text[at + 1] == '0' || text[at + 1] == '1');
  if (good) return Done{};
  return wrong(node,
               fmt::format("{} is not a JSON pointer; write /name/0/name, with ~1 for a slash in a name "
                           "and ~0 for a ~",
                           describe(node)));
}

class MetricsReader {
 public:
  explicit MetricsReader(const Node& node) : node_(node) {}

  Result<ReadMetrics> read() {
    KS_RETURN_IF_ERROR(check_keys(node_, key_named(language(), "metrics")->keys, "metrics"));
    if (const Node* rows = node_.find("rows")) {
      KS_ASSIGN_OR_RETURN(printed_.rows, text_in(*rows, "rows"));
      KS_RETURN_IF_ERROR(check_pointer(*rows));
    }
    if (const Node* samples = node_.find("samples_of")) {
      KS_ASSIGN_OR_RETURN(printed_.samples_of, text_in(*samples, "samples_of"));
    }
    if (const Node* by = node_.find("rows_by")) {
      KS_ASSIGN_OR_RETURN(rows_by_, text_in(*by, "rows_by"));
      KS_RETURN_IF_ERROR(check_column_name(*by));
      if (rows_by_ == kCommandAxis)
        return wrong(
            *by,
            "rows_by: 'command' is the axis of the commands; choose another one, as in row: {command: "
            "'{tested}'} with an axis tested that has what the rows have");
    }
    KS_RETURN_IF_ERROR(read_values());
    ReadMetrics out;
    out.rows_by = rows_by_;
    Node text = node_;
    text.kind = Node::Kind::scalar;
    text.scalar = text_of(printed_);
    out.columns.push_back({std::string(kMetricsColumn), ProgramText{text, std::nullopt, {}}});
    if (const Node* hint = node_.find("hint")) {
      KS_RETURN_IF_ERROR(text_in(*hint, "hint"));
      out.columns.push_back({std::string(kMetricsHintColumn), ProgramText{*hint, std::nullopt, {}}});
    }
    KS_RETURN_IF_ERROR(add_source(out));
    KS_RETURN_IF_ERROR(add_row(out));
    out.has_time = printed_.named("seconds") != nullptr;
    return out;
  }

 private:
  Status read_values() {
    const Node* all = node_.find("values");
    if (all == nullptr || !all->is_mapping() || all->entries.empty()) {
      return wrong(all == nullptr ? node_ : *all,
                   "metrics needs `values`, a mapping from names to where the number is: {seconds: {regex: "
                   "'took (?<value>[0-9.e+-]+) s'}}; or a preset");
    }
    for (const auto& [name, value] : all->entries) {
      if (is_ignored_key(name.scalar)) continue;
      const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
      if (name.scalar.empty() || name.scalar.size() > kNameMax || !std::ranges::all_of(name.scalar, fits))
        return wrong(name,
                     fmt::format("metrics: {} is not a valid name of a metric; use a to z, 0 to 9 and _",
                                 describe(name)));
      KS_RETURN_IF_ERROR(read_value(name, value));
    }
    if (printed_.values.size() <= kValuesMax) return Done{};
    return wrong(*all, fmt::format("metrics names {} values, at most {} are possible",
                                   printed_.values.size(), kValuesMax));
  }

  Status read_value(const Node& name, const Node& node) {
    const std::string what = fmt::format("metrics: '{}'", name.scalar);
    if (!node.is_mapping())
      return wrong(
          node, fmt::format("{} takes a mapping such as {{regex: '...'}}, not {}", what, describe(node)));
    const auto keys = key_named(key_named(language(), "metrics")->keys, "values")->keys;
    KS_RETURN_IF_ERROR(check_keys(node, keys, what));
    PrintedValue value;
    value.name = name.scalar;
    KS_RETURN_IF_ERROR(read_form(what, node, value));
    KS_RETURN_IF_ERROR(read_unit(what, node, value));
    if (const Node* better = node.find("better")) {
      if (better->scalar != "larger" && better->scalar != "smaller")
        return wrong(*better,
                     fmt::format("{}: better is larger or smaller, not {}", what, describe(*better)));
      if (is_built_in(value.name))
        return wrong(*better,
                     fmt::format("{}: which numbers are the better ones is known; remove it", what));
      value.better = better->scalar;
    }
    if (const Node* optional = node.find("optional")) {
      KS_ASSIGN_OR_RETURN(value.optional, truth_in(*optional, what + ": optional"));
      if (value.optional && value.name == "seconds")
        return wrong(*optional, "metrics: the time of a run cannot be optional; remove it");
    }
    if (const Node* samples = node.find("samples")) {
      KS_ASSIGN_OR_RETURN(value.samples, truth_in(*samples, what + ": samples"));
      if (value.samples && value.name != "seconds")
        return wrong(*samples, "metrics: only `seconds` has samples");
    }
    printed_.values.push_back(std::move(value));
    return Done{};
  }

  static bool is_built_in(std::string_view name) {
    return name == "seconds" || name == "flops" || name == "bytes";
  }

  Status read_form(const std::string& what, const Node& node, PrintedValue& value) {
    constexpr std::pair<const char*, PrintedValue::Form> kForms[] = {{"regex", PrintedValue::Form::regex},
                                                                     {"json", PrintedValue::Form::json},
                                                                     {"csv", PrintedValue::Form::csv}};
    const Node* found = nullptr;
    for (const auto& [key, form] : kForms) {
      const Node* const given = node.find(key);
      if (given == nullptr) continue;
      if (found != nullptr)
        return wrong(*given, fmt::format("{} has one of regex, json and csv, not two", what));
      found = given;
      value.form = form;
      KS_ASSIGN_OR_RETURN(value.where, text_in(*given, what + ": " + key));
    }
    if (found == nullptr)
      return wrong(node, fmt::format("{} needs one of regex, json and csv: where the number is", what));
    if (value.form == PrintedValue::Form::json) return check_pointer(*found);
    if (value.form == PrintedValue::Form::csv) return Done{};
    return check_pattern(what, *found);
  }

  Status check_pattern(const std::string& what, const Node& node) const {
    const auto pattern = Pattern::of(node.scalar);
    if (!pattern)
      return wrong(node, fmt::format("{}: in {}: {}", what, describe(node), pattern.error().message));
    if (!pattern->has_group("value"))
      return wrong(node,
                   fmt::format("{}: the pattern needs a group for the number: (?<value>[0-9.e+-]+)", what));
    const Node* const row = node_.find("row");
    std::vector<std::string> known = {"value", "unit"};
    if (!rows_by_.empty()) known.push_back(rows_by_);
    if (row != nullptr)
      for (const auto& entry : row->entries) known.push_back(entry.key.scalar);
    for (const std::string& group : pattern->groups())
      if (std::ranges::find(known, group) == known.end() && row != nullptr)
        return wrong(node, fmt::format("{}: the group '{}' of the pattern is not a key of `row`{}", what,
                                       group, did_you_mean(group, known)));
    return Done{};
  }

  Status read_unit(const std::string& what, const Node& node, PrintedValue& value) {
    const Node* const unit = node.find("unit");
    if (unit == nullptr) return Done{};
    if (unit->is_mapping()) {
      const char* const key = value.form == PrintedValue::Form::json ? "json" : "csv";
      const Node* const place = unit->find(key);
      const Node* const like = unit->find("like");
      if (value.form == PrintedValue::Form::regex || place == nullptr ||
          unit->entries.size() != (like == nullptr ? 1 : 2))
        return wrong(*unit,
                     fmt::format("{}: unit takes text, or with {} a mapping with that key; a pattern has "
                                 "a group: (?<unit>ms|s)",
                                 what, key));
      KS_ASSIGN_OR_RETURN(value.unit_where, text_in(*place, what + ": unit"));
      if (value.form == PrintedValue::Form::json) {
        KS_RETURN_IF_ERROR(check_pointer(*place));
      }
      return like == nullptr ? Status(Done{}) : read_kind(what, *like, value);
    }
    return read_kind(what, *unit, value);
  }

  // What kind of numbers are printed.
  static Status read_kind(const std::string& what, const Node& unit, PrintedValue& value) {
    KS_ASSIGN_OR_RETURN(value.unit, text_in(unit, what + ": unit"));
    const auto scale = unit_scale(value.unit);
    if (value.name == "seconds" && (!scale || (!scale->is_time() && !scale->per_second))) {
      return wrong(
          unit, fmt::format("{}: '{}' is neither a unit of time ({}) nor a rate (MB/s, GFLOP/s, tokens/s)",
                            what, value.unit, kTimeUnits));
    }
    if (is_built_in(value.name) && value.name != "seconds")
      return wrong(unit, fmt::format("{} counts {}; remove the unit", what, value.name));
    return Done{};
  }

  Status add_source(ReadMetrics& out) {
    const Node* const from = node_.find("from");
    out.reads_stdout = from == nullptr || from->scalar == "stdout";
    if (from == nullptr) return Done{};
    KS_RETURN_IF_ERROR(text_in(*from, "from"));
    auto word = CommandTemplate::of_words({from->scalar});
    if (!word) return wrong(*from, word.error().message);
    out.columns.push_back({std::string(kMetricsFileColumn), ProgramText{*from, std::move(*word), {}}});
    return Done{};
  }

  Status add_row(ReadMetrics& out) {
    const Node* const given = node_.find("row");
    Node with_key = given == nullptr || given->is_null() ? mapping_node(node_.source) : *given;
    const Node* const fixed = rows_by_.empty() ? nullptr : with_key.find(rows_by_);
    if (fixed != nullptr && fixed->scalar.find("{" + rows_by_ + "}") == std::string::npos)
      return wrong(*fixed, fmt::format("`row` selects one {0}, and `rows_by: {0}` makes each a point; "
                                       "remove one of both",
                                       rows_by_));
    if (const Node* by = node_.find("rows_by"); by != nullptr && with_key.find(rows_by_) == nullptr) {
      Node place = *by;
      place.scalar = "{" + rows_by_ + "}";
      Node key = *by;
      with_key.entries.push_back(NodeEntry{key, place});
    }
    const Node* const row = &with_key;
    if (given != nullptr && !given->is_null() && !given->is_mapping())
      return wrong(*row, fmt::format("row takes a mapping from what a row has to its value, as {{name: "
                                     "'{{benchmark}}'}}, not {}",
                                     describe(*row)));
    std::vector<std::string> words;
    for (const auto& [key, value] : row->entries) {
      KS_ASSIGN_OR_RETURN(const auto text, text_in(value, "row: " + key.scalar));
      const auto alone = CommandTemplate::of_words({"row", text});
      if (!alone) return wrong(value, alone.error().message);
      words.push_back(key.scalar + "=" + text);
      KS_RETURN_IF_ERROR(check_row_key(key));
    }
    if (words.empty()) return Done{};
    KS_ASSIGN_OR_RETURN(auto made, CommandTemplate::of_words(words));
    out.columns.push_back({std::string(kMetricsRowColumn), ProgramText{*row, std::move(made), {}}});
    return Done{};
  }

  // Error if nothing reads the key: a document with rows, a table, or a group of each pattern.
  Status check_row_key(const Node& key) const {
    bool any_json = false;
    for (const PrintedValue& value : printed_.values) {
      any_json = any_json || value.form == PrintedValue::Form::json;
      if (value.form != PrintedValue::Form::regex || value.optional) continue;
      const auto pattern = Pattern::of(value.where);
      if (pattern && !pattern->has_group(key.scalar))
        return wrong(
            key, fmt::format("row: the pattern of '{0}' has no group '{1}'; write (?<{1}>...) where it is",
                             value.name, key.scalar));
    }
    if (any_json && !printed_.rows)
      return wrong(key,
                   "row: `rows` is missing, the pointer to the array that has the rows, as /benchmarks");
    return Done{};
  }

  const Node& node_;
  PrintedValues printed_;
  std::string rows_by_;
};

bool is_form(const NodeEntry& entry) {
  return entry.key.scalar == "regex" || entry.key.scalar == "json" || entry.key.scalar == "csv";
}

// A value of a preset that the file finds elsewhere keeps its unit, and all else that the file does not
// say.
void replace_value(Node& preset, const Node& given) {
  const auto form = std::ranges::find_if(given.entries, is_form);
  if (form != given.entries.end()) {
    const bool as_before = preset.find(form->key.scalar) != nullptr;
    std::erase_if(preset.entries, [&](const NodeEntry& entry) {
      return is_form(entry) || (!as_before && entry.key.scalar == "unit" && entry.value.is_mapping());
    });
  }
  for (const auto& [key, value] : given.entries) put(preset, key.scalar, value);
}

// The preset, with the keys of the file replacing its own.
Result<Node> with_preset(const Node& node) {
  const Node* const named = node.is_mapping() ? node.find("preset") : &node;
  if (named == nullptr) return node;
  std::vector<std::string> names;
  for (const MetricPreset& preset : metric_presets()) {
    names.emplace_back(preset.name);
    if (named->scalar != preset.name) continue;
    const auto source = std::make_shared<const TextSource>(
        TextSource{fmt::format("{}: preset {}", where(*named), preset.name), false});
    KS_ASSIGN_OR_RETURN(auto out, parse_yaml(preset.text, source));
    // The row that the preset selects by default is one of those that the file asks for.
    const Node* const by = node.is_mapping() ? node.find("rows_by") : nullptr;
    if (Node* const row = out.find("row"); by != nullptr && row != nullptr)
      std::erase_if(row->entries, [&](const NodeEntry& entry) { return entry.key.scalar == by->scalar; });
    for (const auto& [key, value] : node.entries) {
      if (key.scalar == "preset") continue;
      const bool adds = key.scalar == "values" || key.scalar == "row";
      Node* const there = adds ? out.find(key.scalar) : nullptr;
      if (there == nullptr || !value.is_mapping()) {
        put(out, key.scalar, value);
      } else {
        for (const auto& [name, one] : value.entries) {
          Node* const before = there->find(name.scalar);
          if (before != nullptr && before->is_mapping() && one.is_mapping()) {
            replace_value(*before, one);
          } else {
            put(*there, name.scalar, one);
          }
        }
      }
    }
    return out;
  }
  return wrong(
      *named, fmt::format("there is no preset {}{}", describe(*named), did_you_mean(named->scalar, names)));
}

}  // namespace

Result<ReadMetrics> read_metrics(const Node& node) {
  if (!node.is_mapping() && (!node.is_scalar() || node.is_null()))
    return wrong(node, "metrics takes the name of a preset or a mapping, not " + describe(node));
  KS_ASSIGN_OR_RETURN(const auto whole, with_preset(node));
  return MetricsReader(whole).read();
}

std::vector<std::string> words_of_metrics(const Node& node) {
  std::vector<std::string> out;
  const auto whole = with_preset(node);
  if (!whole || !whole->is_mapping()) return out;
  if (const Node* from = whole->find("from")) out.push_back(from->scalar);
  if (const Node* row = whole->find("row"))
    for (const auto& [key, value] : row->entries) out.push_back(value.scalar);
  if (const Node* by = whole->find("rows_by")) out.push_back("{" + by->scalar + "}");
  return out;
}

std::optional<std::string> missing_rows_axis(const Node& root) {
  const Node* const metrics = root.find("metrics");
  if (metrics == nullptr) return std::nullopt;
  const auto whole = with_preset(*metrics);
  const Node* const by = whole ? whole->find("rows_by") : nullptr;
  if (by == nullptr || !by->is_scalar() || by->scalar.empty() || by->scalar == kCommandAxis)
    return std::nullopt;  // read_metrics() refuses the last one
  const Node* const axes = root.find("axes");
  if (axes == nullptr) return by->scalar;
  for (const auto& [name, axis] : axes->entries) {
    const Node* const values = axis.is_mapping() ? axis.find("values") : &axis;
    const bool is_record =
        values != nullptr && !values->items.empty() && values->items.front().is_mapping();
    const bool has =
        is_record ? values->items.front().find(by->scalar) != nullptr : name.scalar == by->scalar;
    if (has || (axis.is_mapping() && axis.find("table") != nullptr)) return std::nullopt;
  }
  return by->scalar;
}

std::optional<std::string> missing_rows_axis(const std::string& path, const Replacements& replacements) {
  const auto text = read_text_file(path, kSweepBytesMax);
  if (!text || text->find("metrics") == std::string::npos) return std::nullopt;
  auto root = parse_yaml(*text, std::make_shared<const TextSource>(TextSource{path, true}));
  if (!root || !replace_in_tree(*root, replacements)) return std::nullopt;
  return missing_rows_axis(*root);
}

}  // namespace kernsweep
