#include "results/sqlite/error_text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

#include "results/sqlite/file_header.hpp"
#include "results/sqlite/file_system.hpp"
#include "results/sqlite/writer_lock.hpp"

namespace kernsweep::sqlite {

namespace {

std::string advice_for(int system, const std::string& path) {
  if (system == EFBIG) return "raise the limit on the size of a file (ulimit -f)";
  if (system == EDQUOT) return "raise the quota, or make room in " + file_system_of(path);
  return "look whether its disk, or the network file system that holds it, is full or broken";
}

}  // namespace

std::string explained(const std::string& path, int code, const std::string& text, int system) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return fmt::format(
          "{}: the disk is full ({}): {}. Nothing that was committed is lost. Make room there, or move the "
          "database, together with its -wal and -shm, to another disk; the same command, without --again, "
          "continues",
          path, text, text_of_room(path));
    case SQLITE_READONLY:
      return fmt::format("{}: cannot be written ({}){}{}", path, text,
                         why_not_writable(path).empty() ? "; " : why_not_writable(path), kWriteElsewhere);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return damaged_message(path, text);
    case SQLITE_CANTOPEN:
      if (const auto room = room_for(path); room && room->free_files == 0)
        return fmt::format("{}: cannot be opened: {}; remove some there", path, text_of_room(path));
      return fmt::format("{}: cannot be opened ({}); does its folder exist, and may you use it?", path,
                         text);
    case SQLITE_IOERR:
      return fmt::format(
          "{}: reading or writing failed ({}{}{}); {}. Nothing that was committed is lost; the same "
          "command, "
          "without --again, continues",
          path, text, system == 0 ? "" : ": ", system == 0 ? "" : std::strerror(system),
          advice_for(system, path));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // a lock was refused again and again
      if (const Status able = check_file_system(path); !able) return able.error().message;
      return fmt::format("{}: is locked by another program ({}); close it and try again", path, text);
    default:
      return fmt::format("{}: {}", path, text);
  }
}

}  // namespace kernsweep::sqlite
