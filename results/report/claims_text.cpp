#include "results/report/claims_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/metric_name.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kDisagreementsTold = 5;
constexpr std::size_t kColumns = 110;

bool is_ratio(const JudgedClaim& claim) {
  return claim.claim.kind == ClaimKind::faster || claim.claim.kind == ClaimKind::less_memory;
}
bool is_level(const JudgedClaim& claim) {
  return claim.claim.kind == ClaimKind::at_least || claim.claim.kind == ClaimKind::at_most;
}

bool is_word(const JudgedClaim& claim) {
  return claim.claim.kind == ClaimKind::limited_by || claim.claim.kind == ClaimKind::ends_as;
}

std::string times(double ratio) {
  return text_of_number(ratio) + "x";
}

// The name of a counted metric ends with its unit.
std::string text_of_counted(std::string_view name, double number) {
  if (name.ends_with("_bytes")) return text_of_bytes(number);
  return is_in_seconds(name) ? text_of_seconds(number) : text_of_number(number);
}

// A metric or an error with its unit.
std::string amount(const Claim& claim, double number) {
  if (claim.kind == ClaimKind::error_below)
    return std::isnan(number) ? "a wrong result" : fmt::format("{:.3g}", number);
  switch (claim.metric) {
    case ClaimMetric::gflops:
      return text_of_number(number) + " GFLOP/s";
    case ClaimMetric::gbps:
      return text_of_number(number) + " GB/s";
    case ClaimMetric::peak_memory_bytes:
      return text_of_bytes(number);
    case ClaimMetric::median_s:
    case ClaimMetric::p90_s:
    case ClaimMetric::p99_s:
    case ClaimMetric::p999_s:
      return text_of_seconds(number);
    case ClaimMetric::counted:
      return text_of_counted(claim.counted, number);
  }
  return text_of_number(number);
}

std::string claimed(const ClaimRange& by) {
  if (!by.low_itself) return "claimed: more than 1x";
  if (!std::isfinite(by.high)) return "claimed: at least " + times(by.low);
  return "claimed: " + times(by.low) + " to " + times(by.high);
}

std::string ratio_sentence(const JudgedClaim& claim) {
  const ClaimEvidence& found = claim.evidence;
  const std::string first = text_of(claim.claim.side), second = text_of(claim.claim.than);
  std::string out = claim.claim.kind == ClaimKind::faster
                        ? fmt::format("{} is {} as fast as {}", first, times(found.ratio), second)
                        : fmt::format("{} takes {} the {}memory of {}", second, times(found.ratio),
                                      claim.claim.counted.empty() ? "" : "device's ", first);
  out += fmt::format(" (99 % interval {}", text_of_bounds(found.bounds, found.ratio, times));
  if (claim.pairs > 1)
    out += fmt::format("; {} to {} in {} pairs", times(found.lowest), times(found.highest),
                       text_of_count(claim.pairs));
  return out + "); " + claimed(claim.claim.by);
}

std::string level_sentence(const JudgedClaim& claim) {
  const bool least = claim.claim.kind == ClaimKind::at_least;
  return fmt::format("{} is {} to {} at {}; claimed: {} {}",
                     claim.claim.counted.empty() ? name_of(claim.claim.metric) : claim.claim.counted,
                     amount(claim.claim, claim.lowest), amount(claim.claim, claim.highest),
                     counted(claim.pairs, "point", "points"), least ? "at least" : "at most",
                     amount(claim.claim, claim.claim.bound));
}

std::string error_sentence(const JudgedClaim& claim) {
  const std::string below = "; claimed: below " + amount(claim.claim, claim.claim.bound);
  const std::string wrong = counted(claim.wrong, "job has", "jobs have") + " a wrong result";
  if (claim.wrong == claim.pairs) return wrong + ", and no error says how wrong" + below;
  return fmt::format("the largest error of {} is {}{}{}", counted(claim.pairs - claim.wrong, "job", "jobs"),
                     amount(claim.claim, claim.highest),
                     claim.wrong > 0 ? ", and " + wrong + " without an error that says how wrong" : "",
                     below);
}

}  // namespace

std::string sentence_of(const JudgedClaim& claim) {
  if (!claim.reason.empty()) return claim.reason;
  if (is_ratio(claim)) return ratio_sentence(claim);
  if (is_level(claim)) return level_sentence(claim);
  if (claim.claim.kind == ClaimKind::error_below) return error_sentence(claim);
  if (is_word(claim))
    return fmt::format("{} {} {} as claimed: {}", text_of_count(claim.pairs - claim.against),
                       "of " + counted(claim.pairs, "job", "jobs"),
                       claim.claim.kind == ClaimKind::ends_as ? "end" : "are limited", claim.claim.word);
  return fmt::format("changing {} alone changes the output in {} of {}", text_of(claim.claim.side),
                     text_of_count(claim.against), counted(claim.pairs, "pair", "pairs"));
}

namespace {

std::string told(const JudgedClaim& claim, const Disagreement& pair) {
  std::string out = pair.point.empty() ? "everywhere" : pair.point;
  if (is_ratio(claim))
    out += fmt::format(": {} ({})", times(pair.number), text_of_bounds(pair.bounds, pair.number, times));
  else if (is_word(claim))
    out += ": " + pair.word;
  else if (claim.claim.kind != ClaimKind::equal_bits)
    out += ": " + amount(claim.claim, pair.number);
  return out + (pair.second == 0 ? fmt::format(", result {}", pair.first)
                                 : fmt::format(", results {} and {}", pair.first, pair.second));
}

std::string left_out(const JudgedClaim& claim, char worst_grade) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) parts.push_back(text_of_count(count) + " " + what);
  };
  add(claim.failed, "failed");
  add(claim.graded_below, fmt::format("graded below {}", worst_grade));
  add(claim.without, claim.claim.kind == ClaimKind::equal_bits   ? "without an output hash"
                     : claim.claim.kind == ClaimKind::limited_by ? "without a class"
                                                                 : "without the number");
  std::string out;
  if (!parts.empty())
    out = fmt::format("left out of {}: {}", counted(claim.jobs, "job", "jobs"), fmt::join(parts, ", "));
  parts.clear();
  add(claim.alone, "without a partner");
  add(claim.not_repeatable, "with bits that change from run to run");
  if (!parts.empty()) out += fmt::format("{}points {}", out.empty() ? "" : "; ", fmt::join(parts, ", "));
  if (claim.other_inputs > 0)
    out += fmt::format("{}{} with other inputs", out.empty() ? "" : "; ",
                       counted(claim.other_inputs, "pair", "pairs"));
  return out;
}

const char* kind_of_disagreement(const JudgedClaim& claim) {
  if (is_level(claim)) return "points";
  return claim.claim.kind == ClaimKind::error_below || is_word(claim) ? "jobs" : "pairs";
}

// How to get a missing percentile: enough samples (docs/internals/measurement.md).
std::string how_to_have(const Claim& claim) {
  int samples = 0;
  if (claim.metric == ClaimMetric::p90_s) samples = 10;
  if (claim.metric == ClaimMetric::p99_s) samples = 100;
  if (claim.metric == ClaimMetric::p999_s) samples = 1000;
  const bool level = claim.kind == ClaimKind::at_least || claim.kind == ClaimKind::at_most;
  if (!level || samples == 0) return "";
  return fmt::format("; --set measure.metric=latency --set measure.samples.min={} gives it", samples);
}

// Advice on how to get the missing results.
std::string how_to_complete(const JudgedClaim& claim) {
  if (claim.failed > 0) return "; `where` leaves out what cannot be measured";
  if (claim.unmeasured > 0) return "; kernsweep resume measures the rest";
  if (claim.without > 0) return how_to_have(claim.claim);
  if (claim.no_result > 0) return "";
  return claim.lost > 0 ? "; measure them again when the machine is quiet" : "";
}

std::string too_few_processes_in(const JudgedClaim& claim, char worst_grade) {
  const bool one = claim.evidence.single == 1;
  return fmt::format(
      "{} of {} {} a single process{}, and one process decides nothing: --set measure.processes=5 measures "
      "more{}",
      text_of_count(claim.evidence.single), text_of_count(claim.pairs),
      is_level(claim) ? (one ? "points has" : "points have") : (one ? "pairs has" : "pairs have"),
      is_level(claim) ? "" : " on a side",
      claim.graded_below > 0 && worst_grade < 'C' ? ", --all-grades uses those graded C" : "");
}

// Why a claim about numbers is undecided, and what to do next.
std::string why_open(const JudgedClaim& claim, const ClaimsQuestion& question) {
  constexpr std::uint64_t kEnough = 10;
  const std::uint64_t measured = claim.points > 0 ? claim.jobs / claim.points : 0;  // processes of a point
  const std::string more = fmt::format("more processes help: --set measure.processes={}",
                                       measured < kEnough ? kEnough : 2 * measured);
  switch (claim.evidence.open) {
    case ClaimOpen::single:
      return too_few_processes_in(claim, question.worst_grade);
    case ClaimOpen::none:
    case ClaimOpen::interval:
      break;
    case ClaimOpen::outside:
      return fmt::format("the interval lies outside, but not beyond what equal points may differ by; {}",
                         more);
    case ClaimOpen::inside:
      return fmt::format("the interval lies inside, but not beyond what equal points may differ by; {}",
                         more);
    case ClaimOpen::margin:
      return fmt::format(
          "the end of the claimed range is nearer than the margin of {:g} %, and a difference as small as "
          "that decides nothing: `by` says what does not matter, such as 0.95",
          100 * question.rules.margin);
    case ClaimOpen::apart:
      return "a difference cannot be excluded where the processes of a point lie 10 % apart or more; "
             "kernsweep doctor says what disturbs them";
    case ClaimOpen::groups:
      return fmt::format(
          "the interval lies inside, but a point may have a second group of times that its processes do "
          "not "
          "show: {} would exclude it",
          claim.evidence.processes_needed > 0
              ? fmt::format("--set measure.processes={}", claim.evidence.processes_needed)
              : std::string("more points whose processes agree"));
  }
  return fmt::format("the interval does not decide; {}", more);
}

// Appends the wrapped lines of `text`, each with the indent.
void add_lines(std::string& out, const std::string& text, const std::string& indent) {
  std::string lines = wrapped(one_line(text), kColumns - indent.size());
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
    lines.replace(at, 1, "\n" + indent);
  out += indent + lines + "\n";
}

void add_claim(std::string& out, const JudgedClaim& claim, const ClaimsQuestion& question) {
  out += fmt::format("\n{}: {}\n", one_line(claim.claim.name), name_of(claim.verdict));
  const std::string where = claim.claim.where.empty() ? "" : ", where " + claim.claim.where;
  add_lines(out, sentence_of(claim) + (claim.reason.empty() ? where : ""), "  ");
  // The sentence of a claim about equal bits already has this count.
  if (claim.against > 0 && claim.claim.kind != ClaimKind::equal_bits)
    add_lines(
        out,
        fmt::format("{} of {} {} {} against it:", text_of_count(claim.against), text_of_count(claim.pairs),
                    kind_of_disagreement(claim), claim.against == 1 ? "is" : "are"),
        "  ");
  for (std::size_t i = 0; i < std::min(kDisagreementsTold, claim.disagreements.size()); ++i)
    add_lines(out, told(claim, claim.disagreements[i]), "    ");
  if (claim.against > kDisagreementsTold)
    add_lines(out, fmt::format("... and {} more", text_of_count(claim.against - kDisagreementsTold)),
              "    ");
  const bool open = claim.verdict == ClaimVerdict::undecided && claim.reason.empty();
  if (!claim.missing.empty())
    add_lines(out, "so far this is as claimed, but " + claim.missing + how_to_complete(claim), "  ");
  else if (open)
    add_lines(out, why_open(claim, question), "  ");
  if (const std::string other = text_of(claim.outputs); !other.empty()) add_lines(out, other, "  ");
  if (!claim.other_outputs.empty())
    add_lines(
        out,
        fmt::format("outputs differ: {} of {} not that of most settings, or not the same in each process, "
                    "such as that of result {}; say what is right by verify.reference",
                    claim.other_outputs.size() == 1 ? "that" : "those",
                    counted(claim.other_outputs.size(), "point is", "points are"),
                    claim.other_outputs.front()),
        "  ");
  const std::string left = left_out(claim, question.worst_grade);
  if (!left.empty() && claim.jobs > 0) add_lines(out, left, "  ");
}

Value number_or_null(bool known, double number) {
  return known && std::isfinite(number) ? Value(number) : Value();
}

Value bound_of(bool known, double bound, double ratio) {
  return known && !is_told(bound, ratio) ? Value("not known") : number_or_null(known, bound);
}

Value count(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

std::string object(const std::vector<std::pair<std::string_view, Value>>& entries) {
  std::string out = "{";
  for (const auto& [name, value] : entries) {
    out += fmt::format("{}\"{}\": ", out.size() > 1 ? ", " : "", name);
    append_json(value, out);
  }
  return out + "}";
}

}  // namespace

std::string text_of(const ClaimsAnswer& answer, const ClaimsQuestion& question) {
  RowSet rows;
  rows.columns = {"claim", "verdict", "ratio", "low", "high", "lowest", "highest", "pairs", "against"};
  for (const JudgedClaim& claim : answer.claims) {
    const bool known = claim.reason.empty() && (is_ratio(claim) || is_level(claim));
    const ClaimEvidence& found = claim.evidence;
    rows.rows.push_back({claim.claim.name, std::string(name_of(claim.verdict)),
                         number_or_null(known, found.ratio), bound_of(known, found.bounds.low, found.ratio),
                         bound_of(known, found.bounds.high, found.ratio),
                         number_or_null(known, found.lowest), number_or_null(known, found.highest),
                         count(claim.pairs), count(claim.against)});
  }
  std::string out = text_table(rows);
  for (const JudgedClaim& claim : answer.claims) add_claim(out, claim, question);
  if (!answer.implausible.empty()) out += "\n" + text_of(answer.implausible);
  return out + fmt::format("\n{}@{}: {} confirmed, {} refuted, {} undecided\n", answer.sweep,
                           answer.id.value, answer.confirmed, answer.refuted, answer.undecided);
}

std::string to_json(const ClaimsAnswer& answer) {
  std::string out = "{\"sweep\": ";
  append_json(Value(answer.sweep), out);
  out += fmt::format(
      ", \"sweep_id\": {}, \"confirmed\": {}, \"refuted\": {}, \"undecided\": {}, \"claims\": [",
      answer.id.value, answer.confirmed, answer.refuted, answer.undecided);
  for (std::size_t i = 0; i < answer.claims.size(); ++i) {
    const JudgedClaim& claim = answer.claims[i];
    const bool known = claim.reason.empty();
    const bool ratio = known && (is_ratio(claim) || is_level(claim));
    const bool limit = known && (is_level(claim) || claim.claim.kind == ClaimKind::error_below);
    std::string each =
        object({{"name", claim.claim.name},
                {"kind", name_of(claim.claim.kind)},
                {"verdict", name_of(claim.verdict)},
                {"says", sentence_of(claim)},
                {"where", claim.claim.where},
                {"ratio", number_or_null(ratio, claim.evidence.ratio)},
                {"low", number_or_null(ratio, claim.evidence.bounds.low)},
                {"high", number_or_null(ratio, claim.evidence.bounds.high)},
                {"lowest", number_or_null(ratio, claim.evidence.lowest)},
                {"highest", number_or_null(ratio, claim.evidence.highest)},
                {"bound", number_or_null(is_level(claim) || claim.claim.kind == ClaimKind::error_below,
                                         claim.claim.bound)},
                {"word", claim.claim.word.empty() ? Value() : Value(claim.claim.word)},
                {"smallest", number_or_null(limit, claim.lowest)},
                {"largest", number_or_null(limit, claim.highest)},
                {"pairs", count(claim.pairs)},
                {"against", count(claim.against)},
                {"jobs", count(claim.jobs)},
                {"failed", count(claim.failed)},
                {"graded_below", count(claim.graded_below)},
                {"without_number", count(claim.without)},
                {"alone", count(claim.alone)},
                {"points", count(claim.points)},
                {"lost", count(claim.lost)},
                {"no_result", count(claim.no_result)},
                {"single_process", count(claim.evidence.single)},
                {"open", claim.verdict == ClaimVerdict::undecided && claim.evidence.open != ClaimOpen::none
                             ? Value(std::string(name_of(claim.evidence.open)))
                             : Value()},
                {"missing", claim.missing},
                {"not_repeatable", count(claim.not_repeatable)},
                {"other_inputs", count(claim.other_inputs)},
                {"other_outputs", count(claim.outputs.differing.size() + claim.other_outputs.size())}});
    each.pop_back();
    each += ", \"disagreements\": [";
    for (std::size_t d = 0; d < claim.disagreements.size(); ++d) {
      const Disagreement& pair = claim.disagreements[d];
      const bool bits = claim.claim.kind == ClaimKind::equal_bits;
      const bool two = is_ratio(claim) || is_level(claim);
      each +=
          (d == 0 ? "" : ", ") + object({{"point", pair.point},
                                         {"number", number_or_null(!bits, pair.number)},
                                         {"word", pair.word.empty() ? Value() : Value(pair.word)},
                                         {"low", number_or_null(two, pair.bounds.low)},
                                         {"high", number_or_null(two, pair.bounds.high)},
                                         {"result", count(pair.first)},
                                         {"result_than", pair.second == 0 ? Value() : count(pair.second)}});
    }
    out += (i == 0 ? "" : ", ") + each + "]}";
  }
  out += "]";
  if (!answer.implausible.empty()) out += ", \"implausible\": " + to_json(answer.implausible);
  return out + "}";
}

}  // namespace kernsweep
