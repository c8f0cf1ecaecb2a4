#include "shared/base/rule_fields.hpp"

#include <algorithm>
#include <limits>

#include "shared/text/choices.hpp"
#include "shared/text/suggest.hpp"

#define KS_RULE(member) +[](Rules& rules) -> RuleTarget { return &rules.member; }
#define KS_SHARE(member) +[](Rules& rules) -> RuleTarget { return Share{&rules.member}; }

namespace kernsweep {
namespace {

constexpr Duration kLongestDuration = std::chrono::hours(24) * 3650;
constexpr std::uint64_t kManyMax = 1'000'000'000;

constexpr RuleField kFields[] = {
    {"measure.warmup.min_runs", KS_RULE(measure.warmup.min_runs),
     "Runs before the first sample, at least."},
    {"measure.warmup.min_time", KS_RULE(measure.warmup.min_time), "Time spent warming up, at least."},
    {"measure.warmup.max_time", KS_RULE(measure.warmup.max_time),
     "Time after which warming up ends even if the clock is not stable."},
    {"measure.samples.min", KS_RULE(measure.samples.min), "Samples, at least.", "", 1},
    {"measure.samples.max", KS_RULE(measure.samples.max), "Samples, at most.", "", 1},
    {"measure.samples.min_time", KS_RULE(measure.samples.min_time), "Time spent sampling, at least."},
    {"measure.samples.max_time", KS_RULE(measure.samples.max_time), "Time after which sampling ends."},
    {"measure.stop.noise", KS_SHARE(measure.stop.noise),
     "Error of the median at which sampling may end: half of its 95 % interval; 0: never by noise."},
    {"measure.stop.or_stable", KS_RULE(measure.stop.or_stable),
     "Sampling may also end when the spread of the samples no longer changes."},
    {"measure.alone_on", KS_RULE(measure.alone_on),
     "What is kept free of other jobs while a section is timed.", "host|numa|cache|core"},
    {"measure.metric", KS_RULE(measure.metric),
     "`throughput`: a sample is many calls in a row; `latency`: it is one call, and none is discarded.",
     "throughput|latency"},
    {"measure.discard.clock", KS_SHARE(measure.discard.clock),
     "A stretch of samples is disturbed when the clock falls below this share of the job's own; 0: never."},
    {"measure.discard.share", KS_SHARE(measure.discard.share),
     "Share of the samples that may be left out as disturbed; if more are, all are kept and graded C."},
    {"measure.interference", KS_SHARE(measure.interference),
     "Share of the jobs that are measured once more, alone on the host, when `alone_on` is not `host`.", "",
     0, kManyMax, false, false},
    {"verify.enabled", KS_RULE(measure.verify.enabled), ""},
    {"verify.reference", KS_RULE(measure.verify.reference),
     "What is right: a variant, or the same point with `setting: {axis: value}`, or what a `command`, a "
     "`python` function or a `file` says."},
    {"verify.tolerance", KS_RULE(measure.verify.tolerance),
     "How far an output may be off: relative, by data type; `relative` and `absolute` for all others.",
     "f64|f32|bf16|f16|s8|u8|s32|s64|f8e4m3|f8e5m2|tf32|relative|absolute"},
    {"verify.repeat", KS_RULE(measure.verify.repeat), "Runs whose outputs are compared bit by bit.", "", 1,
     1000},
    {"verify.asked", KS_RULE(measure.verify.asked),
     "When threads, cores, environment or core type are not as asked: `grade` B, or `fail` the job.",
     "grade|fail"},
    {"verify.distrust", KS_RULE(measure.verify.distrust),
     "The kernel is not trusted: it runs isolated, on new data in each call; see docs/distrust.md."},
    {"timeout.setup", KS_RULE(timeout.setup),
     "Limit of preparing and verifying a job, and of starting its process.", "", 0, kManyMax, false},
    {"timeout.run", KS_RULE(timeout.run), "Limit of warming up and sampling.", "", 0, kManyMax, false},
    {"timeout.build", KS_RULE(timeout.build), "Limit of one build of `build`.", "", 0, kManyMax, false},
};

tl::unexpected<Error> unfit(const RuleField& field, const std::string& range, const Value& value) {
  return failure(std::string(field.path) + " " + range + ", not " + value.to_text());
}

template <class Number>
Status set_whole(const RuleField& field, const Value& value, Number& target) {
  const auto* const number = value.integer();
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) < field.least ||
      static_cast<std::uint64_t>(*number) > field.most)
    return unfit(field, "goes from " + std::to_string(field.least) + " to " + std::to_string(field.most),
                 value);
  target = static_cast<Number>(*number);
  return Done{};
}

template <class Enum>
Status set_word(const RuleField& field, const Value& value, Enum& target) {
  const auto known = split_choices(field.choices);
  const auto at = value.text() ? std::find(known.begin(), known.end(), *value.text()) : known.end();
  if (at == known.end())
    return failure(std::string(field.path) + " cannot be '" + value.to_text() + "'" +
                   did_you_mean(value.to_text(), known));
  target = static_cast<Enum>(at - known.begin() + 1);  // the enums count from 1
  return Done{};
}

}  // namespace

std::span<const RuleField> rule_fields() {
  return kFields;
}

std::optional<Value> value_of(const RuleField& field, Rules& rules) {
  using Found = std::optional<Value>;
  return std::visit(
      Cases{[](ReferenceRule*) { return Found(); }, [](std::map<std::string, double>*) { return Found(); },
            [](bool* t) { return Found(*t); }, [](Share t) { return Found(*t.value); },
            [](Duration* t) { return Found(static_cast<std::int64_t>(t->count())); },
            [](std::uint64_t* t) { return Found(static_cast<std::int64_t>(*t)); },
            [](std::uint32_t* t) { return Found(static_cast<std::int64_t>(*t)); },
            [&](auto* word) {
              return Found(split_choices(field.choices).at(static_cast<std::size_t>(*word) - 1));
            }},
      field.target(rules));
}

Status set_value(const RuleField& field, const Value& value, Rules& rules) {
  return std::visit(Cases{[](ReferenceRule*) -> Status { KS_ASSERT(false); },
                          [](std::map<std::string, double>*) -> Status { KS_ASSERT(false); },
                          [&](std::uint64_t* t) { return set_whole(field, value, *t); },
                          [&](std::uint32_t* t) { return set_whole(field, value, *t); },
                          [&](bool* t) -> Status {
                            if (!value.boolean()) return unfit(field, "is true or false", value);
                            *t = *value.boolean();
                            return Done{};
                          },
                          [&](Share t) -> Status {
                            const auto number = value.number();
                            if (!number || !(*number >= 0 && *number <= 1))
                              return unfit(field, "goes from 0 to 1", value);
                            *t.value = *number;
                            return Done{};
                          },
                          [&](Duration* t) -> Status {
                            if (!value.integer()) return unfit(field, "is a duration", value);
                            *t = std::clamp(Duration(*value.integer()), Duration::zero(), kLongestDuration);
                            return Done{};
                          },
                          [&](auto* word) { return set_word(field, value, *word); }},
                    field.target(rules));
}

void append_key(const MeasureRules& rules, std::string& text) {
  Rules copy;
  copy.measure = rules;
  for (const RuleField& field : kFields) {
    if (!field.in_key) continue;
    text += field.path;
    if (const auto value = value_of(field, copy)) value->append_canonical(text);
  }
  text += rules.quick ? "quick" : "";
  const ReferenceRule& reference = rules.verify.reference;
  text += name_of(reference.kind);
  Value(reference.text).append_canonical(text);
  for (const auto& [column, value] : reference.setting) {
    Value(column).append_canonical(text);
    value.append_canonical(text);
  }
  for (const auto& [dtype, tolerance] : rules.verify.tolerance) {
    Value(dtype).append_canonical(text);
    Value(tolerance).append_canonical(text);
  }
}

}  // namespace kernsweep
