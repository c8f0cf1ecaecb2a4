// The answer of a job that was measured by hand, as text and as JSON.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "shared/base/digest.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/stats/statistics.hpp"
#include "shared/wire/json_tree.hpp"
#include "worker/slot/once.hpp"

namespace kernsweep {
namespace {

std::string printed(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string printed(const char* format, ...) {
  char text[160];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

// "12.35 ms": four digits, in a suitable unit.
std::string text_of_time(double seconds) {
  if (seconds < 1e-6) return printed("%.4g ns", seconds * 1e9);
  if (seconds < 1e-3) return printed("%.4g us", seconds * 1e6);
  if (seconds < 1) return printed("%.4g ms", seconds * 1e3);
  return printed("%.4g s", seconds);
}

std::string variant_in(const SingleJob& job) {
  for (const auto& [name, value] : job.values)
    if (name == "variant") return value.to_text();
  return "";
}

std::string hex_of_output(const wire::OutcomeBody& body) {
  const auto hash = digest_from_bytes(body.output_hash());
  return hash ? hash->hex() : "";
}

// Whether the output was compared with a reference, so that the error has a meaning.
bool compared(const OnceAnswer& answer) {
  return answer.body.verified() || (answer.outcome == Outcome::wrong_result && answer.body.tolerance() > 0);
}

char grade_of(const OnceAnswer& answer) {
  return grade_of(answer.outcome, answer.body.doubts_size() > 0, answer.body.grades_size() > 0);
}

// Adds a named value. Further lines of the value are indented to the first.
void add_line(std::string& out, const std::string& name, const std::string& value) {
  constexpr std::size_t kNameWidth = 10;
  if (value.empty()) return;
  out += name + std::string(kNameWidth - std::min(kNameWidth - 1, name.size()), ' ');
  for (const char c : value.substr(0, value.find_last_not_of('\n') + 1))
    out += c == '\n' ? "\n" + std::string(kNameWidth, ' ') : std::string(1, c);
  out += '\n';
}

void add_numbers(const OnceAnswer& answer, std::string& out) {
  const wire::OutcomeBody& body = answer.body;
  if (body.samples_s_size() == 0) return;
  const Summary summary =
      summarise({body.samples_s().data(), static_cast<std::size_t>(body.samples_s_size())});
  add_line(out, "time",
           text_of_time(summary.median) + " (median; quartiles " + text_of_time(summary.q1) + " and " +
               text_of_time(summary.q3) + ")");
  add_line(out, "samples",
           std::to_string(body.samples_s_size()) + " of " + std::to_string(body.calls_per_sample()) +
               (body.calls_per_sample() == 1 ? " call" : " calls") + ", stopped by " + body.stopped_by());
  std::string rate;
  if (body.flops() > 0) rate = printed("%.4g GFLOP/s", body.flops() / summary.median * 1e-9);
  if (body.bytes() > 0)
    rate += (rate.empty() ? "" : ", ") + printed("%.4g GB/s", body.bytes() / summary.median * 1e-9);
  add_line(out, "rate", rate);
}

void add_summary(const wire::OutcomeBody& body, JsonTree& out) {
  if (body.samples_s_size() == 0) return;
  const Summary summary =
      summarise({body.samples_s().data(), static_cast<std::size_t>(body.samples_s_size())});
  out.add("median_s", Value(summary.median));
  out.add("q1_s", Value(summary.q1));
  out.add("q3_s", Value(summary.q3));
  out.add("min_s", Value(summary.min));
  out.add("max_s", Value(summary.max));
  out.add("samples", JsonTree::natural(static_cast<std::uint64_t>(body.samples_s_size())));
  out.add("calls_per_sample", JsonTree::natural(body.calls_per_sample()));
  out.add("stopped_by", Value(body.stopped_by()));
  if (body.flops() > 0) out.add("gflops", Value(body.flops() / summary.median * 1e-9));
  if (body.bytes() > 0) out.add("gbps", Value(body.bytes() / summary.median * 1e-9));
  JsonTree& samples = out.add("samples_s", JsonTree::list());
  for (const double sample : body.samples_s()) samples.add(Value(sample));
}

}  // namespace

std::string text_of(const OnceAnswer& answer) {
  const wire::OutcomeBody& body = answer.body;
  std::string out;
  add_line(out, "outcome",
           std::string(name_of(answer.outcome)) + (body.reason().empty() ? "" : ": " + body.reason()));
  const std::string variant = variant_in(answer.job), version = body.pack_version();
  add_line(out, "kernel",
           answer.job.family + (variant.empty() ? "" : " " + variant) + ", pack " + body.pack_name() +
               (version.empty() ? "" : " " + version));
  add_line(out, "runtime", body.runtime());
  add_line(out, "cores",
           body.affinity() + (answer.job.copies > 1 ? printed(", %u copies of", answer.job.copies) : ",") +
               printed(" %u %s", answer.job.threads, answer.job.threads == 1 ? "thread" : "threads"));
  add_numbers(answer, out);
  if (compared(answer))
    add_line(out, "error", printed("%.3g, tolerance %.3g", body.error(), body.tolerance()));
  const std::string hash = hex_of_output(body);
  if (!hash.empty()) add_line(out, "output", hash + (body.repeatable() ? "" : ", not the same each time"));
  std::string grade(1, grade_of(answer));
  for (const auto* reasons : {&body.doubts(), &body.grades()})
    for (const std::string& reason : *reasons) grade += "\n" + reason;
  add_line(out, "grade", grade);
  std::string notes;
  for (const std::string& note : body.notes()) notes += (notes.empty() ? "" : "\n") + note;
  add_line(out, "note", notes);
  for (const auto& input : body.inputs())
    add_line(out, "input", input.name() + " = " + input.summary() + ", " + input.content_hash());
  return out;
}

std::string json_of(const OnceAnswer& answer) {
  const wire::OutcomeBody& body = answer.body;
  JsonTree out = JsonTree::object();
  const auto add_text = [&](const char* name, const std::string& text) {
    if (!text.empty()) out.add(name, Value(text));
  };
  add_text("outcome", std::string(name_of(answer.outcome)));
  add_text("reason", body.reason());
  if (answer.bad_parameter) out.add("bad_parameter", Value(true));
  add_text("family", answer.job.family);
  add_text("variant", variant_in(answer.job));
  add_text("pack", answer.job.pack);
  add_text("runtime", body.runtime());
  add_text("affinity", body.affinity());
  out.add("threads", JsonTree::natural(answer.job.threads));
  if (answer.job.copies > 0) out.add("copies", JsonTree::natural(answer.job.copies));
  add_summary(body, out);
  if (compared(answer)) {
    out.add("error", Value(body.error()));
    out.add("tolerance", Value(body.tolerance()));
  }
  add_text("output_hash", hex_of_output(body));
  if (!body.output_hash().empty()) out.add("repeatable", Value(body.repeatable()));
  add_text("grade", std::string(1, grade_of(answer)));
  JsonTree& reasons = out.add("grade_reasons", JsonTree::list());
  for (const auto* list : {&body.doubts(), &body.grades()})
    for (const std::string& reason : *list) reasons.add(Value(reason));
  if (body.notes_size() > 0) {
    JsonTree& notes = out.add("notes", JsonTree::list());
    for (const std::string& note : body.notes()) notes.add(Value(note));
  }
  JsonTree& inputs = out.add("inputs", JsonTree::list());
  for (const auto& input : body.inputs()) {
    JsonTree& one = inputs.add(JsonTree::object());
    one.add("name", Value(input.name()));
    one.add("summary", Value(input.summary()));
    one.add("hash", Value(input.content_hash()));
    one.add("bytes", JsonTree::natural(input.bytes()));
  }
  if (answer.sources.empty()) return text_of(out);
  JsonTree& sources = out.add("sources", JsonTree::list());
  each_source(answer.sources, [&](const SourceLine& line, std::string_view) {
    JsonTree& one = sources.add(JsonTree::object());
    one.add("role", Value(line.role));
    one.add("name", Value(line.name));
    if (!line.path.empty()) one.add("path", Value(line.path));
    if (line.hash.empty()) return;
    one.add("bytes", JsonTree::natural(line.bytes));
    one.add("hash", Value(line.hash));
  });
  return text_of(out);
}

}  // namespace kernsweep
