#include "worker/spool/spool.hpp"

#include <unistd.h>

#include <utility>

#include "shared/base/digest.hpp"
#include "shared/base/log.hpp"
#include "shared/base/random_token.hpp"
#include "shared/text/counted.hpp"
#include "shared/wire/convert.hpp"
#include "worker/spool/spool_writer.hpp"

namespace kernsweep {
namespace {

constexpr Duration kSyncEvery = std::chrono::milliseconds(500);
constexpr Duration kTryAgainAfter = std::chrono::seconds(10);
constexpr std::uint64_t kWaitingMax = std::uint64_t{32} << 20;
// Memory of one outcome, without its body.
constexpr std::uint64_t kOutcomeBytes = 200;
// Limits the memory for software. Only a pack that loads another library for each job comes near it; then
// descriptions that were already sent are dropped.
constexpr std::size_t kSoftwareMax = 1024;

std::uint64_t bytes_of(const wire::Outcome& outcome) {
  return outcome.body().size() + kOutcomeBytes;
}

}  // namespace

Spool::Spool(SpoolPlace place) : place_(std::move(place)) {
  owner_ = {random_token(), "", place_.host, place_.endpoint};
  if (place_.folder.empty()) return;
  auto leftovers = take_leftovers(place_.folder, {place_.host, place_.endpoint, ""});
  if (leftovers.empty()) return;
  owner_.instance = leftovers.front().contents.owner->instance;
  owner_.database = leftovers.front().contents.owner->database;
  const std::string path = leftovers.front().file.path();
  take_over(std::move(leftovers), path);
}

Spool::Spool(Spool&&) noexcept = default;

Spool::~Spool() {
  if (!writer_) return;
  if (outcomes_.empty()) {
    writer_->remove();
  } else if (disk_ != Disk::rests) {
    writer_->append(std::exchange(gathered_, {}));
    writer_->sync();
  }
}

Spool Spool::follow() {
  if (!outcomes_.empty()) {
    log_line(LogLevel::warning,
             "the coordinator has another database than before: " +
                 (on_disk() ? counted(outcomes_.size(), "outcome for the former one stays",
                                      "outcomes for the former one stay") +
                                  " in the spool for it"
                            : counted(outcomes_.size(), "outcome for the former one is",
                                      "outcomes for the former one are") +
                                  " lost, having been in memory only"));
  }
  SpoolPlace place = place_;
  place.folder.clear();  // adopts nothing: the file of this address belongs to the old database
  Spool next(std::move(place));
  next.place_.folder = place_.folder;
  next.owner_.instance = owner_.instance;
  owner_.instance = random_token();  // so that no worker adopts the file and this instance with it
  if (writer_ && !outcomes_.empty()) rewrite();
  return next;
}

void Spool::take_over(std::vector<Leftover> leftovers, const std::string& path) {
  std::size_t count = 0;
  for (Leftover& leftover : leftovers) {
    count += leftover.contents.outcomes.size();
    software_.merge(leftover.contents.software);
    for (auto& [attempt, outcome] : leftover.contents.outcomes) {
      const std::uint64_t bytes = bytes_of(outcome);
      if (!outcomes_.emplace(attempt, std::move(outcome)).second) continue;
      bytes_ += bytes;
      adopted_bytes_ += bytes;
    }
  }
  // The file is rewritten, because the endpoint may have changed and outcomes of others were added.
  const std::string whole = spool_file_of(owner_, software_, outcomes_);
  if (auto file = replace_spool_file(path, whole)) {
    writer_ = std::make_unique<SpoolWriter>(std::move(*file), whole.size());
    file_bytes_ = whole.size();
    for (const Leftover& leftover : leftovers) {
      if (leftover.file.path() != path) unlink(leftover.file.path().c_str());
    }
  } else {
    log_line(LogLevel::warning, "the spool cannot be written: " + file.error().message);
    writer_ = std::make_unique<SpoolWriter>(path);
    disk_ = Disk::rests;
  }
  log_line(LogLevel::info, "found " + counted(count, "outcome", "outcomes") +
                               " that an earlier worker measured and could not deliver");
}

void Spool::begin(const std::string& database) {
  owner_.database = digest_from_bytes(database) ? database : "";
  if (writer_ || place_.folder.empty() || owner_.database.empty()) return;
  const std::string name = digest_of(random_token()).hex().substr(0, 16);
  const std::string path = place_.folder + "/" + name + ".spool";
  auto leftovers = take_leftovers(place_.folder, {place_.host, "", owner_.database});
  if (!leftovers.empty()) return take_over(std::move(leftovers), path);
  writer_ = std::make_unique<SpoolWriter>(path);
  rewrite();
}

bool Spool::learn(const wire::Software& software) {
  if (software_.size() >= kSoftwareMax) software_.clear();
  if (!software_.emplace(software.identity(), software).second) return false;
  append(SpoolRecord::software, software.SerializeAsString());
  return true;
}

void Spool::keep(const AttemptId& attempt, wire::Outcome outcome) {
  bytes_ += bytes_of(outcome);
  const auto [at, added] = outcomes_.try_emplace(attempt);
  if (!added) bytes_ -= bytes_of(at->second);
  at->second = std::move(outcome);
  if (writer_) append(SpoolRecord::outcome, at->second.SerializeAsString());
}

void Spool::release(const std::vector<AttemptId>& attempts) {
  wire::Attempts released;
  for (const AttemptId& attempt : attempts) {
    const auto found = outcomes_.find(attempt);
    if (found == outcomes_.end()) continue;
    bytes_ -= bytes_of(found->second);
    outcomes_.erase(found);
    if (writer_) encode(attempt, *released.add_attempts());
  }
  if (released.attempts_size() > 0) append(SpoolRecord::released, released.SerializeAsString());
}

void Spool::release_sweeps(const std::set<SweepId>& sweeps) {
  std::vector<AttemptId> theirs;
  for (const auto& [attempt, outcome] : outcomes_) {
    if (sweeps.contains(attempt.job.sweep)) theirs.push_back(attempt);
  }
  release(theirs);
}

const wire::Outcome* Spool::find(const AttemptId& attempt) const {
  const auto found = outcomes_.find(attempt);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void Spool::append(SpoolRecord kind, const std::string& payload) {
  if (writer_ && disk_ != Disk::rests) append_record(kind, payload, file_bytes_, gathered_);
}

void Spool::rewrite() {
  std::string whole = spool_file_of(owner_, software_, outcomes_);
  gathered_.clear();
  file_bytes_ = whole.size();
  writer_->rewrite(std::move(whole));
  unsynced_ = false;
}

// After a failure, or if the writer is too far behind, outcomes are kept only in memory for a while.
void Spool::watch_disk(Instant now) {
  const std::uint64_t waiting = writer_->waiting_bytes();  // read first: after a failure it is 0
  const auto failed = writer_->take_failure();
  if (disk_ != Disk::rests && (failed || waiting > kWaitingMax)) {
    if (disk_ == Disk::writes) {
      log_line(LogLevel::warning, "the spool cannot be written: " +
                                      (failed ? *failed : place_.folder + ": the disk is too slow") +
                                      "; measuring continues, but what the coordinator has not stored is "
                                      "in memory only until the disk takes it");
    }
    disk_ = Disk::rests;
    gathered_.clear();
    try_again_at_ = now + kTryAgainAfter;
  } else if (disk_ == Disk::rests && now >= try_again_at_ && waiting == 0) {
    disk_ = Disk::tries;
    rewrite();
  } else if (disk_ == Disk::tries && waiting == 0) {
    disk_ = Disk::writes;
    log_line(LogLevel::info, "the spool is written again");
  }
}

void Spool::tend(Instant now) {
  if (!writer_) return;
  watch_disk(now);
  if (!gathered_.empty()) {
    file_bytes_ += gathered_.size();
    writer_->append(std::exchange(gathered_, {}));
    unsynced_ = true;
  }
  if (disk_ != Disk::writes) return;
  if (file_bytes_ > place_.file_bytes_max && bytes_ < file_bytes_ / 4 && writer_->waiting_bytes() == 0) {
    rewrite();
  } else if (unsynced_ && now >= sync_at_) {
    sync_at_ = now + kSyncEvery;
    unsynced_ = false;
    if (!outcomes_.empty()) writer_->sync();  // without outcomes, the coordinator has all of them
  }
}

}  // namespace kernsweep
