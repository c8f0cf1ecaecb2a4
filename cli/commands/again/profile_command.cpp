// The command `profile`: measures one stored job again under a profiler, and writes a time line.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/commands/again/repro.hpp"
#include "cli/commands/run/tried_pack.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/program.hpp"
#include "cli/show/output.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "worker/host/programs.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr Duration kNoLimit = std::chrono::hours(24 * 365);

// The tool that makes a profile.
enum class Profiler : std::uint8_t { python, perf };

class ProfileCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_result(to, result_);
    to.option("-o,--output", output_,
              "File to write (default: next to the database, DATABASE.RESULT.trace.json or .perf.txt)");
    to.option(
        "--by", by_,
        "python: the calls of a Python function, by PyTorch's profiler where it has imported PyTorch; "
        "perf: samples of the stack, of any kernel, by Linux's perf (default: python for a function)");
    add_json(to, json_);
  }
  int run(const Invocation&) override;

 private:
  Result<Profiler> profiler_for(const Repro& repro) const;
  std::string path_for(const Repro& repro, Profiler profiler) const;
  int tell(const Repro& repro, Profiler profiler, const std::string& path, const Tried& tried) const;

  std::string database_, result_, output_, by_;
  bool json_ = false;
};

Result<Profiler> ProfileCommand::profiler_for(const Repro& repro) const {
  const bool is_function = needs_interpreter(repro.job.pack);
  if (by_ == "perf" || (by_.empty() && !is_function)) return Profiler::perf;
  if (!by_.empty() && by_ != "python") return failure("--by " + by_ + ": write python or perf");
  if (!is_function)
    return failure("--by python: result " + std::to_string(repro.stored.result) +
                   " is of no Python function; take --by perf");
  return Profiler::python;
}

std::string ProfileCommand::path_for(const Repro& repro, Profiler profiler) const {
  if (!output_.empty()) return output_;
  const std::string end = profiler == Profiler::perf ? ".perf.txt" : ".trace.json";
  return fs::path(database_).replace_extension().string() + "." + std::to_string(repro.stored.result) + end;
}

// Samples of the job's process, in the format of `perf script`, which Perfetto and others read.
Result<Tried> by_perf(const Repro& repro, const std::string& part) {
  const char* const folders = std::getenv("PATH");
  const std::string perf = find_program("perf", folders != nullptr ? folders : "");
  if (perf.empty())
    return failure(
        "there is no perf in $PATH; install it (Debian: linux-perf), or, for a Python function, "
        "take --by python");
  const std::string samples = part + ".data";
  const auto tried = try_job(repro.job, repro.line.cores, {kNoLimit},
                             {perf, "record", "-q", "-F", "999", "-g", "-o", samples, "--"});
  std::error_code error;
  if (!tried || !fs::exists(samples, error)) {
    KS_RETURN_IF_ERROR(tried);
    return failure(
        "perf has recorded nothing: its message is above; kernsweep doctor says what "
        "/proc/sys/kernel/perf_event_paranoid allows");
  }
  Program script;
  KS_RETURN_IF_ERROR(script.start(
      {{"/bin/sh", "-c", "exec \"$1\" script -f -i \"$2\" > \"$3\"", "sh", perf, samples, part}}));
  const ProgramEnding ending = script.wait();
  fs::remove(samples, error);
  if (ending.status != 0) return failure("perf script failed: " + ending.errors);
  return tried;
}

Result<Tried> by_python(Repro repro, const std::string& part) {
  repro.job.environment["KERNSWEEP_PROFILE"] = fs::absolute(part).string();
  return try_job(repro.job, repro.line.cores, {kNoLimit});
}

double number_or_zero(const JsonTree& answer, const char* key) {
  const JsonTree* const found = answer.find(key);
  const auto number = found != nullptr ? found->scalar.number() : std::nullopt;
  return number.value_or(0);
}

int ProfileCommand::tell(const Repro& repro, Profiler profiler, const std::string& path,
                         const Tried& tried) const {
  std::error_code error;
  const auto bytes = static_cast<double>(fs::file_size(path, error));
  const double now_s = number_or_zero(tried.answer, "median_s");
  if (json_) {
    JsonTree out = JsonTree::object();
    out.add("file", Value(path));
    out.add("by", Value(profiler == Profiler::perf ? "perf" : "python"));
    out.add("result", JsonTree::natural(repro.stored.result));
    out.add("again", tried.answer);
    return print_as_it_is(text_of(out, 2) + "\n");
  }
  std::string text = fmt::format(
      "{}: {}, {}; open it at https://ui.perfetto.dev\n", path,
      profiler == Profiler::perf ? "samples of the stack" : "a time line of calls", text_of_bytes(bytes));
  if (now_s > 0)
    text += fmt::format("result {}: {} stored, {} now{}\n", repro.stored.result,
                        text_of_seconds(repro.stored.median_s), text_of_seconds(now_s),
                        profiler == Profiler::perf ? " under perf" : ", after the profile");
  for (const std::string& note : repro.notes) text += "note: " + note + "\n";
  return print_answer(text);
}

int ProfileCommand::run(const Invocation&) {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  const auto repro = repro_of(*reader, result_);
  if (!repro) return report_error(repro.error().message);
  const auto profiler = profiler_for(*repro);
  if (!profiler) return report_error(profiler.error().message);
  const std::string path = path_for(*repro, *profiler), part = path + ".part";
  std::error_code error;
  if (fs::is_directory(path, error)) return report_error(path + " is a folder; give a file with -o");
  if (!std::ofstream(part)) return report_error(path + " cannot be written; give another file with -o");
  const auto tried = *profiler == Profiler::perf ? by_perf(*repro, part) : by_python(*repro, part);
  if (!tried) {
    fs::remove(part, error);
    return report_error(tried.error().message);
  }
  const JsonTree* const reason = tried->answer.find("reason");
  const std::string why = tried->outcome + (reason != nullptr ? ": " + reason->scalar.to_text() : "");
  if (!fs::exists(part, error) || fs::file_size(part, error) == 0) {
    fs::remove(part, error);
    return report_error("there is no profile: the job ended as " + why);
  }
  fs::rename(part, path, error);
  if (error) return report_error(path + ": " + error.message());
  if (tried->outcome != "ok") report_error("the job ended as " + why);
  return tell(*repro, *profiler, path, *tried);
}

}  // namespace

CommandEntry profile_command() {
  return {
      "profile", "Re-measure a stored result under a profiler; write a time line for Perfetto",
      "The profile is of a process of its own, on the cores of the stored job; nothing is stored in the "
      "database.\n"
      "Exit status: 0 written, 2 bad input, or there is no profile.",
      std::make_unique<ProfileCommand>()};
}

}  // namespace kernsweep
