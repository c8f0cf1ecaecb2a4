// The JSON of hyperfine 1 and 2 (foreign_results.hpp), and the commands of its parameter scans.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "results/read/foreign_json.hpp"

#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

using Texts = std::vector<std::string>;
constexpr std::size_t kParametersMax = 200;

// The text of a parameter: a text as it was typed, a number as JSON.
std::optional<std::string> parameter_text(const ForeignJson& result, const std::string& name) {
  const auto all = result.find("parameters");
  if (all == result.end() || !all->is_object() || !all->contains(name)) return std::nullopt;
  return (*all)[name].is_string() ? (*all)[name].get<std::string>() : (*all)[name].dump();
}

// The names of the parameters of all results, in the order of first use. Error: one is called variant.
Result<Texts> parameters_in(const ForeignJson& results) {
  Texts names;
  for (const ForeignJson& each : results) {
    if (!each.is_object() || !each.contains("parameters") || !each["parameters"].is_object()) continue;
    for (const auto& [name, value] : each["parameters"].items())
      if (names.size() <= kParametersMax && std::ranges::find(names, name) == names.end())
        names.push_back(name);
  }
  if (names.size() > kParametersMax)
    return failure(fmt::format("has more than {} parameters, which are too many", kParametersMax));
  if (std::ranges::find(names, "variant") != names.end())
    return failure("a parameter is called variant, which is what commands are called here; rename it");
  return names;
}

// ---- templates
//
// The file has commands as they were run: "sort --parallel 4 data". The command that was typed, "sort
// --parallel {threads} data", becomes a command that was run for the values of every combination of the
// parameters. A template is used only if this is true for it.

constexpr std::size_t kTemplatePlacesMax = 12;  // 4,096 templates are tried at most
// Bytes that the search reads or makes; if these are not enough, no template is returned.
constexpr std::size_t kSearchBytesMax = std::size_t{1} << 27;

// A template: texts and, between them, parameters. parts.size() == which.size() + 1.
struct Template {
  Texts parts;
  std::vector<std::size_t> which;

  std::string with(const Texts& values) const {
    std::string command = parts.front();
    for (std::size_t i = 0; i < which.size(); ++i) command += values[which[i]] + parts[i + 1];
    return command;
  }
};

struct ValuePlace {
  std::size_t at, length, parameter;
};

// Where values occur in the command, from its start to its end; at most `most` places. Parameters with one
// value are not replaced, because their place makes no difference.
std::vector<ValuePlace> places_in(const std::string& command, const Texts& values,
                                  const std::vector<bool>& varies, std::size_t most) {
  std::vector<ValuePlace> places;
  for (std::size_t at = 0; at < command.size() && places.size() <= most; ++at)
    for (std::size_t p = 0; p < values.size(); ++p)
      if (varies[p] && !values[p].empty() && command.compare(at, values[p].size(), values[p]) == 0)
        places.push_back({at, values[p].size(), p});
  return places;
}

// The template in which the places of `chosen`, a bit for each, are parameters. Nothing: two overlap.
std::optional<Template> template_of(const std::string& command, const std::vector<ValuePlace>& places,
                                    std::size_t chosen) {
  Template made;
  std::size_t from = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if ((chosen >> i & 1U) == 0) continue;
    if (places[i].at < from) return std::nullopt;
    made.parts.push_back(command.substr(from, places[i].at - from));
    made.which.push_back(places[i].parameter);
    from = places[i].at + places[i].length;
  }
  made.parts.push_back(command.substr(from));
  return made;
}

class Templates {
 public:
  // `values`: for each command, those of `names`.
  Templates(const Texts& names, std::vector<Texts> values, Texts commands)
      : names_(names), values_(std::move(values)), commands_(std::move(commands)) {
    for (std::size_t p = 0; p < names.size(); ++p)
      varies_.push_back(
          std::ranges::any_of(values_, [&](const Texts& each) { return each[p] != values_.front()[p]; }));
    for (std::size_t i = 0; i < values_.size(); ++i) combinations_[values_[i]].push_back(i);
  }

  // Each command, or its template, such as "sort --parallel {threads} data".
  Texts variants() {
    Texts variants = commands_;
    if (commands_.empty()) return variants;
    for (const std::size_t first : combinations_.at(values_[clearest()]))
      if (const auto found = of_command(first))
        for (const std::size_t i : found->second) {
          Texts placeholders;
          for (const std::string& name : names_) placeholders.push_back("{" + name + "}");
          variants[i] = found->first.with(placeholders);
          taken_.insert(i);
        }
    // A command that was given twice.
    for (std::size_t i = 0; i < commands_.size(); ++i)
      for (const std::size_t same : combinations_.at(values_[i]))
        if (!taken_.contains(i) && taken_.contains(same) && commands_[same] == commands_[i])
          variants[i] = variants[same];
    return variants;
  }

 private:
  using Found = std::pair<Template, std::vector<std::size_t>>;  // with the commands that it makes

  // The command with the fewest places: a 1 occurs in more of them than a 17.
  std::size_t clearest() {
    std::size_t best = 0, fewest = std::string::npos;
    for (std::size_t i = 0;
         i < commands_.size() && fewest > 1 && spend(commands_[i].size() * varies_.size()); ++i) {
      const std::size_t places = places_in(commands_[i], values_[i], varies_, kTemplatePlacesMax).size();
      if (places > 0 && places < fewest) std::tie(best, fewest) = std::pair(i, places);
    }
    return best;
  }

  std::optional<Found> of_command(std::size_t first) {
    if (!spend(commands_[first].size() * varies_.size())) return std::nullopt;
    const std::vector<ValuePlace> places =
        places_in(commands_[first], values_[first], varies_, kTemplatePlacesMax);
    if (places.size() > kTemplatePlacesMax) return std::nullopt;
    for (std::size_t chosen = 1; chosen < (std::size_t{1} << places.size()); ++chosen) {
      const auto tried = template_of(commands_[first], places, chosen);
      if (!tried) continue;
      if (auto makes = made_by(*tried); !makes.empty()) return Found{*tried, std::move(makes)};
    }
    return std::nullopt;
  }

  // One unused command for each combination; nothing if a combination has none.
  std::vector<std::size_t> made_by(const Template& tried) {
    std::vector<std::size_t> makes;
    for (const auto& [values, candidates] : combinations_) {
      const std::string command = tried.with(values);
      if (!spend(command.size() * (1 + candidates.size()))) return {};
      const auto found = std::ranges::find_if(
          candidates, [&](std::size_t i) { return commands_[i] == command && !taken_.contains(i); });
      if (found == candidates.end()) return {};
      makes.push_back(*found);
    }
    return makes;
  }

  // Takes the bytes from the budget; false if it is too small.
  bool spend(std::size_t bytes) {
    spent_ += bytes;
    return spent_ <= kSearchBytesMax;
  }

  const Texts& names_;
  std::size_t spent_ = 0;
  std::vector<Texts> values_;
  Texts commands_;
  std::vector<bool> varies_;
  std::map<Texts, std::vector<std::size_t>> combinations_;
  std::set<std::size_t> taken_;
};

// The command or template of each result.
Texts variants_of(const ForeignJson& results, const Texts& names, const Texts& commands) {
  std::vector<Texts> values;
  for (const ForeignJson& result : results) {
    Texts& of_result = values.emplace_back();
    for (const std::string& name : names) {
      const auto value = parameter_text(result, name);
      if (!value) return commands;  // not a scan, or several in one file
      of_result.push_back(*value);
    }
  }
  return Templates(names, std::move(values), commands).variants();
}

// ---- results

// Numbers if all values are numbers, booleans if all are booleans in this spelling; otherwise the texts:
// 3.10 is a version, and 01 is not 1.
std::vector<Value> axis_of(const ForeignJson& results, const std::string& name) {
  std::vector<Value> texts, values;
  bool numbers = true, booleans = true;
  for (const ForeignJson& result : results) {
    const auto text = parameter_text(result, name);
    texts.push_back(text ? Value(*text) : Value());
    values.push_back(text ? value_of_scalar(*text) : Value());
    const bool same = !text || values.back().to_text() == *text;
    numbers = numbers && same && (!text || values.back().number());
    booleans = booleans && same && (!text || values.back().boolean());
  }
  return numbers || booleans ? values : texts;
}

// Why that run has no time; empty: it has one.
std::string failure_of_run(const ForeignJson& result, std::size_t run, const Result<double>& seconds) {
  const auto codes = result.find("exit_codes");
  const bool told = codes != result.end() && codes->is_array() && run < codes->size();
  if (told && (*codes)[run].is_null()) return "ended by a signal";
  if (told && !(*codes)[run].is_number())
    return fmt::format("exit_codes[{}] is {}, which is not a number", run,
                       one_line((*codes)[run].dump(), 40));
  if (told && (*codes)[run] != 0) return "exit status " + (*codes)[run].dump();
  return seconds ? "" : seconds.error().message;
}

// The path of a time in the file: results[0].times[2], or results[0].measurements[2].time_wall_clock.
struct TimesNames {
  std::string_view list = "times", member;
};

void add_times(const ForeignJson& result, const std::string& path, const TimesNames& names,
               ForeignSweep& sweep) {
  const std::uint64_t point = sweep.points.size() - 1;
  if (!result.contains("times") || !result["times"].is_array() || result["times"].empty()) {
    sweep.jobs.push_back({.point = point,
                          .failure = fmt::format(
                              "{} has no list `{}` with a time: write the file by hyperfine --export-json",
                              path, names.list),
                          .odd = true});
    return;
  }
  const ForeignJson& times = result["times"];
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool is_zero = times[i].is_number() && times[i].get<double>() == 0;
    const auto seconds =
        is_zero ? failure(
                      "hyperfine reports no time for it: too short compared with the start of a shell; use "
                      "its option -N")
                : positive(times[i], fmt::format("{}.{}[{}]{}", path, names.list, i, names.member));
    ForeignJob job{.point = point, .process = static_cast<std::uint32_t>(i)};
    job.failure = failure_of_run(result, i, seconds);
    if (job.failure.empty()) job.seconds = {*seconds};
    job.odd = !is_zero && !seconds;
    sweep.jobs.push_back(std::move(job));
  }
  sweep.processes = std::max(sweep.processes, static_cast<std::uint32_t>(times.size()));
}

// Equal results, as of a command that was given twice, become one point with more processes. Returns how
// many results were joined with an earlier one, and the first of them, as a line after a line break; empty:
// none.
std::string join_equal_points(ForeignSweep& sweep) {
  std::size_t joined = 0;
  std::string first;
  std::map<std::string, std::size_t> number_of;
  std::vector<std::size_t> place_of;
  std::vector<std::vector<Value>> points;
  for (std::vector<Value>& point : sweep.points) {
    std::string key;
    for (const Value& value : point) value.append_canonical(key);
    const auto [at, fresh] = number_of.try_emplace(std::move(key), points.size());
    place_of.push_back(at->second);
    if (!fresh && ++joined == 1) first = one_line(point.front().to_text(), 60);
    if (fresh) points.push_back(std::move(point));
  }
  std::vector<std::uint32_t> processes(points.size(), 0);
  for (ForeignJob& job : sweep.jobs) {
    job.point = place_of[job.point];
    job.process = processes[job.point]++;
    sweep.processes = std::max(sweep.processes, job.process + 1);
  }
  sweep.points = std::move(points);
  if (joined == 0) return "";
  return fmt::format(
      "\n{} of the same command or name as an earlier one, and became one point with it; the first: {}",
      counted(joined, "result is", "results are"), first);
}

}  // namespace

Result<ForeignSweep> read_hyperfine(const ForeignJson& file) {
  const bool is_2 = is_of_hyperfine_2(file);
  const ForeignJson converted = is_2 ? as_of_hyperfine_1(file["results"]) : ForeignJson();
  const ForeignJson& all = is_2 ? converted : file["results"];
  const TimesNames names = is_2 ? TimesNames{"measurements", ".time_wall_clock"} : TimesNames{};
  ForeignSweep sweep;
  sweep.tool = "hyperfine";
  ForeignJson results = ForeignJson::array();
  Texts commands, paths;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string path = fmt::format("results[{}]", i);
    const auto command = text_member(all[i], "command", path);
    if (!command) {
      sweep.left_out.push_back(command.error().message);
      continue;
    }
    results.push_back(all[i]);
    commands.push_back(*command);
    paths.push_back(path);
  }
  KS_ASSIGN_OR_RETURN(const auto parameters, parameters_in(results));
  sweep.columns = {"variant"};
  sweep.columns.insert(sweep.columns.end(), parameters.begin(), parameters.end());
  sweep.problem.assign(sweep.columns.size(), false);
  for (std::size_t i = 0; i < results.size(); ++i) {
    sweep.points.emplace_back();
    add_times(results[i], paths[i], names, sweep);
  }
  const Texts variants = variants_of(results, parameters, commands);
  for (std::size_t i = 0; i < variants.size(); ++i) sweep.points[i].emplace_back(variants[i]);
  for (const std::string& name : parameters) {
    std::vector<Value> axis = axis_of(results, name);
    for (std::size_t i = 0; i < axis.size(); ++i) sweep.points[i].push_back(std::move(axis[i]));
  }
  const std::string joined = join_equal_points(sweep);
  sweep.lacks =
      "hyperfine records nothing about the machine, and runs one command after the other: a change of the "
      "machine looks like a difference between commands. To compare safely: kernsweep run -c 'COMMAND' "
      "-c 'COMMAND'" +
      joined;
  // In version 2, different commands with one name are two points.
  if (!joined.empty() && !is_2)
    sweep.lacks +=
        "; the file does not say which command a name has: if they differ, give each its own by "
        "hyperfine's option -n";
  return sweep;
}

}  // namespace kernsweep
