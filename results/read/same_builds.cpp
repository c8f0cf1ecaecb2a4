#include "results/read/same_builds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "results/read/software_classes.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/source_call.hpp"

namespace kernsweep {
namespace {

// Which columns reach a run in another way than by the build.
class Reaching {
 public:
  Reaching(const StoredSweep& sweep, const std::vector<SweepColumn>& columns) {
    const auto has = [&](std::string_view name) {
      return std::ranges::find(columns, name, &SweepColumn::name) != columns.end();
    };
    has_lines_ = has("command.line");
    is_function_ = has("python");
    if (!has("source")) return;
    const auto call = source_call_of(sweep.record.kernel);
    if (call) arguments_ = call->arguments;
  }

  bool reaches(const SweepColumn& column) const {
    constexpr std::array<std::string_view, 8> kOthers = {"command.line", "command.setup", "command.cleanup",
                                                         "threads",      "copies",        "gpus",
                                                         "device",       "source"};
    if (is_function_) return column.name != kBuildColumn;  // it gets all columns
    // If command.line has the commands, `command` has only their names.
    if (column.name == "command") return !has_lines_;
    return is_environment(column.name) || column.name.starts_with(kOperandColumn) ||
           std::ranges::find(kOthers, column.name) != kOthers.end() ||
           std::ranges::find(arguments_, column.name) != arguments_.end();
  }

 private:
  bool has_lines_ = false, is_function_ = false;
  std::vector<std::string> arguments_;  // of the call of a source
};

// By the id of the software.
Result<std::map<std::int64_t, std::string>> built_contents(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto all, read_software(reader));
  std::map<std::int64_t, std::string> out;
  for (const SoftwareTexts& each : all) {
    each_source(each.sources, [&](const SourceLine& line, std::string_view) {
      if (line.role == "built" && line.name == kBuildPlace) out[each.id] = line.hash;
    });
  }
  return out;
}

}  // namespace

Result<SameBuilds> SameBuilds::of(Reader& reader, const StoredSweep& sweep) {
  SameBuilds out;
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep.id));
  if (std::ranges::find(columns, kBuildColumn, &SweepColumn::name) == columns.end()) return out;
  KS_ASSIGN_OR_RETURN(const auto contents, built_contents(reader));
  std::vector<std::string> wanted = {"o.result", "o.software_id", "o.cache"};
  const Reaching reaching(sweep, columns);
  for (const SweepColumn& column : columns)
    if (reaching.reaches(column)) wanted.push_back("o." + column.stored);
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      wanted, fmt::format("from outcome o where o.status = 'ok' and o.sweep_id = {}", sweep.id.value),
      [&](const sqlite::Row& row) {
        const auto content = contents.find(row.integer(1));
        if (content == contents.end()) return;
        std::string run = content->second;
        for (std::size_t i = 2; i < wanted.size(); ++i) {
          const std::string_view value = row.text(i);
          run += fmt::format("\n{}:{}", value.size(), value);
        }
        const Digest digest = digest_of(run);
        std::uint64_t number = 0;
        std::memcpy(&number, digest.bytes.data(), sizeof number);
        out.runs_[static_cast<std::uint64_t>(row.integer(0))] = std::max<std::uint64_t>(number, 1);
      }));
  return out;
}

std::uint64_t SameBuilds::run_of(std::uint64_t result) const {
  const auto found = runs_.find(result);
  return found == runs_.end() ? 0 : found->second;
}

bool is_same_run(const SameBuilds& a, std::uint64_t result_a, const SameBuilds& b, std::uint64_t result_b) {
  const std::uint64_t run = a.run_of(result_a);
  return run != 0 && run == b.run_of(result_b);
}

}  // namespace kernsweep
