// The kernel is a program of the user: each run starts it, reads its output, and waits for its end.
//
// The parameter `command` is the whole command line of the point; the sweep language fills it in
// (docs/reference/programs.md). There is one variant and no reference, because the right output is not
// known. The program's output is the output of the kernel, so that runs can be compared with each other.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/api/pack.h"
#include "kernels/command/beside.hpp"
#include "kernels/command/metrics.hpp"
#include "kernels/command/process_run.hpp"
#include "kernels/command/recorded_runs.hpp"
#include "kernels/command/report.hpp"
#include "kernels/command/sources.hpp"
#include "kernels/command/warden.hpp"
#include "kernels/pack_parts.hpp"
#include "shared/lists/executable.hpp"
#include "shared/text/command_line.hpp"

namespace {

using namespace kernsweep::command;
using kernsweep::command_words;

struct State {
  State(const ks_context& given, const Executable& found, std::vector<std::string> words,
        std::unique_ptr<Cleanup> after)
      : cleanup(std::move(after)),
        context(given),
        resolved(real_path(found)),
        runs(found.path, std::move(words)) {}

  std::unique_ptr<Cleanup> cleanup;

  ks_context context;
  std::string resolved;
  ProcessRun runs;
  Report report;
  std::unique_ptr<Metrics> metrics;           // may be null
  std::shared_ptr<Recording> records;         // gets each run; null: none is recorded
  std::shared_ptr<const Recording> replayed;  // its runs are read; null: the command runs
  std::size_t next_replayed = 0;
  double seconds = 0, waited = -1;
  std::size_t keeps = 0;  // bytes of output that must be complete; 0: the last part is enough
  bool has_run = false;
  bool keeps_time = false;  // whether the first run reported its own seconds
};

// If a sweep has several commands, `command` is the name of one and "command.line" its command line.
const char* line_of(const ks_params& params) {
  const char* const line = kernsweep::text_of(params, "command.line");
  return *line != '\0' ? line : kernsweep::text_of(params, "command");
}

ks_status can_run(const ks_params* params, ks_why why) {
  const char* const line = line_of(*params);
  const auto words = command_words(line);
  if (words && !words->empty()) return KS_OK;
  std::snprintf(why.text, why.size,
                words ? "the command is empty; its first word is the program"
                      : "a quote in the command is not closed: %s",
                line);
  return KS_BAD_PARAMETER;
}

// A parameter that the slot adds; 0: it has not.
//   command.keeps    bytes of the output: it is compared with a reference, which needs all of it
//   command.records  the number of a recording that gets the runs
//   command.replays  the number of the recording whose runs are read
//   command.fails    likewise, if it ends with a run that failed
std::int64_t number_from_slot(const ks_params& params, const char* name) {
  for (std::size_t i = 0; i < params.count; ++i) {
    const ks_param& param = params.items[i];
    if (std::strcmp(param.name, name) == 0 && param.kind == KS_INTEGER && param.integer > 0)
      return param.integer;
  }
  return 0;
}

// Returns why the job cannot be prepared; empty: it can.
std::string set_up(const ks_params& params, const ks_context& context, std::unique_ptr<Cleanup>& cleanup) {
  const std::string before = kernsweep::text_of(params, "command.setup");
  const std::string after = kernsweep::text_of(params, "command.cleanup");
  if (before.empty() && after.empty()) return "";
  cleanup = std::make_unique<Cleanup>(after, context);
  const std::string failure = before.empty() ? "" : run_beside(before);
  return failure.empty() ? "" : "setup: " + failure;
}

ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor*, std::size_t,
                  void** state, ks_why why) try {
  auto words = command_words(line_of(*params));
  if (!words || words->empty()) return KS_BAD_PARAMETER;
  if (const int error = Warden::post(); error != 0) {
    std::snprintf(
        why.text, why.size,
        "the watcher that kills the command when its slot ends cannot be started: %s; raise 'ulimit -n' "
        "or 'ulimit -u'",
        strerror(error));
    return KS_FAILED;
  }
  const std::int64_t fails = number_from_slot(*params, "command.fails");
  const std::int64_t replays = fails > 0 ? fails : number_from_slot(*params, "command.replays");
  std::shared_ptr<const Recording> replayed = replays > 0 ? Recording::find(replays) : nullptr;
  if (replays > 0 && (!replayed || (fails > 0 && replayed->failure().empty()))) return KS_FAILED;
  std::unique_ptr<Cleanup> cleanup;
  if (const std::string failure = replayed ? "" : set_up(*params, *context, cleanup); !failure.empty()) {
    std::snprintf(why.text, why.size, "%s", failure.c_str());
    return KS_FAILED;
  }
  const Executable found = find_executable(words->front());
  std::unique_ptr<Metrics> metrics = Metrics::of(*params);
  if (context->report_source) {
    context->report_source(context->host, "program", words->front().c_str(), found.path.c_str());
    report_words(*context, *words, found.path, metrics ? metrics->file() : "");
  }
  if (found.path.empty()) {
    std::snprintf(why.text, why.size, "%s", found.reason.c_str());
    return KS_FAILED;
  }
  auto made = std::make_unique<State>(*context, found, std::move(*words), std::move(cleanup));
  made->metrics = std::move(metrics);
  made->keeps = static_cast<std::size_t>(number_from_slot(*params, "command.keeps"));
  made->replayed = std::move(replayed);
  if (const std::int64_t records = number_from_slot(*params, "command.records"); records > 0)
    made->records = Recording::begin(records);
  if (made->keeps > 0) made->report.keep(made->keeps);
  if (made->metrics) made->metrics->prepare(made->runs, made->report);
  *state = made.release();
  return KS_OK;
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status failed(const State& state, const std::string& reason) {
  if (state.context.explain) state.context.explain(state.context.host, reason.c_str());
  return KS_FAILED;
}

// Runs the command. Returns what is wrong; empty: nothing.
std::string run_command(State& state, std::string& text) {
  if (state.metrics) state.metrics->before_run();
  const std::string& failure = state.runs.run(state.report);
  if (!failure.empty() && state.records) state.records->end(failure);
  if (!failure.empty()) return failure;
  if (!state.has_run && !state.report.seconds) {
    constexpr std::string_view kTime = "ernsweep: seconds=";  // also with another first letter
    const std::string begin = "; begin a line of stdout with 'kernsweep: seconds='";
    if (state.report.output().find(kTime) != std::string_view::npos)
      return "the command printed a time within a line" + begin;
    if (state.runs.errors().find(kTime) != std::string::npos)
      return "the command printed a time to stderr" + begin;
  }
  state.waited = state.runs.waited_s();
  state.seconds = state.runs.wall_s();
  if (!state.metrics || !state.report.error.empty()) return "";
  if (std::string wrong = state.metrics->take_text(state.runs, state.report, text); !wrong.empty())
    return wrong;
  if (state.records) state.records->add({state.report, text, state.seconds, state.waited});
  return "";
}

// Likewise the next recorded run.
std::string replay(State& state, std::string& text) {
  if (state.next_replayed == state.replayed->runs().size())
    return state.replayed->failure().empty() ? "no further run was recorded" : state.replayed->failure();
  const RecordedRun& recorded = state.replayed->runs()[state.next_replayed++];
  state.report = recorded.report;
  text = recorded.text;
  state.waited = recorded.waited_s;
  state.seconds = recorded.wall_s;
  return "";
}

ks_status run(void* handle) try {
  State& state = *static_cast<State*>(handle);
  std::string text;
  const std::string failure = state.replayed ? replay(state, text) : run_command(state, text);
  if (!failure.empty()) return failed(state, failure);
  if (state.metrics && state.report.error.empty()) {
    const std::string wrong = state.metrics->read(text, state.report);
    if (!wrong.empty()) {
      const bool may_be_in_errors =
          state.metrics->reads_stdout() && state.report.output().empty() && !state.runs.errors().empty();
      return failed(state,
                    wrong + (may_be_in_errors ? "; stderr has text, `from: stderr` reads that" : ""));
    }
  }
  const Report& report = state.report;
  if (!report.error.empty()) return failed(state, report.error);
  if (state.keeps > 0 && report.is_cut())
    return failed(state, "the command printed more than " + std::to_string(state.keeps >> 20) +
                             " MiB, which is too much to be compared with a reference");
  const bool keeps_time = report.seconds.has_value();
  if (state.has_run && keeps_time != state.keeps_time) {
    return failed(state,
                  "the command printed 'kernsweep: seconds=' in some runs and not in others; times of "
                  "two kinds cannot be compared");
  }
  state.has_run = true;
  state.keeps_time = keeps_time;
  if (report.seconds) state.seconds = *report.seconds;
  if ((report.flops || report.bytes) && state.context.report_work) {
    const ks_work work = {report.flops.value_or(0), report.bytes.value_or(0)};
    state.context.report_work(state.context.host, &work);
  }
  return KS_OK;
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status output(void* handle, ks_tensor* out) {
  const std::string_view printed = static_cast<State*>(handle)->report.output();
  *out = {};
  out->data = printed.data();
  out->dtype = KS_U8;
  out->rank = 1;
  out->shape[0] = static_cast<std::int64_t>(printed.size());
  out->strides[0] = 1;
  return KS_OK;
}

double elapsed(void* handle) {
  return static_cast<State*>(handle)->seconds;
}

double waited(void* handle) {
  return static_cast<State*>(handle)->waited;
}

ks_status samples(void* handle, const double** seconds, std::size_t* count) {
  const State& state = *static_cast<State*>(handle);
  const std::span<const double> all = state.metrics ? state.metrics->samples() : std::span<const double>();
  *seconds = all.data();
  *count = all.size();
  return KS_OK;
}

// The metrics of the last run.
ks_status metrics(void* handle, ks_declared_metric* out, std::size_t capacity, std::size_t* count) {
  const Report& report = static_cast<State*>(handle)->report;
  *count = std::min(capacity, report.metrics.size());
  for (std::size_t i = 0; i < *count; ++i) {
    const Report::Metric& metric = report.metrics[i];
    std::snprintf(out[i].name, sizeof out[i].name, "%s", metric.name.c_str());
    std::snprintf(out[i].unit, sizeof out[i].unit, "%s", metric.unit.c_str());
    out[i].value = metric.value.value_or(0);
    out[i].better = metric.better;
  }
  return KS_OK;
}

void release(void* handle) {
  delete static_cast<State*>(handle);
}

const char* runtime(void* handle) {
  return static_cast<State*>(handle)->resolved.c_str();
}

const ks_param_doc kParams[] = {
    {"command", KS_TEXT, nullptr, nullptr, "the command line; a sweep says command: './bench -n {n}'"},
    {"command.line", KS_TEXT, "", nullptr,
     "the command line, where `command` has its name: commands: {a: ./a}"},
    {"command.build", KS_TEXT, "", nullptr,
     "what has made the file {build} of the command; a sweep says build: 'cc -o {out} kernel.c'"},
    {"command.setup", KS_TEXT, "", nullptr,
     "a command before the first run; a sweep says setup: './make {n}'"},
    {"command.cleanup", KS_TEXT, "", nullptr, "likewise after the last one"},
    {"command.metrics", KS_TEXT, "", nullptr,
     "the numbers that it prints; a sweep says metrics: {values: ...}"},
    {"command.hint", KS_TEXT, "", nullptr, "what to do where it prints another form: `hint` of metrics"},
    {"command.from", KS_TEXT, "", nullptr, "where it prints them: `from` of metrics"},
    {"command.row", KS_TEXT, "", nullptr, "the row that is meant: `row` of metrics"}};

const ks_variant kCommand = {.name = "command",
                             .summary = "starts it without a shell and waits for its end",
                             .can_run = can_run,
                             .prepare = prepare,
                             .run = run,
                             .output = output,
                             .elapsed = elapsed,
                             .release = release,
                             .runtime = runtime,
                             .declared_metrics = metrics,
                             .waited = waited,
                             .samples = samples};
const std::array kVariants = {&kCommand};

const ks_family kFamily = {.name = "command",
                           .summary = "a program of yours, timed from its start to its end",
                           .params = kParams,
                           .param_count = std::size(kParams),
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = kernsweep::no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack =
    kernsweep::pack_of("command", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  return host_major == KS_API_MAJOR && host_minor >= KS_API_MINOR ? &kPack : nullptr;
}
