#include "language/file/keys.hpp"

#include <fmt/format.h>

#include <utility>

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

constexpr Key kWarmup[] = {
    {"min_runs", count, "1", "Runs before the first sample, at least.",
     KS_TARGET(rules.measure.warmup.min_runs), "", 0, 1'000'000'000, true},
    {"min_time", duration, "100ms", "Time spent warming up, at least.",
     KS_TARGET(rules.measure.warmup.min_time), "", 0, UINT64_MAX, true},
    {"max_time", duration, "3s", "Time after which warming up ends even if the clock is not stable.",
     KS_TARGET(rules.measure.warmup.max_time), "", 0, UINT64_MAX, true},
};

constexpr Key kSamples[] = {
    {"min", count, "10", "Samples, at least.", KS_TARGET(rules.measure.samples.min), "", 1, 1'000'000'000,
     true},
    {"max", count, "2000", "Samples, at most.", KS_TARGET(rules.measure.samples.max), "", 1, 1'000'000'000,
     true},
    {"min_time", duration, "500ms", "Time spent sampling, at least.",
     KS_TARGET(rules.measure.samples.min_time), "", 0, UINT64_MAX, true},
    {"max_time", duration, "15s", "Time after which sampling ends.",
     KS_TARGET(rules.measure.samples.max_time), "", 0, UINT64_MAX, true},
};

constexpr Key kStop[] = {
    {"noise", share, "0.5%", "Relative standard deviation below which sampling may end; 0: never by noise.",
     KS_TARGET(rules.measure.stop.noise), "", 0, UINT64_MAX, true},
    {"or_stable", truth, "true", "Sampling may also end when the noise itself no longer changes.",
     KS_TARGET(rules.measure.stop.or_stable), "", 0, UINT64_MAX, true},
};

constexpr Key kDiscard[] = {
    {"clock", share, "90%",
     "A stretch of samples is disturbed when the clock falls below this share of the job's own; 0: never.",
     KS_TARGET(rules.measure.discard.clock), "", 0, UINT64_MAX, true},
    {"share", share, "20%",
     "So many of the samples may be left out as disturbed; beyond it all are kept and graded C.",
     KS_TARGET(rules.measure.discard.share), "", 0, UINT64_MAX, true},
};

constexpr Key kMeasure[] = {
    {"cache", choices, "hot", "State of the caches before each run; both: every point is measured in both.",
     KS_TARGET(caches), "hot|cold"},
    {"warmup", section, "", "Runs that are not counted.", nullptr, "", 0, UINT64_MAX, true, false, kWarmup},
    {"samples", section, "", "Runs that are counted.", nullptr, "", 0, UINT64_MAX, true, false, kSamples},
    {"stop", section, "", "When sampling may end between its bounds.", nullptr, "", 0, UINT64_MAX, true,
     false, kStop},
    {"processes", count, "3",
     "Fresh processes that each measure the point; comparisons are made between them.",
     KS_TARGET(processes), "", 1, 1000},
    {"order", choice, "shuffle",
     "`shuffle`: all points once, in an order drawn by the seed, then all again in another; `interleave`: "
     "each time as the file lists them; `sequential`: a point's jobs in a row.",
     KS_TARGET(order), "interleave|sequential|shuffle"},
    {"alone_on", choice, "host", "What is kept free of other jobs while a section is timed.",
     KS_TARGET(rules.measure.alone_on), "host|numa|cache|core", 0, UINT64_MAX, true},
    {"metric", choice, "throughput",
     "`throughput`: a sample is many calls in a row; `latency`: it is one call, and none is discarded.",
     KS_TARGET(rules.measure.metric), "throughput|latency", 0, UINT64_MAX, true},
    {"discard", section, "", "Which samples are left out as disturbed.", nullptr, "", 0, UINT64_MAX, true,
     false, kDiscard},
    {"interference", share, "5%",
     "So many of the jobs are measured once more with the host to themselves, when `alone_on` is not "
     "`host`.",
     KS_TARGET(rules.measure.interference)},
};

constexpr Key kVerify[] = {
    {"reference", reference, "the family's own",
     "What is right: a variant, or the same point with `setting: {axis: value}`, or what a `command`, a "
     "`python` function or a `file` says.",
     KS_TARGET(rules.measure.verify.reference), "", 0, UINT64_MAX, true},
    {"tolerance", number_by_name, "the family's own",
     "How far an output may be off: relative, by data type; `relative` and `absolute` for all others.",
     KS_TARGET(rules.measure.verify.tolerance),
     "f64|f32|bf16|f16|s8|u8|s32|s64|f8e4m3|f8e5m2|tf32|relative|absolute", 0, UINT64_MAX, true},
    {"repeat", count, "2", "Runs whose outputs are compared bit by bit.",
     KS_TARGET(rules.measure.verify.repeat), "", 1, 1000, true},
    {"asked", choice, "grade",
     "When threads, cores, environment or core type are not as asked: `grade` B, or `fail` the job.",
     KS_TARGET(rules.measure.verify.asked), "grade|fail", 0, UINT64_MAX, true},
    {"distrust", truth, "false",
     "A stranger has written the kernel: it runs isolated, on other data in each call; see "
     "docs/distrust.md.",
     KS_TARGET(rules.measure.verify.distrust), "", 0, UINT64_MAX, true},
    {"outputs", choice, "compare",
     "Where nothing says what is right: whether outputs of settings that compute the same are compared; "
     "`ignore`: they may differ.",
     KS_TARGET(outputs), "compare|ignore"},
};

constexpr Key kTimeout[] = {
    {"setup", duration, "60s", "Limit of preparing and verifying a job, and of starting its process.",
     KS_TARGET(rules.timeout.setup), "", 0, UINT64_MAX, true},
    {"run", duration, "120s", "Limit of warming up and sampling.", KS_TARGET(rules.timeout.run), "", 0,
     UINT64_MAX, true},
    {"sweep", duration, "0", "Limit of the whole sweep; 0: none.", KS_TARGET(rules.timeout.sweep)},
};

constexpr Key kRetry[] = {
    {"max", count, "2",
     "New attempts after one that failed; and as many after measurements that the machine disturbed.",
     KS_TARGET(rules.retry.max), "", 0, 100, true},
    {"for", choices, "[worker_lost, throttled]",
     "Outcomes after which a job is tried again; throttled: the machine disturbed too many samples.",
     KS_TARGET(rules.retry),
     "unsupported|wrong_result|failed_setup|failed_run|signal|timeout_setup|timeout_run|out_of_memory|"
     "worker_lost|"
     "throttled",
     0, UINT64_MAX, true},
};

constexpr Key kClaim[] = {
    {"name", text, "", "What it is called in answers.", nullptr, "", 0, UINT64_MAX, false, true},
    {"faster", side, "", "Points with these values take less time than their partners in `than`."},
    {"less_memory", side, "", "Points with these values have a smaller peak of memory than `than`."},
    {"than", side, "", "What `faster` and `less_memory` are held against."},
    {"by", ratio, "more than 1", "How many times: at least so many, or `[least, most]`."},
    {"at_least", limit, "", "Each point reaches so much: `{gflops: 100}`."},
    {"at_most", limit, "", "No point takes more: `{median_s: 1e-3}`."},
    {"error_below", number, "", "The error of every job is smaller."},
    {"equal_bits", axes, "", "Changing these axes alone never changes a bit of the output."},
    {"limited_by", choice, "", "What limits every job, by the roofs of what it ran on.", nullptr,
     "compute|memory|overhead|launch"},
    {"ends_as", choice, "", "How every job ends: an outcome, as `out_of_memory`.", nullptr,
     "ok|unsupported|wrong_result|failed_setup|failed_run|signal|timeout_setup|timeout_run|out_of_memory"},
    {"where", expression, "all", "The points that the claim is about."},
};

constexpr Key kLanguage[] = {
    {"sweep", count, "", "Version of this language.", nullptr, "", 1, 1, false, true},
    {"name", text, "", "Name of the sweep and of its view in the database: letters, digits, `_`, `-`, `.`.",
     KS_TARGET(name), "", 0, UINT64_MAX, false, true},
    {"kernel", text, "", "The family to measure. One of `kernel`, `command` and `python` must be there.",
     KS_TARGET(kernel)},
    {"command", words, "", "A command to measure instead; `{NAME}` is the value of a column."},
    {"python", text, "",
     "A Python function to measure instead: `module:function`, or an object with setup() and run()."},
    {"operands", text_by_name, "",
     "Arrays that the host makes for the function of `python`, by the names of its parameters: "
     "`{x: 'f32[{n}, 512] normal(0, 1)'}`."},
    {"depends", list, "",
     "Files of the worker that jobs read without its being seen, such as data of a program: with another "
     "content a job is another one."},
    {"seed", count, "1", "Root of every other seed: inputs, order, sampling.", KS_TARGET(seed)},
    {"hosts", choice, "any",
     "`any`: hosts share the points, and hosts of one kind measure all of a point; `each`: every host "
     "measures every point that it can.",
     KS_TARGET(hosts), "any|each"},
    {"tags", text_by_name, "", "Notes stored with the sweep.", KS_TARGET(tags)},
    {"axes", by_name, "",
     "What varies: a list, one value, a list of mappings, or a mapping with the keys below.", nullptr, "",
     0, UINT64_MAX, false, true, kAxis},
    {"zip", by_name, "", "Groups of axes that move in lock step: `{tile: [block_m, block_n]}`."},
    {"derive", by_name, "",
     "Columns computed from others: `{flops: 2 * m * n * k}`. Notes: never handed to a kernel."},
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
    {"measure", section, "", "How a point is measured.", nullptr, "", 0, UINT64_MAX, false, false,
     kMeasure},
    {"verify", switch_section, "true", "How outputs are checked; `false`: not at all.",
     KS_TARGET(rules.measure.verify.enabled), "", 0, UINT64_MAX, true, false, kVerify},
    {"timeout", section, "", "Limits of time.", nullptr, "", 0, UINT64_MAX, false, false, kTimeout},
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

bool takes_names(const Key& key) {
  return key.kind == text_by_name || key.kind == number_by_name;
}

void collect(std::span<const Key> keys, const std::string& prefix, bool per_point,
             std::vector<std::string>& out) {
  for (const auto& key : keys) {
    const std::string path = prefix + std::string(key.name);
    if (key.target != nullptr && (key.per_point || !per_point))
      out.push_back(takes_names(key) ? path + ".NAME" : path);
    if (key.kind == section || key.kind == switch_section) collect(key.keys, path + ".", per_point, out);
  }
}

}  // namespace

std::span<const Key> language() {
  return kLanguage;
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
      out.key = key->target != nullptr && dot == std::string_view::npos ? key : nullptr;
      return out;
    }
    if (takes_names(*key)) {  // the rest is one name that the user has chosen, dots included
      out.key = key;
      out.steps.emplace_back(path);
      return out;
    }
    if (key->kind != section && key->kind != switch_section) return {};
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
