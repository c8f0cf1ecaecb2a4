// Decides in which order the pages of a damaged file are read; see results/recovery/recovery.hpp.
#include "results/recovery/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "results/recovery/page_rows.hpp"
#include "results/recovery/recovery_writer.hpp"
#include "results/recovery/row_shapes.hpp"
#include "results/sqlite/pages.hpp"
#include "results/sqlite/writer_lock.hpp"
#include "results/store/database.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace fs = std::filesystem;

namespace {

enum class Page : std::uint8_t { unseen = 0, seen, free_page, further };  // further: an overflow page

// Calls `add` once for each row of the file; first for rows on pages that are reached from the roots.
class PageWalk {
 public:
  using Add = std::function<Status(const RowShape&, const StoredRow&)>;
  PageWalk(const PageFile& file, Recovery& recovery, const Add& add)
      : file_(file), recovery_(recovery), add_(add), pages_(file.pages() + std::size_t{1}, Page::unseen) {}

  Status run() {
    recovery_.pages = file_.pages();
    waiting_.push_back({1, nullptr, false});
    while (!waiting_.empty()) {
      const Waiting next = waiting_.front();
      waiting_.pop_front();
      KS_RETURN_IF_ERROR(look_at(next, true));
    }
    mark_free_pages();
    for (std::uint32_t page = 1; page <= file_.pages(); ++page)
      if (pages_[page] == Page::unseen) KS_RETURN_IF_ERROR(look_at({page, nullptr, false}, false));
    for (std::uint32_t page = 1; page <= file_.pages(); ++page)
      if (pages_[page] == Page::unseen) ++recovery_.damaged_pages;
    return Done{};
  }

 private:
  struct Waiting {
    std::uint32_t page;
    const RowShape* shape;  // of the table that it belongs to; nullptr: an index, or not known
    bool foreign;           // true: a table of SQLite's own statistics, whose rows are ignored
  };

  // `reached`: the page was reached from a root, so its children are read too. Other pages are read alone.
  Status look_at(const Waiting& at, bool reached) {
    const std::uint32_t number = at.page;
    if (number > file_.pages() || pages_[number] != Page::unseen) return Done{};
    Status done = Done{};
    std::uint64_t senseless = 0;
    const PageContent content = read_page_rows(file_, number, [&](const StoredRow& row) {
      if (!done || at.foreign) return;
      if (is_entry_of_schema(row)) {
        if (reached) wait_for_root(row);
      } else if (const RowShape* shape = at.shape && fits(row, *at.shape) ? at.shape : shape_of(row)) {
        done = add_(*shape, row);
      } else if (!is_entry_of_index(row)) {
        ++senseless;
      }
    });
    if (!done) return done;
    for (const std::uint32_t page : content.overflow)
      if (page <= file_.pages()) pages_[page] = Page::further;
    recovery_.unreadable_rows += content.unreadable + senseless;
    if (!content.tree) return done;
    pages_[number] = Page::seen;
    if (content.unreadable + senseless > 0) ++recovery_.damaged_pages;
    if (reached)
      for (const std::uint32_t child : content.children) wait_for(child, at.shape, at.foreign);
    return done;
  }

  void wait_for_root(const StoredRow& entry) {
    const RowShape* shape = shape_named(entry.fields[1].bytes);
    wait_for(static_cast<std::uint64_t>(entry.fields[3].integer), shape,
             entry.fields[1].bytes.starts_with("sqlite_stat"));
  }

  void wait_for(std::uint64_t page, const RowShape* shape, bool foreign) {
    if (page >= 1 && page <= file_.pages())
      waiting_.push_back({static_cast<std::uint32_t>(page), shape, foreign});
  }

  // Free pages still hold the rows from before they became free; these must not be read. A page that was
  // reached from a root is not free, even if the list contains it.
  void mark_free_pages() {
    PageBytes trunk;
    std::uint32_t next = file_.header().free_list;
    while (next >= 1 && next <= file_.pages() && pages_[next] == Page::unseen && file_.read(next, trunk)) {
      pages_[next] = Page::free_page;
      const std::size_t count = big_endian(trunk, 4, 4);
      if (count > file_.usable_bytes() / 4 - 2) return;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t leaf = big_endian(trunk, 8 + 4 * i, 4);
        if (leaf >= 1 && leaf <= file_.pages() && pages_[leaf] == Page::unseen)
          pages_[leaf] = Page::free_page;
      }
      next = big_endian(trunk, 0, 4);
    }
  }

  const PageFile& file_;
  Recovery& recovery_;
  const Add& add_;
  std::vector<Page> pages_;
  std::deque<Waiting> waiting_;
};

void remove_all_of(const std::string& path) {
  std::error_code error;
  for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(path + end, error);
}

Recovery nothing_yet() {
  Recovery recovery;
  for (const schema::TableText& table : schema::tables())
    recovery.tables.push_back({std::string(table.name)});
  return recovery;
}

Status check_by_sqlite(sqlite::Connection& database, std::vector<std::string>& troubles) {
  KS_ASSIGN_OR_RETURN(auto rows, database.prepare("pragma integrity_check"));
  sqlite::Step step;
  while ((step = rows.step()) == sqlite::Step::row)
    if (rows.text(0) != "ok") troubles.emplace_back(rows.text(0));
  if (step != sqlite::Step::done) troubles.push_back(rows.why());
  return Done{};
}

// The version of the file; nothing: its header cannot be read.
std::optional<std::uint32_t> version_in(const PageFile& file) {
  constexpr std::size_t kVersionAt = 60;  // "user version" in the header of SQLite's format
  PageBytes first;
  if (!file.read(1, first) || !file.header().trouble.empty()) return std::nullopt;
  return big_endian(first, kVersionAt, 4);
}

// True if another version of Kernsweep made the file: its tables may have other columns without any damage.
bool is_of_another_version(const PageFile& file) {
  const auto version = version_in(file);
  return version && *version > 0 && (*version < schema::kOldestVersion || *version > schema::kVersion);
}

Status write_new(const PageFile& file, const std::string& to, Recovery& recovery) {
  KS_ASSIGN_OR_RETURN(auto database, open_database_for_writing(to, false));
  RecoveryWriter writer(database, recovery);
  KS_RETURN_IF_ERROR(writer.begin());
  const PageWalk::Add add = [&](const RowShape& shape, const StoredRow& row) {
    return writer.add(shape, row);
  };
  KS_RETURN_IF_ERROR(PageWalk(file, recovery, add).run());
  if (recovery.saved() == 0)
    return failure("no row of a Kernsweep database can be read from it; nothing was saved");
  return writer.finish();
}

}  // namespace

Result<Recovery> recover(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::is_regular_file(from, error)) return failure(fmt::format("{}: there is no such file", from));
  if (fs::exists(to, error))
    return failure(fmt::format("{}: is there already; remove it, or name another with --to", to));
  KS_RETURN_IF_ERROR(WriterLock::check_free(from));
  KS_RETURN_IF_ERROR(check_database_file(to, true));
  KS_ASSIGN_OR_RETURN(const auto file, PageFile::open(from));
  if (const auto version = version_in(file); version && *version > 0 && *version < schema::kOldestVersion)
    return failure(older_message(from, *version));
  Recovery recovery = nothing_yet();
  if (const auto done = write_new(file, to, recovery); !done) {
    remove_all_of(to);
    return failure(done.error().message.starts_with(to)
                       ? done.error().message
                       : fmt::format("{}: {}", from, done.error().message));
  }
  return recovery;
}

Result<std::vector<std::string>> check_whole(const std::string& path) {
  std::vector<std::string> troubles;
  std::optional<Error> unusable;
  if (auto database = open_database_for_reading(path)) {
    KS_RETURN_IF_ERROR(check_by_sqlite(*database, troubles));
  } else {
    unusable = database.error();
  }
  const auto file = PageFile::open(path);
  if (!file) return tl::unexpected<Error>(unusable ? *unusable : file.error());
  Recovery recovery = nothing_yet();
  std::uint64_t rows = 0;
  const PageWalk::Add add = [&rows](const RowShape&, const StoredRow&) {
    ++rows;
    return Status(Done{});
  };
  KS_RETURN_IF_ERROR(PageWalk(*file, recovery, add).run());
  if (unusable) {
    if (rows == 0 || is_of_another_version(*file)) return tl::unexpected<Error>(*unusable);
    const std::string why = damage_seen_from_outside(path);
    troubles.push_back(why.empty() ? "it cannot be opened as a Kernsweep database" : why);
  }
  if (recovery.damaged_pages > 0)
    troubles.push_back(fmt::format("{} of {} {} damaged", recovery.damaged_pages,
                                   counted(recovery.pages, "page", "pages"),
                                   recovery.damaged_pages == 1 ? "is" : "are"));
  if (recovery.unreadable_rows > 0)
    troubles.push_back(fmt::format("{} cannot be read, or make no sense",
                                   counted(recovery.unreadable_rows, "row", "rows")));
  return troubles;
}

std::string recovered_name(const std::string& database) {
  const fs::path path(database);
  const std::string stem = path.extension() == ".db" ? path.stem().string() : path.filename().string();
  return (path.parent_path() / (stem + ".recovered.db")).string();
}

}  // namespace kernsweep
