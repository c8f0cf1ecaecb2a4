#include "cli/commands/again/stored_point.hpp"

#include <fmt/format.h>

#include "language/file/replacements_text.hpp"
#include "shared/base/try.hpp"
#include "shared/text/home_path.hpp"

namespace kernsweep {
namespace {

// Describes the first parameter whose name or value has changed; nullopt: none has.
std::optional<std::string> changed_value(const StoredJob& job, const Sweep& sweep, const Point& point) {
  if (job.values.size() != sweep.columns.size())
    return fmt::format("it had {} parameters then and has {} now", job.values.size(), sweep.columns.size());
  for (std::size_t i = 0; i < job.values.size(); ++i) {
    const auto& [name, then] = job.values[i];
    // SQLite stores a boolean as 1 or 0.
    Value now = sweep.columns[i].stored(point.values[i]);
    if (const bool* truth = now.boolean()) now = std::int64_t{*truth};
    if (name != sweep.columns[i].name)
      return fmt::format("its parameter '{}' is called '{}' now", name, sweep.columns[i].name);
    if (!(then == now)) return fmt::format("{} was {} and is {} now", name, then.to_text(), now.to_text());
  }
  return std::nullopt;
}

}  // namespace

const std::vector<TextFile>* tables_of(const SweepRecord& record) {
  return record.files.empty() ? nullptr : &record.files;
}

Result<StoredTask> task_of(const StoredSweep& stored) {
  const SweepRecord& record = stored.record;
  if (const std::string tool = imported_from(record); !tool.empty())
    return failure(
        fmt::format("the sweep '{}' was imported from {}, which measured it: there is no sweep file",
                    record.name, tool));
  Replacements replacements = replacements_of(record.replacements);
  auto expansion = Expansion::parse(record.text, with_home(record.file), replacements, tables_of(record));
  if (!expansion)
    return failure(fmt::format("the stored sweep '{}' cannot be read again: {}", record.name,
                               expansion.error().message));
  return StoredTask{std::move(*expansion), std::move(replacements)};
}

Result<StoredPoint> stored_point(Reader& reader, const std::string& which) {
  auto job = stored_job(reader, which);
  KS_RETURN_IF_ERROR(job);
  KS_ASSIGN_OR_RETURN(auto task, task_of(job->sweep));
  const auto differs = [&](const std::string& how) {
    return failure(
        fmt::format("result {} cannot be measured again: its point has changed, {}; a file that the sweep "
                    "reads has changed since ({})",
                    job->result, how, job->sweep.record.file));
  };
  const Expansion& expansion = task.expansion;
  if (job->point >= expansion.raw_points())
    return differs(
        fmt::format("the sweep has {} points and this was number {}", expansion.raw_points(), job->point));
  StoredPoint out{std::move(*job), std::move(task.replacements), std::move(task.expansion), {}, {}, true};
  out.expansion.point_at(out.job.point, out.point);
  if (const auto changed = changed_value(out.job, out.expansion.sweep(), out.point)) {
    job = std::move(out.job);
    return differs(*changed);
  }
  out.place = {out.job.point, out.job.cache == "cold" ? Cache::cold : Cache::hot, out.job.process};
  out.same_key = out.expansion.key_of(out.point, out.place).hex() == out.job.key;
  return out;
}

}  // namespace kernsweep
