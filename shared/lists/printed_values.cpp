#include "shared/lists/printed_values.hpp"

#include <algorithm>

namespace kernsweep {
namespace {

void add_line(std::string& out, std::string_view key, std::string_view value) {
  out += key;
  out += ' ';
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c == '\\' ? std::string("\\\\") : std::string(1, c);
    }
  }
  out += '\n';
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escapes = text[at] == '\\' && at + 1 < text.size();
    if (escapes) ++at;
    out += escapes && text[at] == 'n' ? '\n' : text[at];
  }
  return out;
}

constexpr std::string_view kForms[] = {"regex", "json", "csv"};

}  // namespace

const PrintedValue* PrintedValues::named(std::string_view name) const {
  const auto found = std::ranges::find(values, name, &PrintedValue::name);
  return found == values.end() ? nullptr : &*found;
}

std::string text_of(const PrintedValues& printed) {
  std::string out;
  if (printed.rows) add_line(out, "rows", *printed.rows);
  if (!printed.samples_of.empty()) add_line(out, "samples_of", printed.samples_of);
  for (const PrintedValue& value : printed.values) {
    add_line(out, "value", value.name);
    add_line(out, kForms[static_cast<std::size_t>(value.form)], value.where);
    if (!value.unit.empty()) add_line(out, "unit", value.unit);
    if (!value.unit_where.empty()) add_line(out, "unit_where", value.unit_where);
    if (!value.better.empty()) add_line(out, "better", value.better);
    if (value.optional) out += "optional \n";
    if (value.samples) out += "samples \n";
  }
  return out;
}

PrintedValues printed_values_of(std::string_view text) {
  PrintedValues out;
  PrintedValue outside;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto blank = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, blank);
    std::string value = unescaped(line.substr(std::min(blank + 1, line.size())));
    PrintedValue& present = out.values.empty() ? outside : out.values.back();
    const auto form = std::ranges::find(kForms, key);
    if (key == "value") {
      out.values.emplace_back().name = std::move(value);
    } else if (form != std::end(kForms)) {
      present.form = static_cast<PrintedValue::Form>(form - std::begin(kForms));
      present.where = std::move(value);
    } else if (key == "rows") {
      out.rows = std::move(value);
    } else if (key == "samples_of") {
      out.samples_of = std::move(value);
    } else if (key == "unit") {
      present.unit = std::move(value);
    } else if (key == "unit_where") {
      present.unit_where = std::move(value);
    } else if (key == "better") {
      present.better = std::move(value);
    }
    if (key == "value") continue;
    present.optional = present.optional || key == "optional";
    present.samples = present.samples || key == "samples";
  }
  return out;
}

}  // namespace kernsweep
