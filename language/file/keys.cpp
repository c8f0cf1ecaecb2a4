#include "language/file/keys.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "shared/base/rule_fields.hpp"
#include "shared/text/duration_text.hpp"

// The target of a setting: a member of the Sweep that is being read.
#define KS_TARGET(member) +[](Sweep& sweep) -> Target { return &sweep.member; }

namespace kernsweep {
namespace {

using enum KeyKind;

constexpr Key kAxis[] = {
    {"values", values, "", "The values, when something else is to be said too."},
    {"range", range, "",
     "From and to, both included: `[32, 128]`. With `step` or `mul`; alone, whole numbers one by one."},
    {"step", count, "1", "What a `range` adds from one value to the next (any number above 0)."},
    {"mul", count, "", "What a `range` multiplies by from one value to the next (any number above 1)."},
    {"pow2", range, "",
     "Powers of two by their exponents: `[0, 4]` is 1 2 4 8 16; a third number is the step."},
    {"table", text, "",
     "A CSV file whose rows are the values of a record axis; its path counts from the sweep file."},
    {"when", expression, "",
     "The axis exists only for points where this holds; elsewhere it is absent (null)."},
};

constexpr Key kConstraint[] = {
    {"expr", expression, "", "What must hold.", nullptr, "", 0, UINT64_MAX, false, true},
    {"why", text, "the expression", "The reason that a rejected point keeps."},
};

constexpr Key kOverride[] = {
    {"when", expression, "", "The points whose rules change.", nullptr, "", 0, UINT64_MAX, false, true},
    {"set", section, "", "Settings by dotted path; those marked *per point* below.", nullptr, "", 0,
     UINT64_MAX, false, true},
};

constexpr Key kProcesses[] = {
    {"min", count, "", "That each point has.", KS_TARGET(process_bounds.least), "", 1, 1000},
    {"max", count, "20", "Where a comparison is not decided: that its points have at most.",
     KS_TARGET(process_bounds.most), "", 1, 1000},
    {"budget", budget, "0",
     "What the processes beyond `min` may take together, or how many jobs they may be; 0: as long as the "
     "first ones took, and 30 s at least.",
     KS_TARGET(budget)},
};

constexpr Key kMeasure[] = {
    {"cache", choices, "hot", "State of the caches before each run; both: every point is measured in both.",
     KS_TARGET(caches), "hot|cold"},
    {"processes", bounds, "",
     "Fresh processes that each measure the point; comparisons are made between them. `{min: 10, max: "
     "20}`: after 10, only points of comparisons that are not decided are measured further. Not given: "
     "that "
     "in a sweep of at most 8 points, else 3.",
     KS_TARGET(process_bounds.least), "", 1, 1000, false, false, kProcesses},
    {"order", choice, "shuffle",
     "`shuffle`: all points once, in an order that is drawn, then all again in another; `interleave`: "
     "each time as the file lists them; `sequential`: a point's jobs in a row.",
     KS_TARGET(order), "interleave|sequential|shuffle"},
    {"order_seed", count, "",
     "Fixes the orders of `shuffle`, which are otherwise drawn when the sweep begins.",
     KS_TARGET(order_seed), "", 1},
    {"warmup", section, "", "Runs that are not counted.", nullptr, "", 0, UINT64_MAX, true},
    {"samples", section, "", "Runs that are counted.", nullptr, "", 0, UINT64_MAX, true},
    {"stop", section, "", "When sampling may end between its bounds.", nullptr, "", 0, UINT64_MAX, true},
    {"discard", section, "", "Which samples are left out as disturbed.", nullptr, "", 0, UINT64_MAX, true},
};

constexpr Key kVerify[] = {
    {"outputs", choice, "compare",
     "Without a reference: whether outputs of settings that compute the same are compared; `ignore`: they "
     "may differ.",
     KS_TARGET(outputs), "compare|ignore"},
};

constexpr Key kTimeout[] = {
    {"sweep", duration, "0", "Limit of the whole sweep; 0: none.", KS_TARGET(rules.timeout.sweep)},
};

constexpr Key kRetry[] = {
    {"max", count, "2",
     "New attempts after one that failed; and as many after measurements that the machine disturbed.",
     KS_TARGET(rules.retry.max), "", 0, 100, true},
    {"for", choices, "[worker_lost, throttled]",
     "Outcomes after which a job is tried again; throttled: the machine disturbed too many samples, by "
     "default only in sweeps with a fixed number of processes.",
     KS_TARGET(rules.retry),
     "unsupported|wrong_result|failed_setup|failed_build|failed_run|signal|timeout_setup|timeout_run|"
     "out_of_memory|worker_lost|"
     "throttled",
     0, UINT64_MAX, true},
};

constexpr Key kClaim[] = {
    {"name", text, "", "What it is called in answers.", nullptr, "", 0, UINT64_MAX, false, true},
    {"faster", side, "", "Points with these values take less time than their partners in `than`."},
    {"less_memory", side, "", "Points with these values have a smaller peak of memory than `than`."},
    {"than", side, "", "What `faster` and `less_memory` are compared with."},
    {"by", ratio, "more than 1", "How many times: a minimum, or `[least, most]`."},
    {"at_least", limit, "", "Each point reaches so much: `{gflops: 100}`."},
    {"at_most", limit, "", "No point takes more: `{median_s: 1e-3}`."},
    {"error_below", number, "", "The error of every job is smaller."},
    {"equal_bits", axes, "", "Changing these axes alone never changes a bit of the output."},
    {"limited_by", choice, "", "What limits every job, by the roofs of what it ran on.", nullptr,
     "compute|memory|overhead|launch"},
    {"ends_as", choice, "", "How every job ends: an outcome, as `out_of_memory`.", nullptr,
     "ok|unsupported|wrong_result|failed_setup|failed_build|failed_run|signal|timeout_setup|timeout_run|"
     "out_of_memory"},
    {"where", expression, "all", "The points that the claim is about."},
};

constexpr Key kPrinted[] = {
    {"regex", text, "",
     "A pattern (RE2) with a group for the number, `(?<value>[0-9.e+-]+)`, and maybe one for its unit, "
     "`(?<unit>ms|s)`; `^` and `$` are ends of lines."},
    {"json", text, "", "A JSON pointer, from the row where there are `rows`: `/real_time`."},
    {"csv", text, "", "A column of a table whose first line names its columns."},
    {"unit", text, "s",
     "`ns` to `h`; of `seconds` also a rate, such as `GB/s`: the time is then that of 1 MB, Mbit, Mop or "
     "GFLOP, or of one of another word: `ops/s` is the time of 1 Mop, `events/s` that of one event. Of "
     "other values any text. `{json: /time_unit}`, `{csv: unit}`: what is printed there; `like: GB/s` if "
     "it is "
     "a rate."},
    {"better", choice, "by the name", "Which numbers are the better ones.", nullptr, "larger|smaller"},
    {"optional", truth, "false", "The run may lack it."},
    {"samples", truth, "false",
     "Of `seconds` and a pattern: it may match more than once, and each is a sample."},
};

constexpr Key kMetrics[] = {
    {"preset", text, "", "The other keys, as they are for a known program; `metrics: PRESET` is the same."},
    {"from", text, "stdout",
     "`stdout`, `stderr`, or a file that each run writes; `{NAME}` is the value of a column."},
    {"rows", text, "",
     "A JSON pointer to the array that has the rows: `/benchmarks`; `''`: the whole text, of JSON Lines "
     "too."},
    {"row", text_by_name, "",
     "Which row is meant: what it has, by key, column or group of the pattern, such as `{name: "
     "'{benchmark}'}`."},
    {"rows_by", text, "",
     "Each row is a point of its own: the axis of this name has what the rows have in this key, column or "
     "group. "
     "Where there is no such axis, `run` runs the commands once to find the values. Part of the problem "
     "unless "
     "`problem` says otherwise."},
    {"samples_of", text, "",
     "Rows that fit and are alike in this key or column are samples of one process; others that fit, too, "
     "are an "
     "error."},
    {"hint", text, "", "What a message adds where the output is of another form."},
    {"values", by_name, "",
     "The numbers: `seconds` is the time of the run, `flops` and `bytes` its work, each other one a "
     "metric.",
     nullptr, "", 0, UINT64_MAX, false, false, kPrinted},
};

constexpr Key kLanguage[] = {
    {"sweep", count, "", "Version of this language.", nullptr, "", 1, 1, false, true},
    {"name", text, "", "Name of the sweep and of its view in the database: letters, digits, `_`, `-`, `.`.",
     KS_TARGET(name), "", 0, UINT64_MAX, false, true},
    {"kernel", text, "",
     "The family to measure. One of `kernel`, `command`, `commands`, `python` and `source` must be there.",
     KS_TARGET(kernel)},
    {"command", words, "", "A command to measure instead; `{NAME}` is the value of a column."},
    {"commands", by_name, "",
     "Several commands to measure instead, by names, which are the values of the axis `command`: "
     "`{fast: './a {n}', slow: ./b}`."},
    {"python", text, "",
     "A Python function to measure instead: `module:function`, or an object with setup() and run()."},
    {"source", text, "",
     "A file of C, C++ or OpenCL with a function to measure instead. Each setting compiles it."},
    {"call", text, "",
     "The call of the function of `source`, `matmul(n, a, b, c)`: names are operands and columns with "
     "numbers."},
    {"compile", words, "cc -O2, c++ -O2",
     "The compiler and options for `source`, such as `gcc -O{o} -march=native -DTILE={tile}`; for OpenCL "
     "only "
     "options."},
    {"launch", by_name, "",
     "Numbers of work-items of a `source` of OpenCL: `{global: [4096, '{gy}'], local: ['{bx}', '{by}']}`."},
    {"build", words, "",
     "A command that makes the file {out}, such as `g++ -O{o} -o {out} kernel.cpp`. The host that measures "
     "runs it once for each combination of values, before it measures; `command`, `setup` and `cleanup` "
     "use the file as `{build}`, a `python` function gets its path as the parameter `build`."},
    {"setup", words, "",
     "A command that runs in each job of a `command` or `commands` sweep before the first run; it is not "
     "timed. Takes places as they do."},
    {"cleanup", words, "", "Likewise after the last run."},
    {"metrics", by_name, "",
     "Numbers that the program of a `command` or `commands` sweep prints or writes: a preset, or a mapping "
     "with the keys below.",
     nullptr, "", 0, UINT64_MAX, false, false, kMetrics},
    {"operands", text_by_name, "",
     "Arrays that the host makes for the function of `python` or `source`, by their names: "
     "`{x: 'f32[{n}, 512] normal(0, 1)'}`."},
    {"depends", list, "",
     "Files of the worker that jobs read without its being seen, such as data of a program: with another "
     "content a job is another one."},
    {"seed", count, "1", "Root of the seeds of inputs and of `--sample`.", KS_TARGET(seed)},
    {"hosts", choice, "any",
     "`any`: hosts share the points, and hosts of one kind measure all points of a problem; `each`: every "
     "host "
     "measures every point that it can.",
     KS_TARGET(hosts), "any|each"},
    {"tags", text_by_name, "", "Notes stored with the sweep.", KS_TARGET(tags)},
    {"axes", by_name, "",
     "What varies: a list, one value, a list of mappings, or a mapping with the keys below.", nullptr, "",
     0, UINT64_MAX, false, true, kAxis},
    {"zip", by_name, "", "Groups of axes that move in lock step: `{tile: [block_m, block_n]}`."},
    {"derive", by_name, "",
     "Columns computed from others: `{flops: 2 * m * n * k}`. Notes: no kernel but a `source` gets them."},
    {"problem", list, "as the kernel declares",
     "The columns that make up the problem; all others are settings, which compete in it. `[]`: all of "
     "them "
     "are. Changes no job."},
    {"exclude", list, "",
     "Points to leave out: each entry names some columns and matches all points that agree."},
    {"constraints", list, "", "Expressions that every point must satisfy, as text or as a mapping.",
     nullptr, "", 0, UINT64_MAX, false, false, kConstraint},
    {"include", list, "",
     "Whole points to add. They extend no other point and must satisfy the constraints."},
    {"requires", list, "",
     "Expressions that a host must satisfy for a point; they read `host.` or `gpu.` names."},
    {"measure", section, "", "How a point is measured."},
    {"verify", switch_section, "true", "How outputs are checked; `false`: not at all.",
     KS_TARGET(rules.measure.verify.enabled), "", 0, UINT64_MAX, true},
    {"timeout", section, "", "Limits of time."},
    {"retry", section, "", "What is tried again.", nullptr, "", 0, UINT64_MAX, false, false, kRetry},
    {"overrides", list, "", "Rules that differ for some points; later entries win.", nullptr, "", 0,
     UINT64_MAX, false, false, kOverride},
    {"claims", list, "",
     "What you expect of the results; each ends as confirmed, refuted or undecided. Changes no job.",
     nullptr, "", 0, UINT64_MAX, false, false, kClaim},
};

constexpr std::pair<std::string_view, std::string_view> kQuick[] = {
    {"measure.processes", "1"},           {"measure.warmup.min_time", "20ms"},
    {"measure.warmup.max_time", "500ms"}, {"measure.samples.min", "5"},
    {"measure.samples.max", "200"},       {"measure.samples.min_time", "50ms"},
    {"measure.samples.max_time", "1s"},
};

KeyKind kind_of(const RuleField& field, Rules& rules) {
  return std::visit(
      Cases{[](std::uint64_t*) { return count; }, [](std::uint32_t*) { return count; },
            [](Duration*) { return duration; }, [](Share) { return share; }, [](bool*) { return truth; },
            [](ReferenceRule*) { return reference; },
            [](std::map<std::string, double>*) { return number_by_name; }, [](auto*) { return choice; }},
      field.target(rules));
}

// In the syntax of a sweep file.
std::string default_of(const RuleField& field, KeyKind kind, Rules& rules) {
  const auto value = value_of(field, rules);
  if (!value) return "the family's own";
  if (kind == share) return fmt::format("{:g}%", *value->real() * 100);
  return kind == duration ? exact_text(Duration(*value->integer())) : value->to_text();
}

// The keys of the section at `path` ("measure."): `own`, then those of the table of rules.
std::vector<Key> keys_of(const std::string& path, std::span<const Key> own) {
  static std::deque<std::vector<Key>> sections;
  static std::deque<std::string> defaults;
  std::vector<Key> out(own.begin(), own.end());
  for (Key& key : out)
    if (key.kind == section)
      key.keys = sections.emplace_back(keys_of(path + std::string(key.name) + ".", {}));
  Rules usual;
  for (const RuleField& field : rule_fields()) {
    if (!field.path.starts_with(path) || field.meaning.empty()) continue;
    const std::string_view name = field.path.substr(path.size());
    if (name.find('.') != std::string_view::npos) continue;
    const KeyKind kind = kind_of(field, usual);
    out.push_back({name,
                   kind,
                   defaults.emplace_back(default_of(field, kind, usual)),
                   field.meaning,
                   nullptr,
                   field.choices,
                   field.least,
                   field.most,
                   field.per_point,
                   false,
                   {},
                   &field});
  }
  return out;
}

bool takes_names(const Key& key) {
  return key.kind == text_by_name || key.kind == number_by_name;
}

void collect(std::span<const Key> keys, const std::string& prefix, bool per_point,
             std::vector<std::string>& out) {
  for (const auto& key : keys) {
    const std::string path = prefix + std::string(key.name);
    if (key.is_setting() && (key.per_point || !per_point))
      out.push_back(takes_names(key) ? path + ".NAME" : path);
    if (key.has_parts()) collect(key.keys, path + ".", per_point, out);
  }
}

}  // namespace

std::span<const Key> language() {
  static const std::vector<Key> kMeasureKeys = keys_of("measure.", kMeasure),
                                kVerifyKeys = keys_of("verify.", kVerify),
                                kTimeoutKeys = keys_of("timeout.", kTimeout);
  static const std::vector<Key> kAll = [] {
    std::vector<Key> all(std::begin(kLanguage), std::end(kLanguage));
    for (Key& key : all) {
      if (key.name == "measure") key.keys = kMeasureKeys;
      if (key.name == "verify") key.keys = kVerifyKeys;
      if (key.name == "timeout") key.keys = kTimeoutKeys;
    }
    return all;
  }();
  return kAll;
}

Target target_of(const Key& key, Sweep& sweep) {
  if (key.target != nullptr) return key.target(sweep);
  if (key.rule == nullptr) return {};
  return std::visit(Cases{[](Share share) -> Target { return share.value; },
                          [](auto* member) -> Target { return member; }},
                    key.rule->target(sweep.rules));
}

const Key* key_named(std::span<const Key> keys, std::string_view name) {
  for (const auto& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::vector<std::string> names_of(std::span<const Key> keys) {
  std::vector<std::string> out;
  for (const auto& key : keys) out.emplace_back(key.name);
  return out;
}

SettingPath setting_at(std::string_view path) {
  SettingPath out;
  std::span<const Key> keys = language();
  while (!path.empty()) {
    const auto dot = path.find('.');
    const Key* key = key_named(keys, path.substr(0, dot));
    if (key == nullptr) return {};
    out.steps.emplace_back(key->name);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (path.empty()) {
      out.key = key->is_setting() && dot == std::string_view::npos ? key : nullptr;
      return out;
    }
    if (takes_names(*key)) {  // the rest is one name that the user has chosen, dots included
      out.key = key;
      out.steps.emplace_back(path);
      return out;
    }
    if (!key->has_parts()) return {};
    keys = key->keys;
  }
  return {};
}

std::vector<std::string> setting_paths(bool per_point) {
  std::vector<std::string> out;
  collect(language(), "", per_point, out);
  return out;
}

std::span<const std::pair<std::string_view, std::string_view>> quick_settings() {
  return kQuick;
}

}  // namespace kernsweep
