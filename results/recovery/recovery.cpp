#include "results/recovery/recovery.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "results/recovery/readable_copy.hpp"
#include "results/recovery/recovery_writer.hpp"
#include "results/recovery/table_rows.hpp"
#include "results/sqlite/file_header.hpp"
#include "results/sqlite/writer_lock.hpp"
#include "results/store/database.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace fs = std::filesystem;

namespace {

void remove_all_of(const std::string& path) {
  std::error_code error;
  for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(path + end, error);
}

Status write_new(const std::string& from, const std::string& copied, const std::string& to,
                 Recovery& recovery) {
  KS_ASSIGN_OR_RETURN(auto database, open_database_for_writing(to, false));
  KS_ASSIGN_OR_RETURN(auto copy, make_readable_copy(from, copied, database));
  RecoveryWriter writer(database, recovery);
  KS_RETURN_IF_ERROR(writer.copy_rows(copy));
  if (recovery.sum_of(&Recovery::Table::saved) == 0)
    return failure(
        fmt::format("{}: no row of a Kernsweep database can be read from it; nothing was saved. "
                    "Restore a copy, or measure again into another file",
                    from));
  return writer.finish();
}

Status check_by_sqlite(sqlite::Connection& database, std::vector<std::string>& troubles) {
  KS_ASSIGN_OR_RETURN(auto rows, database.prepare("pragma integrity_check"));
  sqlite::Step step;
  while ((step = rows.step()) == sqlite::Step::row)
    if (rows.text(0) != "ok") troubles.emplace_back(rows.text(0));
  if (step != sqlite::Step::done) troubles.push_back(rows.why());
  return Done{};
}

// The number of rows that have a value which Kernsweep cannot have stored.
Result<std::uint64_t> senseless_rows(sqlite::Connection& database) {
  KS_ASSIGN_OR_RETURN(const auto values, width_of(database));
  std::uint64_t count = 0;
  for (const schema::TableText& table : schema::tables()) {
    TableRows rows(database, table, static_cast<std::size_t>(values));
    KS_RETURN_IF_ERROR(rows.read([](const sqlite::Statement&, int) { return true; }));
    count += rows.senseless();
  }
  return count;
}

}  // namespace

Result<Recovery> recover(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::is_regular_file(from, error)) return failure(fmt::format("{}: there is no such file", from));
  const std::string copied = to + "-copy";
  for (const std::string& file : {to, copied, copied + "-wal", copied + "-shm", copied + "-journal"})
    if (fs::exists(fs::symlink_status(file, error)))
      return failure(fmt::format("{}: is there already; remove it, or name another with --to", file));
  KS_RETURN_IF_ERROR(WriterLock::check_free(from));
  KS_RETURN_IF_ERROR(check_database_file(to, true));
  KS_ASSIGN_OR_RETURN(const auto header, read_file_header(from));
  if (header.version > 0 && header.version < schema::kOldestVersion)
    return failure(older_message(from, header.version));
  Recovery recovery;
  const auto done = write_new(from, copied, to, recovery);
  remove_all_of(copied);
  if (done) return recovery;
  remove_all_of(to);
  return tl::unexpected<Error>(done.error());
}

Result<std::vector<std::string>> check_whole(const std::string& path) {
  std::vector<std::string> troubles;
  auto database = open_database_for_reading(path);
  if (!database) {
    const auto header = read_file_header(path);
    if (!header || header->application != schema::kApplicationId ||
        header->version < schema::kOldestVersion || header->version > schema::kVersion)
      return tl::unexpected<Error>(database.error());
    const std::string why = damage_seen_from_outside(path);
    troubles.push_back(why.empty() ? "it cannot be opened as a Kernsweep database" : why);
    database = sqlite::Connection::open(path, sqlite::Connection::Mode::read_unchanging);
    if (database) (void)check_by_sqlite(*database, troubles);
    return troubles;
  }
  database->keep_log(true);  // a checkpoint would write to the file
  KS_RETURN_IF_ERROR(check_by_sqlite(*database, troubles));
  if (!troubles.empty()) return troubles;
  KS_ASSIGN_OR_RETURN(const auto senseless, senseless_rows(*database));
  if (senseless > 0) troubles.push_back(fmt::format("{} make no sense", counted(senseless, "row", "rows")));
  return troubles;
}

std::string recovered_name(const std::string& database) {
  const fs::path path(database);
  const std::string stem = path.extension() == ".db" ? path.stem().string() : path.filename().string();
  return (path.parent_path() / (stem + ".recovered.db")).string();
}

}  // namespace kernsweep
