#include "results/database.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "results/schema.hpp"

namespace kernsweep {

namespace fs = std::filesystem;

namespace {

using sqlite::Connection;

// The version of a database of ours, 0 for an empty file (then it is made), or why it is refused.
Result<std::int64_t> version_of(Connection& database, const std::string& path) {
  const auto objects = database.integer("select count(*) from sqlite_schema");
  if (!objects) return tl::unexpected<Error>(objects.error());
  const auto owner = database.integer("pragma application_id");
  if (!owner) return tl::unexpected<Error>(owner.error());
  const auto version = database.integer("pragma user_version");
  if (!version) return tl::unexpected<Error>(version.error());
  if (*objects == 0 && *owner == 0 && *version == 0) return std::int64_t{0};
  if (*owner != schema::kApplicationId)
    return failure(
        fmt::format("{}: is a database of another program, no Kernsweep database; choose another file "
                    "with --db",
                    path));
  if (*version > schema::kVersion)
    return failure(
        fmt::format("{}: is of version {}, this kernsweep knows versions up to {}; use a newer kernsweep "
                    "or choose another file with --db",
                    path, *version, schema::kVersion));
  if (*version < 1 || *objects == 0)
    return failure(
        fmt::format("{}: the database is damaged (version {}, {} tables); restore a copy or choose another "
                    "file with --db",
                    path, *version, *objects));
  return *version;
}

Status create(Connection& database) {
  if (auto done = database.execute("begin immediate"); !done) return done;
  for (const std::string& statement : schema::creation())
    if (auto done = database.execute(statement); !done) {
      (void)database.execute("rollback");
      return done;
    }
  return database.execute("commit");
}

bool folder_is_writable(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

}  // namespace

Status migrate(Connection& database, std::int64_t from, std::span<const std::string_view> steps) {
  if (from > static_cast<std::int64_t>(steps.size())) return Done{};
  if (auto done = database.execute("begin immediate"); !done) return done;
  for (auto version = from; version <= static_cast<std::int64_t>(steps.size()); ++version) {
    std::string statements(steps[static_cast<std::size_t>(version - 1)]);
    statements += fmt::format("; pragma user_version = {}", version + 1);
    if (auto done = database.execute(statements); !done) {
      (void)database.execute("rollback");
      return done;
    }
  }
  return database.execute("commit");
}

Status check_database_file(const std::string& path, bool may_be_missing) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    if (!may_be_missing)
      return failure(
          fmt::format("{}: no such file; `kernsweep run FILE` makes one, --db names another", path));
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error))
      return failure(fmt::format("{}: its folder {} does not exist; make it first", path, folder.string()));
    if (!folder_is_writable(path))
      return failure(
          fmt::format("{}: its folder cannot be written; change its permissions or choose another file "
                      "with --db",
                      path));
    return Done{};
  }
  if (status.type() == fs::file_type::directory)
    return failure(fmt::format("{}: is a folder, not a database; name a file with --db", path));
  if (error)
    return failure(fmt::format("{}: {}; change its permissions or choose another file with --db", path,
                               error.message()));
  if (status.type() != fs::file_type::regular)
    return failure(fmt::format("{}: is no regular file; name another with --db", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  char start[16] = {};
  file.read(start, sizeof start);
  if (file.gcount() == 0 && may_be_missing) return Done{};
  if (file.gcount() < 16 || std::memcmp(start, "SQLite format 3", 16) != 0)
    return failure(fmt::format("{}: is no Kernsweep database; choose another file with --db", path));
  if (may_be_missing && (access(path.c_str(), W_OK) != 0 || !folder_is_writable(path)))
    return failure(
        fmt::format("{}: this file or its folder cannot be written; change the permissions or choose "
                    "another file with --db",
                    path));
  return Done{};
}

Result<Connection> open_database_for_writing(const std::string& path, bool survive_power_loss) {
  auto database = Connection::open(path, Connection::Mode::create);
  if (!database) return database;
  const auto version = version_of(*database, path);
  if (!version) return tl::unexpected<Error>(version.error());
  const bool fresh = *version == 0;
  // 8 KiB pages: fewer page splits than with 4, and a point of 200 values still fits into one.
  std::string settings = fresh ? "pragma page_size = 8192;" : "";
  settings += "pragma journal_mode = wal;";
  settings += survive_power_loss ? "pragma synchronous = full;" : "pragma synchronous = normal;";
  // A longer log is copied into the database less often; the right-hand pages of a table are then copied
  // once.
  settings += "pragma wal_autocheckpoint = 4000; pragma cache_size = -65536; pragma secure_delete = off;";
  if (auto done = database->execute(settings); !done) return tl::unexpected<Error>(done.error());
  if (auto done = fresh ? create(*database) : migrate(*database, *version, schema::migrations()); !done)
    return tl::unexpected<Error>(done.error());
  return database;
}

Result<Connection> open_database_for_reading(const std::string& path) {
  if (auto fine = check_database_file(path, false); !fine) return tl::unexpected<Error>(fine.error());
  auto database = Connection::open(path, Connection::Mode::read);
  if (!database) return database;
  auto version = version_of(*database, path);
  std::error_code error;
  if (!version && !fs::exists(path + "-wal", error) && !folder_is_writable(path)) {
    // Readers of a log need a file beside the database. Where none can be made nobody can be writing
    // either.
    database = Connection::open(path, Connection::Mode::read_unchanging);
    if (!database) return database;
    version = version_of(*database, path);
  }
  if (!version) return tl::unexpected<Error>(version.error());
  if (*version == 0)
    return failure(fmt::format("{}: is empty, no Kernsweep database; choose another file with --db", path));
  for (const std::string& statement : schema::seen_as_newest(*version))
    if (auto done = database->execute("pragma temp_store = memory; pragma query_only = off; " + statement);
        !done)
      return tl::unexpected<Error>(done.error());
  // Pages come from the map, not from the cache; what its size decides is how much is sorted at once for a
  // `group by`, and 4 MB stay in the processor's caches.
  if (auto done = database->execute(
          "pragma query_only = on; pragma cache_size = -4000; pragma mmap_size = 1073741824");
      !done)
    return tl::unexpected<Error>(done.error());
  return database;
}

}  // namespace kernsweep
