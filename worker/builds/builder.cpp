#include "worker/builds/builder.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "shared/base/installation.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/duration_text.hpp"
#include "shared/text/home_path.hpp"
#include "shared/text/moment.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/programs.hpp"
#include "worker/process/process.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSaidBytesMax = 4096;
constexpr std::size_t kFilesMax = 10'000;

constexpr std::array<std::string_view, 4> kPassed = {"PATH", "HOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV"};

// Keeps builds equal from day to day: messages in one language, and no current time in __DATE__.
std::vector<std::string> build_environment() {
  std::vector<std::string> lines = {"LC_ALL=C"};
  const auto pass = [&lines](std::string_view name) {
    const std::string variable(name);
    if (const char* const value = std::getenv(variable.c_str())) lines.push_back(variable + "=" + value);
  };
  std::ranges::for_each(kPassed, pass);
  std::ranges::for_each(kCompilerVariables, pass);
  if (std::getenv("SOURCE_DATE_EPOCH") == nullptr) lines.emplace_back("SOURCE_DATE_EPOCH=0");
  return lines;
}

std::string path_variable() {
  const char* const path = std::getenv("PATH");
  return path ? path : "";
}

std::string whole_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Ended {
  bool in_time = false, interrupted = false;
  std::optional<Child::Ending> ending;
  std::string said;  // the end of its output
};

// Collects the output until the command has ended, and ends the processes that it leaves behind.
Ended wait_for(Child& child, Duration limit, int interrupted) {
  const Instant end = monotonic_now() + limit;
  Ended out;
  pollfd open[] = {{child.exited(), POLLIN, 0}, {child.errors(), POLLIN, 0}, {interrupted, POLLIN, 0}};
  std::array<char, 16384> buffer;
  const auto read_what_is_there = [&] {
    const ssize_t got = read(child.errors(), buffer.data(), buffer.size());
    if (got > 0) out.said.append(buffer.data(), static_cast<std::size_t>(got));
    if (out.said.size() > 2 * kSaidBytesMax) out.said.erase(0, out.said.size() - kSaidBytesMax);
    return got;
  };
  while (open[0].revents == 0 && open[2].revents == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - monotonic_now()).count();
    if (left <= 0) break;
    if (poll(open, std::size(open), static_cast<int>(std::min<std::int64_t>(left, 1'000'000))) < 0 &&
        errno != EINTR)
      break;
    if (open[1].revents != 0 && read_what_is_there() == 0) open[1].fd = -1;
  }
  out.in_time = open[0].revents != 0;
  out.interrupted = open[2].revents != 0 && !out.in_time;
  child.kill_group();
  if (!out.in_time) {
    pollfd ended{child.exited(), POLLIN, 0};
    poll(&ended, 1, 5000);
  }
  while (read_what_is_there() > 0) {
  }
  if (out.said.size() > kSaidBytesMax) out.said.erase(0, out.said.size() - kSaidBytesMax);
  out.ending = child.reap();
  return out;
}

std::string line_of_file(const std::string& role, const std::string& path,
                         const FileHashes::Content& content) {
  return text_of(
      SourceLine{role, as_utf8(path), as_utf8(without_home(path)), content.bytes, content.hash.hex()});
}

// The programs that gcc starts for its work; other compilers are one program.
std::vector<std::string> parts_of(const std::string& compiler,
                                  const std::vector<std::string>& environment) {
  std::vector<std::string> parts;
  for (const char* part : {"cc1", "cc1plus", "as", "ld"}) {
    Launch ask;
    ask.program = compiler;
    ask.arguments = {std::string("-print-prog-name=") + part};
    ask.environment = environment;
    ask.capture_output = true;
    auto child = launch(ask);
    if (!child) continue;
    const ExitedProcess exited = run_to_exit(*child, std::chrono::seconds(10));
    std::string path = exited.output.substr(0, exited.output.find('\n'));
    if (!path.empty() && path.front() != '/') path = find_program(path, path_variable());
    if (exited.in_time && !path.empty() && is_program(path)) parts.push_back(std::move(path));
  }
  return parts;
}

// Why the command did not write the requested file; "": it did.
std::string flaw_of(const Ended& ended, const BuildTask& task, const std::string& built) {
  std::error_code error;
  if (!ended.in_time)
    return "the build took longer than timeout.build (" + exact_text(task.limit) +
           ") and was killed with its child processes; raise timeout.build, or correct the command";
  if (!ended.ending || ended.ending->signalled || ended.ending->number != 0)
    return "the build " +
           (ended.ending ? (ended.ending->signalled ? "was " : "") + describe(*ended.ending)
                         : std::string("did not end")) +
           (ended.said.find("ermission denied") != std::string::npos
                ? "; a build may write only next to {out} and below $TMPDIR"
                : "");
  const auto bytes = fs::is_regular_file(built, error) ? fs::file_size(built, error) : 0;
  if (error || !fs::is_regular_file(built, error))
    return "the build succeeded but did not write {out}; let the command write this file";
  if (bytes == 0) return "the build has written an empty file to {out}";
  return "";
}

}  // namespace

// Once for each compiler and content, because finding the parts starts processes.
Builder::Compiler Builder::look_at_compiler(const BuildCommand& command,
                                            const std::vector<std::string>& environment) {
  const std::string& name = command.words[command.compiler];
  const std::string path = find_program(name, path_variable());
  if (path.empty() || !is_program(path)) {
    return {"", "this host has no program '" + name + "' (PATH is " + path_variable() +
                    "); install it here, or name another compiler in `build`"};
  }
  const auto content = hashes_.content_of(path);
  if (!content) return {"", content.error().message};
  std::string& known = compilers_[{path, content->hash}];
  if (!known.empty()) return {known, ""};
  std::set<std::string> lines;
  SourceLine own{"compiler", as_utf8(name), as_utf8(without_home(path)), content->bytes,
                 content->hash.hex()};
  lines.insert(text_of(own));
  const bool is_gcc = command.lists_sources && name.find("clang") == std::string::npos;
  if (is_gcc)
    for (const std::string& part : parts_of(path, environment))
      if (const auto of_part = hashes_.content_of(part))
        lines.insert(line_of_file("built_from", part, *of_part));
  for (const std::string& line : lines) known += (known.empty() ? "" : "\n") + line;
  return {known, ""};
}

std::string Builder::read_sources(const WorkFolder& work, const BuildCommand& command, double begun_unix_s,
                                  std::set<std::string>& lines) {
  std::set<std::string> files;
  std::error_code error;
  std::vector<fs::path> lists = {fs::path(work.path()) / "read"};
  for (const auto& each : fs::directory_iterator(work.out(), error))
    if (each.path().extension() == ".d") lists.push_back(each.path());
  for (const fs::path& list : lists) {
    for (std::string& file : files_in_rules(whole_text(list))) files.insert(std::move(file));
    fs::remove(list, error);
  }
  for (std::size_t i = command.compiler + 1; i < command.words.size(); ++i) {
    std::string_view word = command.words[i];
    if (word.starts_with('@')) word.remove_prefix(1);
    if (fs::is_regular_file(word, error)) files.emplace(word);
  }
  const std::string folder = work.path() + "/";
  for (const std::string& file : files) {
    if (file.starts_with(folder) || lines.size() >= kFilesMax) continue;
    const std::string path = fs::absolute(file, error).lexically_normal().string();
    const auto stamp = file_stamp_at(path);
    const auto content = hashes_.content_of(path);
    if (!stamp || !content) continue;  // a generated file that was removed
    if (static_cast<double>(std::max(stamp->mtime_ns, stamp->ctime_ns)) * 1e-9 >= begun_unix_s) return file;
    lines.insert(line_of_file("built_from", path, *content));
  }
  return "";
}

BuildAnswer Builder::build_in(const WorkFolder& work, const BuildTask& task, const BuildCommand& command,
                              const std::vector<std::string>& environment, const Compiler& compiler) {
  BuildAnswer answer;
  if (const Status begun = work.begin(); !begun) return {{}, begun.error().message, "", false};
  std::vector<std::string> words = command.words_for(work.built());
  Launch start;
  start.program = slot_program();
  start.arguments = {"--build", work.path(), std::to_string(kFileBytesMax)};
  start.arguments.insert(start.arguments.end(), words.begin(), words.end());
  start.environment = environment;
  start.environment.push_back("TMPDIR=" + work.path() + "/tmp");
  // gcc appends the files that it reads, also if `make` or a script starts it.
  if (work.path().find(' ') == std::string::npos)
    start.environment.push_back("SUNPRO_DEPENDENCIES=" + work.path() + "/read built");
  start.cpus = task.cpus;
  start.data_bytes_max = task.memory_max;
  const double begun_unix_s = unix_now();
  const Instant begun = monotonic_now();
  auto child = launch(start);
  if (!child) return {{}, child.error().message, "", false};
  const Ended ended = wait_for(*child, task.limit, task.interrupted);
  const double took_s = seconds(monotonic_now() - begun);
  if (ended.interrupted) return {{}, "", "", true};
  answer.said = as_utf8(ended.said);
  answer.failure = flaw_of(ended, task, work.built());
  if (!answer.failure.empty()) return answer;

  std::set<std::string> lines;
  each_source(compiler.sources, [&](const SourceLine&, std::string_view line) { lines.emplace(line); });
  if (const std::string changed = read_sources(work, command, begun_unix_s, lines); !changed.empty()) {
    answer.failure = changed + " was changed while it was built; run the sweep again";
    return answer;
  }
  for (const std::string& variable : environment) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool is_usual =
        name == "PATH" || name == "HOME" || variable == "LC_ALL=C" || variable == "SOURCE_DATE_EPOCH=0";
    if (!is_usual)
      lines.insert(
          text_of(SourceLine{"built_with", name, as_utf8(variable.substr(name.size() + 1)), 0, ""}));
  }
  const auto kept = store_.keep(work);
  const auto content = kept ? hashes_.content_of(*kept) : tl::unexpected(kept.error());
  if (!content) return {{}, content.error().message, answer.said, false};
  answer.built.set_command(task.command);
  answer.built.set_path(*kept);
  answer.built.set_hash(content->hash.hex());
  answer.built.set_bytes(content->bytes);
  answer.built.set_seconds(took_s);
  for (const std::string& line : lines)
    answer.built.mutable_sources()->append((answer.built.sources().empty() ? "" : "\n") + line);
  std::ifstream unconfined(fs::path(work.path()) / "unconfined");
  for (std::string note; std::getline(unconfined, note);) answer.built.add_notes(note);
  return answer;
}

BuildAnswer Builder::build(const BuildTask& task) {
  const auto command = build_command(task.command);
  if (!command) return {{}, command.error().message, "", false};
  const std::vector<std::string> environment = build_environment();
  const Compiler compiler = look_at_compiler(*command, environment);
  if (!compiler.failure.empty()) return {{}, compiler.failure, "", false};
  constexpr std::size_t kEvictEvery = 64;
  if (made_++ % kEvictEvery == 0) store_.evict();
  std::error_code error;
  std::string key = "kernsweep build 2\n" + host_ + "\n" + fs::current_path(error).string() + "\n";
  for (const std::string& word : command->words) key += std::to_string(word.size()) + ":" + word + "\n";
  const auto work = store_.work(digest_of(key), task.interrupted);
  pollfd ending{task.interrupted, POLLIN, 0};
  if (!work && poll(&ending, 1, 0) > 0) return {{}, "", "", true};
  if (!work) return {{}, work.error().message, "", false};
  return build_in(*work, task, *command, environment, compiler);
}

}  // namespace kernsweep
