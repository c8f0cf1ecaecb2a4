#include "tests/unit/results/sqlite/power_loss_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <new>

#include "tests/unit/results/made.hpp"

namespace kernsweep::test {

namespace {

constexpr const char* kName = "power-loss";
constexpr std::size_t kSector = 512;

std::string content_of(const char* path) {
  std::string content(std::filesystem::file_size(path), 0);
  std::ifstream(path, std::ios::binary).read(content.data(), static_cast<std::streamsize>(content.size()));
  return content;
}

}  // namespace

// The functions that SQLite calls.
struct PowerLossCalls {
  struct Opened {
    sqlite3_file base;
    PowerLossVfs* vfs;
    PowerLossVfs::File* file;  // null: a temporary one, without any promise
    bool syncs_folder;         // with its first sync, as SQLite's own does for what it creates
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static Opened* of(sqlite3_file* file) { return reinterpret_cast<Opened*>(file); }
  static sqlite3_file* real(sqlite3_file* file) { return of(file)->real(); }
  static PowerLossVfs& of(sqlite3_vfs* vfs) { return *static_cast<PowerLossVfs*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
    PowerLossVfs& self = of(vfs);
    Opened* const opened = new (file) Opened{};
    const bool kept =
        name && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
    const bool existed = kept && std::filesystem::exists(name);
    const int code = self.real_->xOpen(self.real_, name, opened->real(), flags, out);
    if (code != SQLITE_OK) return code;
    opened->base.pMethods = methods();
    opened->vfs = &self;
    if (!kept) return SQLITE_OK;
    PowerLossVfs::File& entry = self.files_[name];
    opened->file = &entry;
    opened->syncs_folder = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & SQLITE_OPEN_MAIN_DB) == 0;
    if (existed && !entry.is_synced && entry.since.empty()) {  // it was there before all this
      entry.synced = content_of(name);
      entry.is_synced = true;
    }
    if (entry.removed) {
      entry = {};
      entry.removed = false;
    }
    return SQLITE_OK;
  }

  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 from) {
    Opened& opened = *of(file);
    if (opened.file && !opened.vfs->lost_)  // that with which power is lost may be on the disk in part
      opened.file->since.push_back({static_cast<std::uint64_t>(from),
                                    {static_cast<const char*>(bytes), static_cast<std::size_t>(size)}});
    if (opened.file && !opened.vfs->goes_on()) return SQLITE_IOERR_WRITE;
    return real(file)->pMethods->xWrite(real(file), bytes, size, from);
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    Opened& opened = *of(file);
    if (opened.file && !opened.vfs->lost_)
      opened.file->since.push_back({static_cast<std::uint64_t>(size), {}, true});
    if (opened.file && !opened.vfs->goes_on()) return SQLITE_IOERR_TRUNCATE;
    return real(file)->pMethods->xTruncate(real(file), size);
  }

  static int sync(sqlite3_file* file, int) {
    Opened& opened = *of(file);
    if (!opened.file) return SQLITE_OK;
    if (!opened.vfs->goes_on()) return SQLITE_IOERR_FSYNC;
    if (opened.vfs->sync_ == PowerLossVfs::Sync::ignored) return SQLITE_OK;
    for (const PowerLossVfs::Change& change : opened.file->since)
      opened.vfs->apply(opened.file->synced, change, 1);
    opened.file->since.clear();
    opened.file->is_synced = true;
    if (opened.syncs_folder)
      for (auto& [path, each] : opened.vfs->files_) each.is_synced = !each.removed;
    opened.syncs_folder = false;
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    PowerLossVfs& self = of(vfs);
    const auto known = self.files_.find(name);
    if (known != self.files_.end()) {
      if (!self.goes_on()) return SQLITE_IOERR_DELETE;
      known->second.removed = true;
      if (sync_folder != 0 && self.sync_ == PowerLossVfs::Sync::honest) known->second.is_synced = false;
    }
    return self.real_->xDelete(self.real_, name, 0);
  }

  static int close(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 from) {
    return real(file)->pMethods->xRead(real(file), to, size, from);
  }
  static int size(sqlite3_file* file, sqlite3_int64* size) {
    return real(file)->pMethods->xFileSize(real(file), size);
  }
  static int lock(sqlite3_file* file, int kind) { return real(file)->pMethods->xLock(real(file), kind); }
  static int unlock(sqlite3_file* file, int kind) {
    return real(file)->pMethods->xUnlock(real(file), kind);
  }
  static int is_reserved(sqlite3_file* file, int* out) {
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
  }
  static int control(sqlite3_file* file, int what, void* with) {
    return real(file)->pMethods->xFileControl(real(file), what, with);
  }
  static int sector(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
  static int traits(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
  static int map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
  }
  static int lock_shared(sqlite3_file* file, int from, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), from, count, flags);
  }
  static void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
  static int unmap(sqlite3_file* file, int remove) {
    return real(file)->pMethods->xShmUnmap(real(file), remove);
  }

  // Version 2: no file is mapped into memory, so that all that is written comes by here.
  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods all = {
        2,       close,  read,   write, truncate,    sync,    size,  lock,    unlock, is_reserved,
        control, sector, traits, map,   lock_shared, barrier, unmap, nullptr, nullptr};
    return &all;
  }
};

PowerLossVfs::PowerLossVfs(std::uint64_t seed, Sync sync)
    : real_(sqlite3_vfs_find(nullptr)),
      own_(std::make_unique<sqlite3_vfs>(*real_)),
      random_(seed),
      sync_(sync) {
  own_->szOsFile = static_cast<int>(sizeof(PowerLossCalls::Opened)) + real_->szOsFile;
  own_->zName = kName;
  own_->pNext = nullptr;
  own_->pAppData = this;
  own_->xOpen = PowerLossCalls::open;
  own_->xDelete = PowerLossCalls::remove;
  // The others are asked as the real one's; SQLite's own for Unix looks at pAppData in none but xOpen.
  if (sqlite3_vfs_register(own_.get(), 1) != SQLITE_OK) std::abort();
}

PowerLossVfs::~PowerLossVfs() {
  sqlite3_vfs_unregister(own_.get());
  sqlite3_vfs_register(real_, 1);
}

bool PowerLossVfs::goes_on() {
  if (left_ == 0 || --left_ == 0) lost_ = true;
  return !lost_;
}

// `kept`: the share of writes that are kept whole; of the rest, half are lost and half are torn.
void PowerLossVfs::apply(std::string& content, const Change& change, double kept) {
  const auto chance = [this] { return std::uniform_real_distribution<>()(random_); };
  const bool whole = kept >= 1 || chance() < kept;
  const bool torn = !whole && !change.of_length && chance() < 0.5;
  if (!whole && !torn) {
    ++dropped_;
    return;
  }
  if (change.of_length) return content.resize(change.from);
  torn_ += torn;
  const std::uint64_t end = change.from + change.bytes.size();
  for (std::uint64_t at = change.from; at < end;) {
    const std::uint64_t next = whole ? end : std::min(end, (at / kSector + 1) * kSector);
    if (whole || chance() < 0.5) {
      if (content.size() < next) content.resize(next);
      content.replace(at, next - at, change.bytes, at - change.from, next - at);
    }
    at = next;
  }
}

std::string PowerLossVfs::after_loss(const File& file) {
  std::string content = file.synced;
  // Now all is there, now nothing, now any mixture.
  const double kept = std::uniform_int_distribution(0, 4)(random_) / 4.0;
  for (const Change& change : file.since) apply(content, change, kept);
  return content;
}

void PowerLossVfs::restart() {
  for (auto& [path, file] : files_) {
    std::filesystem::remove(path);
    std::filesystem::remove(path + "-shm");
    const bool may_miss = !file.is_synced || file.removed;
    const bool gone = (file.removed && !file.is_synced) || (may_miss && random_() % 2 == 0);
    if (gone) {
      file = {};
      continue;
    }
    file.synced = after_loss(file);
    file.since.clear();
    file.removed = false;
    file.is_synced = true;
    write_file(path, file.synced);
  }
  lost_ = false;
  left_ = ~std::uint64_t{0};
}

}  // namespace kernsweep::test
