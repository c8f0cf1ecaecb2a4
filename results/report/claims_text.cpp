#include "results/report/claims_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kDisagreementsTold = 5;
constexpr std::size_t kColumns = 110;

bool is_word(const JudgedClaim& claim) {
  return claim.claim.kind == ClaimKind::limited_by || claim.claim.kind == ClaimKind::ends_as;
}

std::string times(double ratio) {
  return text_of_number(ratio) + "x";
}

// A metric or an error with its unit.
std::string amount(const JudgedClaim& claim, double number) {
  if (claim.claim.kind == ClaimKind::error_below)
    return std::isnan(number) ? "a wrong result" : fmt::format("{:.3g}", number);
  return text_of_metric(number, claim.unit) + (is_unit_told(claim.unit) ? "" : " " + claim.unit);
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
                                      claim.claim.metric == kDevicePeak ? "device's " : "", first);
  out += fmt::format(" (99 % interval {}", text_of_bounds(found.bounds, found.ratio, times));
  if (claim.pairs > 1)
    out += fmt::format("; {} to {} in {} pairs", times(found.lowest), times(found.highest),
                       text_of_count(claim.pairs));
  return out + "); " + claimed(claim.claim.by);
}

std::string level_sentence(const JudgedClaim& claim) {
  const bool least = claim.claim.kind == ClaimKind::at_least;
  return fmt::format("{} is {} to {} at {}; claimed: {} {}", claim.claim.metric,
                     amount(claim, claim.lowest), amount(claim, claim.highest),
                     counted(claim.pairs, "point", "points"), least ? "at least" : "at most",
                     amount(claim, claim.claim.bound));
}

std::string error_sentence(const JudgedClaim& claim) {
  const std::string below = "; claimed: below " + amount(claim, claim.claim.bound);
  const std::string wrong = counted(claim.wrong, "job has", "jobs have") + " a wrong result";
  if (claim.wrong == claim.pairs) return wrong + ", and no error says how wrong" + below;
  return fmt::format("the largest error of {} is {}{}{}", counted(claim.pairs - claim.wrong, "job", "jobs"),
                     amount(claim, claim.highest),
                     claim.wrong > 0 ? ", and " + wrong + " without an error that says how wrong" : "",
                     below);
}

}  // namespace

std::string sentence_of(const JudgedClaim& claim) {
  if (!claim.reason.empty()) return claim.reason;
  if (has_two_sides(claim.claim.kind)) return ratio_sentence(claim);
  if (has_metric(claim.claim.kind)) return level_sentence(claim);
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
  if (has_two_sides(claim.claim.kind))
    out += fmt::format(": {} ({})", times(pair.number), text_of_bounds(pair.bounds, pair.number, times));
  else if (is_word(claim))
    out += ": " + pair.word;
  else if (claim.claim.kind != ClaimKind::equal_bits)
    out += ": " + amount(claim, pair.number);
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
  if (has_metric(claim.claim.kind)) return "points";
  return claim.claim.kind == ClaimKind::error_below || is_word(claim) ? "jobs" : "pairs";
}

// How to get a missing percentile: enough samples (docs/internals/measurement.md).
std::string how_to_have(const Claim& claim) {
  int samples = 0;
  if (claim.metric == "p90_s") samples = 10;
  if (claim.metric == "p99_s") samples = 100;
  if (claim.metric == "p999_s") samples = 1000;
  if (!has_metric(claim.kind) || samples == 0) return "";
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
      has_metric(claim.claim.kind) ? (one ? "points has" : "points have")
                                   : (one ? "pairs has" : "pairs have"),
      has_metric(claim.claim.kind) ? "" : " on a side",
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
      return fmt::format(
          "the interval is outside the claimed range, but by no more than equal points may differ; {}",
          more);
    case ClaimOpen::inside:
      return fmt::format(
          "the interval is inside the claimed range, but by no more than equal points may differ; {}",
          more);
    case ClaimOpen::margin:
      return fmt::format(
          "the ratio is within the margin of {:g} % of an end of the claimed range, which decides nothing; "
          "if such a difference does not matter, widen the claim, such as `by: 0.95`",
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

Value count(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

// In JSON a number that is not finite is null.
Value number_if(bool known, double number) {
  return known ? Value(number) : Value();
}
Value text_if_any(std::string_view text) {
  return text.empty() ? Value() : Value(text);
}

std::string json_of_disagreement(const Disagreement& pair, const JudgedClaim& claim) {
  const bool ratio = has_two_sides(claim.claim.kind) || has_metric(claim.claim.kind);
  return JsonObject()
      .add("point", pair.point)
      .add("number", number_if(claim.claim.kind != ClaimKind::equal_bits, pair.number))
      .add("word", text_if_any(pair.word))
      .add("low", number_if(ratio, pair.bounds.low))
      .add("high", number_if(ratio, pair.bounds.high))
      .count("result", pair.first)
      .add("result_than", pair.second == 0 ? Value() : count(pair.second))
      .text();
}

std::string json_of_claim(const JudgedClaim& claim) {
  const bool known = claim.reason.empty();
  const bool ratio = known && (has_two_sides(claim.claim.kind) || has_metric(claim.claim.kind));
  const bool bounded = has_metric(claim.claim.kind) || claim.claim.kind == ClaimKind::error_below;
  const ClaimEvidence& found = claim.evidence;
  const bool open = claim.verdict == ClaimVerdict::undecided && found.open != ClaimOpen::none;
  JsonObject object;
  object.add("name", claim.claim.name).add("kind", name_of(claim.claim.kind));
  object.add("verdict", name_of(claim.verdict)).add("says", sentence_of(claim));
  object.add("where", claim.claim.where).add("ratio", number_if(ratio, found.ratio));
  object.add("low", number_if(ratio, found.bounds.low)).add("high", number_if(ratio, found.bounds.high));
  object.add("lowest", number_if(ratio, found.lowest)).add("highest", number_if(ratio, found.highest));
  object.add("bound", number_if(bounded, claim.claim.bound)).add("word", text_if_any(claim.claim.word));
  object.add("smallest", number_if(known && bounded, claim.lowest));
  object.add("largest", number_if(known && bounded, claim.highest));
  object.count("pairs", claim.pairs).count("against", claim.against).count("jobs", claim.jobs);
  object.count("failed", claim.failed).count("graded_below", claim.graded_below);
  object.count("without_number", claim.without).count("alone", claim.alone);
  object.count("points", claim.points).count("lost", claim.lost).count("no_result", claim.no_result);
  object.count("single_process", found.single).add("open", text_if_any(open ? name_of(found.open) : ""));
  object.add("missing", claim.missing).count("not_repeatable", claim.not_repeatable);
  object.count("other_inputs", claim.other_inputs);
  object.count("other_outputs", claim.outputs.differing.size() + claim.other_outputs.size());
  const auto of_pair = [&](const Disagreement& pair) { return json_of_disagreement(pair, claim); };
  return object.add_raw("disagreements", json_list(claim.disagreements, of_pair)).text();
}

}  // namespace

std::string text_of(const ClaimsAnswer& answer, const ClaimsQuestion& question) {
  RowSet rows;
  rows.columns = {"claim", "verdict", "ratio", "low", "high", "lowest", "highest", "pairs", "against"};
  for (const JudgedClaim& claim : answer.claims) {
    const bool known =
        claim.reason.empty() && (has_two_sides(claim.claim.kind) || has_metric(claim.claim.kind));
    const ClaimEvidence& found = claim.evidence;
    const auto number = [&](double of) { return known ? finite_value(of) : Value(); };
    const auto bound = [&](double of) {
      return known && !is_told(of, found.ratio) ? Value("not known") : number(of);
    };
    rows.rows.push_back({claim.claim.name, std::string(name_of(claim.verdict)), number(found.ratio),
                         bound(found.bounds.low), bound(found.bounds.high), number(found.lowest),
                         number(found.highest), count(claim.pairs), count(claim.against)});
  }
  std::string out = text_table(rows);
  for (const JudgedClaim& claim : answer.claims) add_claim(out, claim, question);
  if (!answer.implausible.empty()) out += "\n" + text_of(answer.implausible);
  return out + fmt::format("\n{}@{}: {} confirmed, {} refuted, {} undecided\n", answer.sweep,
                           answer.id.value, answer.confirmed, answer.refuted, answer.undecided);
}

std::string to_json(const ClaimsAnswer& answer) {
  JsonObject object;
  object.add("sweep", answer.sweep).count("sweep_id", answer.id.value);
  object.count("confirmed", answer.confirmed).count("refuted", answer.refuted);
  object.count("undecided", answer.undecided);
  object.add_raw("claims",
                 json_list(answer.claims, [](const JudgedClaim& each) { return json_of_claim(each); }));
  if (!answer.implausible.empty()) object.add_raw("implausible", to_json(answer.implausible));
  return object.text();
}

}  // namespace kernsweep
