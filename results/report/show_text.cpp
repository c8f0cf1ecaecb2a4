#include "results/report/show_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kSummaryColumns = 110;

// Finds the entries of a result by section and name; a missing entry is NULL, as text it is empty.
class Entries {
 public:
  explicit Entries(const Shown& shown) : shown_(shown) {}

  const Shown::Section* section(std::string_view title) const {
    const auto found = std::ranges::find(shown_.sections, title, &Shown::Section::title);
    return found == shown_.sections.end() ? nullptr : &*found;
  }
  Value value(std::string_view title, std::string_view name) const {
    if (const Shown::Section* const in = section(title))
      for (const auto& [entry, value] : in->entries)
        if (entry == name) return value;
    return {};
  }
  std::string text(std::string_view title, std::string_view name) const {
    const Value found = value(title, name);
    return found.is_null() ? "" : found.to_text();
  }
  std::optional<double> number(std::string_view title, std::string_view name) const {
    return value(title, name).number();
  }

 private:
  const Shown& shown_;
};

// Joins the texts that are not empty, with `between` as the separator.
std::string joined_texts(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts)
    if (!text.empty()) all += (all.empty() ? "" : std::string(between)) + text;
  return all;
}

std::string which_result(const Entries& of) {
  const std::string process = of.text("outcome", "process");
  const auto moment = of.number("process", "finished_unix_s");
  return joined_texts({fmt::format("{} of {}@{}", of.text("result", "result"), of.text("result", "sweep"),
                                   of.text("result", "sweep_id")),
                       "job " + of.text("result", "job"), "attempt " + of.text("result", "attempt"),
                       process.empty() ? "" : "process " + process, moment ? text_of_moment(*moment) : ""},
                      ", ");
}

std::string point_text(const Entries& of) {
  std::vector<std::string> values;
  if (const Shown::Section* const point = of.section("point"))
    for (const auto& [name, value] : point->entries)
      values.push_back(name + "=" + one_line(value.to_text()));
  if (of.text("outcome", "cache") == "cold") values.emplace_back("cache=cold");
  return joined_texts(values, " ");
}

std::string status_of(const Entries& of) {
  const std::string grade = of.text("outcome", "grade"), reason = of.text("result", "reason");
  std::string reasons = of.text("measured", "grade_reasons");  // one per line
  for (std::size_t at = 0; (at = reasons.find('\n', at)) != std::string::npos;)
    reasons.replace(at, 1, "; ");
  const std::string again = of.text("result", "final") == "0" ? "its job was tried again" : "";
  return joined_texts(
      {joined_texts({of.text("result", "status"), grade.empty() ? "" : "grade " + grade, again}, ", "),
       joined_texts({reason, reasons}, "; ")},
      ": ");
}

std::string notes_of(const Entries& of) {
  std::string notes = of.text("measured", "notes");  // one per line
  for (std::size_t at = 0; (at = notes.find('\n', at)) != std::string::npos;) notes.replace(at, 1, "; ");
  return notes;
}

std::string time_of(const Entries& of) {
  const auto median = of.number("measured", "median_s");
  if (!median) return "";
  const auto seconds = [&](const char* name) {
    return text_of_seconds(of.number("measured", name).value_or(*median));
  };
  return fmt::format("{}, median of {} samples; quartiles {} and {}, {} to {}", text_of_seconds(*median),
                     of.text("measured", "samples"), seconds("q1_s"), seconds("q3_s"), seconds("min_s"),
                     seconds("max_s"));
}

std::string rate_of(const Entries& of) {
  const auto in = [&](const char* name, const char* unit) {
    const auto number = of.number("outcome", name);
    return number && *number > 0 ? text_of_number(*number) + " " + unit : std::string();
  };
  return joined_texts({in("gflops", "GFLOP/s"), in("gbps", "GB/s")}, ", ");
}

std::string output_of(const Entries& of) {
  const auto error = of.number("measured", "error"), tolerance = of.number("measured", "tolerance");
  const auto repeatable = of.number("measured", "repeatable");
  return joined_texts({of.text("outcome", "output_hash"), error ? fmt::format("error {:.3g}", *error) : "",
                       error && tolerance ? fmt::format("tolerance {:.3g}", *tolerance) : "",
                       !repeatable        ? ""
                       : *repeatable == 0 ? "repeated runs gave different bits"
                                          : "repeated runs gave the same bits"},
                      ", ");
}

// The reference of the output.
std::string verified_of(const Entries& of) {
  const std::string by = of.text("result", "verified_by");
  const std::string status = of.text("result", "status");
  if (by.empty() || (status != "ok" && status != "wrong_result")) return "";  // it was not compared
  return (status == "ok" ? "agrees with " : "differs from ") + by;
}

// How a distrusted kernel was isolated.
std::string distrust_of(const Entries& of) {
  const std::string calls = of.text("distrust", "calls");
  if (calls.empty()) return "";
  const auto handing_over = of.number("distrust", "handing_over_s");
  return joined_texts({fmt::format("{} of {} calls, drawn after they had ended, were checked; each call "
                                   "had its own data, made from the secret {}",
                                   of.text("distrust", "checked"), calls, of.text("distrust", "secret")),
                       handing_over ? "handing over took " + text_of_seconds(*handing_over) : "",
                       of.text("distrust", "isolation")},
                      "; ");
}

// Without the file name of the library, which is long and is printed in the sections.
std::string runtime_of(const Entries& of) {
  const std::string text = of.text("process", "runtime");
  return text.substr(0, text.find(" file="));
}

std::string place_of(const Entries& of) {
  std::string gpus;  // UUIDs: the first words of the lines
  const std::string lines = of.text("process", "gpus");
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    gpus += (gpus.empty() ? "" : " ") + lines.substr(at, std::min(lines.find(' ', at), end) - at);
    at = end + 1;
  }
  const std::string cores = of.text("process", "affinity");
  return joined_texts(
      {of.text("host", "name"), of.text("host", "cpu"), cores.empty() ? "" : "cores " + cores, gpus}, ", ");
}

// How an entry of a result is printed; nullopt: it is left out.
std::optional<Value> worth_showing(const std::string& section, const std::string& name,
                                   const Value& value) {
  if (section == "point") return value;  // an empty text is a value of the sweep here, so it is printed
  if (value.text() && value.text()->empty()) return std::nullopt;
  if (section == "host" || section == "software") {
    if (value.number() == 0.0 || (value.text() && *value.text() == "unknown")) return std::nullopt;
    if (name == "memory_bytes" && value.number()) return Value(text_of_bytes(*value.number()));
  }
  if (name.ends_with("_unix_s") && value.number())
    return Value(fmt::format("{:.3f} ({})", *value.number(), text_of_moment(*value.number())));
  return value;
}

}  // namespace

std::string summary_of(const Shown& shown, const std::string& more) {
  const Entries of(shown);
  const std::string roof = joined_texts({of.text("roof", "share"), of.text("roof", "why")}, "");
  const std::pair<const char*, std::string> lines[] = {
      {"result", which_result(of)},  {"point", point_text(of)},
      {"status", status_of(of)},     {"time", time_of(of)},
      {"rate", rate_of(of)},         {"roof", roof},
      {"output", output_of(of)},     {"checked", verified_of(of)},
      {"distrust", distrust_of(of)}, {"outputs", of.text("outputs", "compared")},
      {"note", notes_of(of)},        {"runtime", runtime_of(of)},
      {"where", place_of(of)},       {"more", more}};
  NamedValues told;
  for (const auto& [label, text] : lines)
    if (!text.empty()) told.emplace_back(label, Value(wrapped(text, kSummaryColumns)));
  return text_list(told, "");
}

std::string text_of(const Shown& shown) {
  std::string text;
  for (const auto& section : shown.sections) {
    NamedValues entries;
    for (const auto& [name, value] : section.entries)
      if (auto worth = worth_showing(section.title, name, value))
        entries.emplace_back(name == "memory_bytes" ? "memory" : name,
                             section.title == "point" ? Value(worth->to_text()) : std::move(*worth));
    if (!entries.empty()) text += section.title + "\n" + text_list(entries, "  ");
  }
  return text;
}

}  // namespace kernsweep
