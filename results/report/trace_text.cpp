// The sums of a trace, as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "results/report/json_object.hpp"
#include "results/report/trace.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

struct PhaseText {
  const char* name;   // of a span
  const char* shown;  // in the table
  const char* key;    // of JSON
  const char* help;   // how to shorten it; empty: it is the purpose of a sweep
};
// In the order of TracePhase.
constexpr PhaseText kPhases[] = {
    {"start", "start a process", "start_s",
     "fewer kinds of process: axes `env.*` and `*.library` need one for each value, `processes` multiplies "
     "them"},
    {"inputs", "make and map inputs", "inputs_s",
     "smaller inputs, or `order: interleave`, so that points with the same inputs follow one another"},
    {"prepare", "prepare", "prepare_s", "a kernel that sets up less, or `processes` that are fewer"},
    {"reference", "compute references", "reference_s",
     "a faster `verify.reference`, such as another variant or a file"},
    {"verify", "verify", "verify_s", "`verify: {repeat: 1}`"},
    {"wait", "wait for a quiet host or a lease", "wait_s",
     "an idle host, since jobs wait until it is quiet (`--patience 0` does not wait); or `alone_on: core`, "
     "where "
     "the kernels do not share a cache or memory that they fill"},
    {"warm up", "warm up", "warm_up_s", "a shorter `warmup`"},
    {"measure", "measure", "measure_s", ""},
    {"check", "check what calls left, release", "check_s", "smaller outputs"},
    {"idle", "slots without a job", "idle_s", ""},
};
static_assert(std::size(kPhases) == kTracePhases);

double trace_seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

// The advice for a run that measured during less than half of its time.
std::string advice_of(const TraceSums& sums) {
  constexpr std::int64_t kLong_ns = 10'000'000'000;
  const std::int64_t measured = sums.of(TracePhase::measure) + sums.of(TracePhase::warm_up);
  if (sums.wall_ns < kLong_ns || 2 * measured >= sums.wall_ns) return "";
  // Jobs wait while others run, or until the host is quiet.
  std::int64_t most = std::max<std::int64_t>(0, sums.wall_ns - sums.all_ns() + sums.of(TracePhase::wait));
  auto largest = TracePhase::wait;
  for (const TracePhase phase : {TracePhase::start, TracePhase::inputs, TracePhase::prepare,
                                 TracePhase::reference, TracePhase::verify, TracePhase::check})
    if (sums.of(phase) > most) most = sums.of(largest = phase);
  const PhaseText& text = kPhases[static_cast<std::size_t>(largest)];
  return fmt::format("{:.0f} % of that was measured; most of the rest: {}. What helps: {}\n",
                     100 * trace_seconds(measured) / trace_seconds(sums.wall_ns), text.shown, text.help);
}

}  // namespace

const char* name_of(TracePhase phase) {
  return kPhases[static_cast<std::size_t>(phase)].name;
}

std::string text_of(const TraceSums& sums, const std::string& path) {
  std::string text = fmt::format(
      "{}{}{} of {} on {}, at most {} side by side{}\n", path, path.empty() ? "" : ": ",
      counted(sums.attempts, "attempt", "attempts"), one_line(sums.sweep, 60),
      counted(sums.hosts, "host", "hosts"), sums.together,
      path.empty() ? "; -o trace.json writes the time line" : "; open it at https://ui.perfetto.dev");
  RowSet table{{"phase", "time", "share"}, {}};
  const auto add = [&](const char* name, std::int64_t ns) {
    const double share = sums.all_ns() > 0 ? 100 * trace_seconds(ns) / trace_seconds(sums.all_ns()) : 0;
    table.rows.push_back(
        {Value(name), Value(text_of_wait(trace_seconds(ns))), Value(fmt::format("{:.1f} %", share))});
  };
  for (std::size_t i = 0; i < kTracePhases; ++i)
    if (sums.phases_ns[i] > 0 && i != static_cast<std::size_t>(TracePhase::idle))
      add(kPhases[i].shown, sums.phases_ns[i]);
  add("all together", sums.all_ns());
  text += text_table(table);
  text +=
      fmt::format("from the first start to the last end: {}\n", text_of_wait(trace_seconds(sums.wall_ns)));
  if (const std::int64_t idle = sums.of(TracePhase::idle); idle > 0)
    text += fmt::format("slots were idle for {} in all, while others worked or the host was not quiet\n",
                        text_of_wait(trace_seconds(idle)));
  text += advice_of(sums);
  if (sums.reused > 0)
    text += fmt::format("{} of earlier jobs are used and took no time here\n",
                        counted(sums.reused, "result", "results"));
  if (sums.without_end > 0)
    text += fmt::format("{} left out: when they ended is not known\n",
                        counted(sums.without_end, "attempt is", "attempts are"));
  return text;
}

std::string to_json(const TraceSums& sums) {
  JsonObject object;
  object.add("sweep", sums.sweep).count("sweep_id", sums.sweep_id).count("attempts", sums.attempts);
  object.count("without_end", sums.without_end).count("reused", sums.reused).count("hosts", sums.hosts);
  object.count("threads", sums.threads).count("together", sums.together);
  object.count("disturbances", sums.disturbances).count("events", sums.events);
  const auto add = [&](const char* name, std::int64_t ns) { object.add(name, trace_seconds(ns)); };
  for (std::size_t i = 0; i < kTracePhases; ++i) add(kPhases[i].key, sums.phases_ns[i]);
  add("all_s", sums.all_ns());
  add("queue_s", sums.queue_ns);
  add("wall_s", sums.wall_ns);
  return object.text();
}

}  // namespace kernsweep
