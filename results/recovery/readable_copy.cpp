#include "results/recovery/readable_copy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "results/recovery/table_rows.hpp"
#include "results/sqlite/file_header.hpp"
#include "results/sqlite/file_system.hpp"
#include "results/sqlite/schema.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace fs = std::filesystem;
using sqlite::Connection;

namespace {

// True if a sector of the page's rows is all zeros: the device lost it. No row has 512 zeros in sequence,
// but free blocks between the rows may have. Not for the first page of a file.
bool has_lost_sector(std::string page) {
  constexpr std::size_t kSector = 512;
  const auto number = [&page](std::size_t at) -> std::size_t {
    return static_cast<std::uint8_t>(page[at]) << 8 | static_cast<std::uint8_t>(page[at + 1]);
  };
  if (std::string_view("\x02\x05\x0A\x0D").find(page[0]) == std::string_view::npos) return false;
  const std::size_t rows_at = number(5);
  for (std::size_t at = number(1), next = at; at != 0 && at + 4 <= page.size(); at = next) {
    next = number(at) > at ? number(at) : 0;
    const std::size_t bytes = std::min(number(at + 2), page.size() - at);
    page.replace(at, bytes, bytes, '-');
  }
  for (std::size_t at = rows_at / kSector * kSector; at + kSector <= page.size(); at += kSector)
    if (page.find_first_not_of('\0', at) >= at + kSector) return true;
  return false;
}

tl::unexpected<Error> cannot_write(const std::string& path) {
  return failure(fmt::format("{}: cannot be written: {} ({}); choose another disk with --to", path,
                             std::strerror(errno), text_of_room(path)));
}

Status copy_file(const std::string& from, const std::string& to, std::size_t page_bytes, bool is_log) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(from, error);
  std::ifstream in;
  if (!error) in.open(from, std::ios::binary);
  if (error || !in)
    return failure(
        fmt::format("{}: cannot be read: {}", from, error ? error.message() : std::strerror(errno)));
  // A file of its own, that only this user may read: never one that is there, nor the target of a link.
  const int made = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0) return cannot_write(to);
  close(made);
  std::ofstream out(to, std::ios::binary);
  std::string page;
  const std::string zeros(page_bytes, '\0');
  for (std::uint64_t at = 0; at < bytes && out; at += page_bytes) {
    page = zeros;
    in.seekg(static_cast<std::streamoff>(at)).read(page.data(), static_cast<std::streamsize>(page_bytes));
    in.clear();
    if (page == zeros || (!is_log && at > 0 && has_lost_sector(page))) continue;  // a hole
    out.seekp(static_cast<std::streamoff>(at));
    out.write(page.data(), static_cast<std::streamsize>(page_bytes));
  }
  if (!out.flush()) return cannot_write(to);
  fs::resize_file(to, (bytes + page_bytes - 1) / page_bytes * page_bytes, error);
  if (error) return cannot_write(to);
  return Done{};
}

// Replaces the first page by one without tables: https://www.sqlite.org/fileformat2.html
Status empty_first_page(const std::string& path, std::uint32_t bytes) {
  std::string page(bytes, '\0');
  page.replace(0, 15, "SQLite format 3");
  const auto set = [&page](std::size_t at, std::uint32_t byte) { page[at] = static_cast<char>(byte); };
  set(16, bytes >> 8 & 255);
  set(17, bytes >> 16);
  for (const std::size_t at : {18, 19, 59}) set(at, 1);  // no log; UTF-8
  for (const std::size_t at : {22, 23}) set(at, 32);
  set(21, 64);
  set(47, 4);    // the format of the schema
  set(100, 13);  // a leaf of a table
  set(105, bytes >> 8 & 255);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  if (!file.write(page.data(), bytes).flush()) return cannot_write(path);
  return Done{};
}

// The first page of a table; 0: the database does not say it.
std::int64_t root_of(Connection& database, std::string_view table) {
  const auto sql = fmt::format("select rootpage from sqlite_schema where name = '{}'", table);
  return database.integer(sql).value_or(0);
}

// The largest number of values of a point that a readable row of `sweep_column` gives; 0: none.
Result<std::int64_t> widest_point(Connection& database) {
  std::int64_t widest = 0;
  for (const schema::TableText& table : schema::tables()) {
    if (table.name != "sweep_column") continue;
    TableRows rows(database, table, 0);
    const auto storage = std::ranges::find(rows.columns(), "storage") - rows.columns().begin();
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    KS_RETURN_IF_ERROR(rows.read([&](const sqlite::Statement& row, int first) {
      widest = std::max(widest, row.integer(first + static_cast<int>(storage)));
      return seen.emplace(row.integer(first), row.integer(first + 1)).second;
    }));
  }
  return widest;
}

}  // namespace

Result<Connection> make_readable_copy(const std::string& from, const std::string& to, Connection& fresh) {
  KS_ASSIGN_OR_RETURN(const FileHeader header, read_file_header(from));
  KS_RETURN_IF_ERROR(copy_file(from, to, header.page_bytes, false));
  if (fs::exists(fs::symlink_status(from + "-wal")))
    KS_RETURN_IF_ERROR(copy_file(from + "-wal", to + "-wal", header.page_bytes, true));
  // SQLite does not copy a log into a file that is shorter than its header says by more than the log has.
  // A size that is far too large is itself damaged, and is not used.
  std::error_code error;
  const std::uint64_t bytes = std::uint64_t{header.pages} * header.page_bytes,
                      there = fs::file_size(to, error);
  if (bytes > there && bytes / 8 <= there) fs::resize_file(to, bytes, error);
  if (!header.trouble.empty()) KS_RETURN_IF_ERROR(empty_first_page(to, header.page_bytes));
  // With this SQLite uses the parts of a damaged schema that it can read, from the second statement on.
  constexpr const char* kTolerant = "pragma writable_schema = on; select count(*) from sqlite_schema";
  std::vector<std::int64_t> roots;
  std::int64_t values = 0;
  {
    KS_ASSIGN_OR_RETURN(auto damaged, Connection::open(to, Connection::Mode::create));
    (void)damaged.execute(kTolerant);
    for (const schema::TableText& table : schema::tables()) roots.push_back(root_of(damaged, table.name));
    values = width_of(damaged).value_or(0);
    const auto copied = damaged.execute("pragma wal_checkpoint(truncate)");
    damaged.keep_log(true);
    const std::uint64_t left = fs::file_size(to + "-wal", error);
    if (!error && left > 0)
      return failure(
          fmt::format("{}: SQLite cannot copy its log into {}{} ({}); make room there or choose another "
                      "disk with --to. "
                      "Without the log, older rows can be read: move {}-wal away first",
                      from, to, copied ? "" : ": " + copied.error().message, text_of_room(to), from));
  }
  for (const char* end : {"-wal", "-shm"}) fs::remove(to + end, error);
  KS_RETURN_IF_ERROR(empty_first_page(to, header.page_bytes));
  KS_ASSIGN_OR_RETURN(auto copy, Connection::open(to, Connection::Mode::create));
  KS_RETURN_IF_ERROR(copy.execute("pragma journal_mode = off; pragma synchronous = off"));
  KS_RETURN_IF_ERROR(copy.execute(kTolerant));
  for (auto root = roots.begin(); const schema::TableText& table : schema::tables()) {
    const std::int64_t found = *root++;
    KS_RETURN_IF_ERROR(copy.execute(fmt::format(
        "insert into sqlite_schema values ('table', '{0}', '{0}', {1}, {2})", table.name,
        found > 0 ? found : root_of(fresh, table.name), schema::literal(schema::create_table(table)))));
  }
  (void)copy.execute("pragma writable_schema = reset");
  (void)copy.execute(kTolerant);
  // Only `sweep_column` says how many values points have where the schema is lost.
  KS_ASSIGN_OR_RETURN(const auto widest, widest_point(copy));
  values = std::max(values, widest);
  (void)widen(copy, static_cast<int>(std::min<std::int64_t>(values, schema::kColumnsMax)));
  // One transaction and a memory map: a place that cannot be read takes many short statements.
  KS_RETURN_IF_ERROR(copy.execute("pragma mmap_size = 1073741824; begin"));
  return copy;
}

}  // namespace kernsweep
