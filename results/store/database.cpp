#include "results/store/database.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "results/sqlite/file_header.hpp"
#include "results/sqlite/file_system.hpp"
#include "results/sqlite/schema.hpp"
#include "results/sqlite/writer_lock.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace fs = std::filesystem;

namespace {

using sqlite::Connection;

}  // namespace

std::string older_message(const std::string& path, std::int64_t version) {
  return fmt::format(
      "{} has database version {} of an unreleased Kernsweep; this one reads versions from {} on. Measure "
      "again into another file (--db)",
      path, version, schema::kOldestVersion);
}

namespace {

// The version of a Kernsweep database; 0 for an empty file. Error: it is not a Kernsweep database, is of a
// newer version or of one that was never released, or is damaged.
Result<std::int64_t> version_of(Connection& database, const std::string& path) {
  KS_ASSIGN_OR_RETURN(const auto objects, database.integer("select count(*) from sqlite_schema"));
  KS_ASSIGN_OR_RETURN(const auto owner, database.integer("pragma application_id"));
  KS_ASSIGN_OR_RETURN(const auto version, database.integer("pragma user_version"));
  if (objects == 0 && owner == 0 && version == 0) return std::int64_t{0};
  if (owner != schema::kApplicationId)
    return failure(fmt::format(
        "{}: is a database of another program, no Kernsweep database; choose another file", path));
  if (version > schema::kVersion)
    return failure(
        fmt::format("{}: is of version {}, this kernsweep knows versions up to {}; use a newer kernsweep "
                    "or choose another file",
                    path, version, schema::kVersion));
  if (objects > 0 && version >= 1 && version < schema::kOldestVersion)
    return failure(older_message(path, version));
  if (version < 1 || objects == 0)
    return failure(damaged_message(path, fmt::format("version {}, {} tables", version, objects)));
  return version;
}

Status create(Connection& database) {
  KS_RETURN_IF_ERROR(database.execute("begin immediate"));
  for (const std::string& statement : schema::creation())
    if (auto done = database.execute(statement); !done) {
      (void)database.execute("rollback");
      return done;
    }
  return database.execute("commit");
}

// Keeps an existing log when the connection is closed. Called until the file is known to be undamaged.
void keep_log_for_now(Connection& database, const std::string& path) {
  std::error_code error;
  if (fs::file_size(path + "-wal", error) > 0 && !error) database.keep_log(true);
}

// Files up to these sizes (bytes) are checked completely when they are opened.
constexpr std::uint64_t kSmallToReader = 8 << 20, kSmallToWriter = 64 << 20;

// Why a statement that names all columns of a table could not be prepared. A table that lacks some of them
// is not damaged: builds between two releases write files of the next version with fewer columns.
Error why_not_whole(Connection& database, const std::string& path, const schema::TableText& table) {
  auto info = database.prepare(fmt::format("pragma table_info({})", schema::quoted(table.name)));
  std::vector<std::string> has;
  while (info && info->step() == sqlite::Step::row) has.emplace_back(info->text(1));
  std::vector<std::string> lacks;
  for (const schema::ColumnText& column : table.columns)
    if (std::ranges::find(has, column.name) == has.end()) lacks.emplace_back(column.name);
  if (has.empty() || lacks.empty())
    return {damaged_message(path, fmt::format("the table {} is not as it should be", table.name))};
  return {fmt::format(
      "{}: the table {} has no column {}: a kernsweep between two releases wrote this file, and this one "
      "is "
      "another; nothing was changed. `kernsweep recover {}` copies its rows into a new file that has all "
      "columns, those without values",
      path, table.name, fmt::join(lacks, ", "), path)};
}

// Checks that each table has its columns and that its first row can be read. If the file has at most
// `small_bytes`, also runs SQLite's quick_check over all pages.
Status check_tables(Connection& database, const std::string& path, std::uint64_t small_bytes) {
  for (const schema::TableText& table : schema::tables()) {
    std::string columns;
    for (const schema::ColumnText& column : table.columns)
      columns += fmt::format("{}{}.{}", columns.empty() ? "" : ", ", table.name, column.name);
    auto row = database.prepare(fmt::format("select {} from {} limit 1", columns, table.name));
    if (!row) return tl::unexpected<Error>(why_not_whole(database, path, table));
    if (row->step() == sqlite::Step::failed) return failure(row->why());
  }
  std::error_code error;
  if (fs::file_size(path, error) > small_bytes || error) return Done{};
  KS_ASSIGN_OR_RETURN(auto rows, database.prepare("pragma quick_check(1)"));
  if (rows.step() != sqlite::Step::row) return failure(rows.why());
  if (rows.text(0) != "ok") return failure(damaged_message(path, std::string(rows.text(0))));
  return Done{};
}

std::string why_folder_is_not_writable(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return why_not_writable(folder.empty() ? "." : folder.string());
}

// Whether a process may write the database, or has left changes of it next to it.
bool may_be_in_use(const std::string& path) {
  std::error_code error;
  return std::ranges::any_of(std::array{"-wal", "-journal", "-lock"},
                             [&](const char* more) { return fs::exists(path + more, error) || error; });
}

// Three more files belong to a database that is being written.
Status check_files_left(const std::string& path) {
  std::uint64_t missing = 0;
  for (const char* more : {"", "-wal", "-shm", "-lock"})
    missing += access((path + more).c_str(), F_OK) != 0;
  const auto room = room_for(path);
  if (!room || room->free_files >= missing) return Done{};
  return failure(fmt::format(
      "{}: {} has {} free, and the database needs {} new files; remove some there, or {}", path,
      file_system_of(path), counted(room->free_files, "inode", "inodes"), missing, kWriteElsewhere));
}

}  // namespace

Status migrate(Connection& database, std::int64_t from, std::span<const std::string_view> steps) {
  const auto newest = schema::kOldestVersion + static_cast<std::int64_t>(steps.size());
  if (from >= newest) return Done{};
  const auto all_steps = [&]() -> Status {
    for (auto version = from; version < newest; ++version) {
      std::string statements(steps[static_cast<std::size_t>(version - schema::kOldestVersion)]);
      statements += fmt::format("; pragma user_version = {}", version + 1);
      KS_RETURN_IF_ERROR(database.execute(statements));
    }
    return make_views(database);
  };
  KS_RETURN_IF_ERROR(database.execute("begin immediate"));
  if (auto done = all_steps(); !done) {
    (void)database.execute("rollback");
    return done;
  }
  return database.execute("commit");
}

Status check_database_file(const std::string& path, bool may_be_missing) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (const std::string flaw = flaw_of_path(path, !may_be_missing); !flaw.empty())
    return failure(path + ": " + flaw);
  if (may_be_missing) KS_RETURN_IF_ERROR(check_files_left(path));
  if (status.type() == fs::file_type::not_found) {
    if (!may_be_missing)
      return failure(fmt::format("{}: no such file; `kernsweep run FILE` makes one", path));
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error))
      return failure(fmt::format("{}: its folder {} does not exist; make it first", path, folder.string()));
    if (const std::string why = why_folder_is_not_writable(path); !why.empty())
      return failure(fmt::format("{}: its folder cannot be written{}{}", path, why, kWriteElsewhere));
    return Done{};
  }
  if (status.type() == fs::file_type::directory)
    return failure(fmt::format("{}: is a folder, not a database; choose a file", path));
  if (error)
    return failure(
        fmt::format("{}: {}; change its permissions or choose another file", path, error.message()));
  if (status.type() != fs::file_type::regular)
    return failure(fmt::format("{}: is not a regular file; choose another", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  char start[16] = {};
  file.read(start, sizeof start);
  if (file.gcount() == 0 && may_be_missing) return Done{};
  if (file.gcount() < 16 || std::memcmp(start, "SQLite format 3", 16) != 0)
    return failure(
        fmt::format("{}: is not a Kernsweep database; choose another file. If it was one and is "
                    "damaged, `kernsweep recover {}` saves what can be saved",
                    path, path));
  if (const std::string why = damage_seen_from_outside(path); !why.empty())
    return failure(damaged_message(path, why));
  for (const std::string& why : {why_not_writable(path), why_folder_is_not_writable(path)})
    if (may_be_missing && !why.empty())
      return failure(
          fmt::format("{}: this file or its folder cannot be written{}{}", path, why, kWriteElsewhere));
  return Done{};
}

Result<Connection> open_database_for_writing(const std::string& path, bool survive_power_loss,
                                             WhileLocked while_locked) {
  auto database = Connection::open(path, Connection::Mode::create, std::move(while_locked));
  if (!database) return database;
  keep_log_for_now(*database, path);
  KS_ASSIGN_OR_RETURN(const auto version, version_of(*database, path));
  const bool fresh = version == 0;
  // A file of an older version can only be checked after it was migrated.
  if (version == schema::kVersion) KS_RETURN_IF_ERROR(check_tables(*database, path, kSmallToWriter));
  // Pages of 8 KiB: fewer page splits than with 4 KiB, and a point of 200 values still fits into one page.
  std::string settings = fresh ? "pragma page_size = 8192;" : "";
  settings += "pragma journal_mode = wal;";
  settings += survive_power_loss ? "pragma synchronous = full;" : "pragma synchronous = normal;";
  // A longer log (4000 pages) is copied into the database less often, so a page that changes often is
  // copied only once. On a small disk it must not fill that.
  constexpr std::uint64_t kPageBytes = 8192;
  settings +=
      fmt::format("pragma wal_autocheckpoint = {}; pragma cache_size = -65536; pragma secure_delete = off;",
                  room_for(path).value_or(FileSystemRoom{UINT64_MAX, UINT64_MAX}).log_pages(kPageBytes));
  KS_RETURN_IF_ERROR(database->execute(settings));
  KS_RETURN_IF_ERROR(fresh ? create(*database) : migrate(*database, version, schema::migrations()));
  if (version != schema::kVersion) KS_RETURN_IF_ERROR(check_tables(*database, path, kSmallToWriter));
  if (version == schema::kVersion) KS_RETURN_IF_ERROR(renew_views(*database));
  database->keep_log(false);
  return database;
}

Result<Connection> open_database_for_reading(const std::string& path) {
  KS_RETURN_IF_ERROR(check_database_file(path, false));
  std::error_code error;
  const fs::path real = fs::canonical(path, error);  // SQLite has its other files next to it
  const std::string flaw = flaw_of_file_system(real);
  if (!flaw.empty() && may_be_in_use(real))
    return failure(
        fmt::format("{}: {}; copy it, together with its -wal, to a local disk, and ask there", path, flaw));
  auto database =
      Connection::open(path, flaw.empty() ? Connection::Mode::read : Connection::Mode::read_unchanging);
  if (!database) return database;
  keep_log_for_now(*database, path);
  auto version = version_of(*database, path);
  if (!version && !fs::exists(path + "-wal", error) && !why_folder_is_not_writable(path).empty()) {
    // Readers of a log need an index file in the folder of the database. If no file can be created there,
    // no coordinator can write the database either.
    database = Connection::open(path, Connection::Mode::read_unchanging);
    if (!database) return database;
    version = version_of(*database, path);
  }
  KS_RETURN_IF_ERROR(version);
  if (*version == 0)
    return failure(fmt::format("{}: is empty, no Kernsweep database; choose another file", path));
  // Pages are read through the memory map. The size of the cache (4 MB) only limits how much a `group by`
  // sorts at once; that amount fits into the processor's caches.
  KS_RETURN_IF_ERROR(database->execute(
      "pragma query_only = on; pragma cache_size = -4000; pragma mmap_size = 1073741824"));
  KS_RETURN_IF_ERROR(check_tables(*database, path, kSmallToReader));
  database->keep_log(false);
  return database;
}

}  // namespace kernsweep
