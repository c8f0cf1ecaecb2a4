#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "worker/host/children.hpp"
#include "worker/slot/python/renewal.hpp"

namespace kernsweep {
namespace {

std::vector<std::pair<std::string, FileStamp>>& imported() {
  static std::vector<std::pair<std::string, FileStamp>> files;
  return files;
}

HandOverQuestion& hand_over_question() {
  static HandOverQuestion question;
  return question;
}

std::string content_of_file(int descriptor) {
  std::string out;
  char buffer[65536];
  for (ssize_t got; (got = pread(descriptor, buffer, sizeof buffer, static_cast<off_t>(out.size()))) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  return out;
}

}  // namespace

bool renews(const wire::SlotSetup& setup) {
  return !setup.function().empty() && setup.copy() == 0 && !setup.distrust();
}

std::string function_to_import(int descriptor) {
  wire::SlotSetup setup;
  const bool read = setup.ParseFromString(content_of_file(descriptor));
  return read && renews(setup) ? setup.function() : "";
}

void set_hand_over_question(HandOverQuestion question) {
  hand_over_question() = std::move(question);
}

bool is_handed_over(const wire::SlotSetup& setup, const wire::Run& run) {
  return hand_over_question() && hand_over_question()(setup, run);
}

void remember_imported(const std::vector<std::string>& files) {
  std::vector<std::string> all = files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        if (info->dlpi_name && *info->dlpi_name == '/')
          static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
        return 0;
      },
      &all);
  for (const std::string& file : all)
    if (const auto stamp = file_stamp_at(file)) imported().emplace_back(file, *stamp);
}

bool is_imported_stale() {
  return std::ranges::any_of(imported(), [](const auto& each) {
    const auto now = file_stamp_at(each.first);
    return now && *now != each.second;
  });
}

// A child that cannot be ended, because it waits in the kernel, is left after some rounds.
void keep_contents(wire::SlotSetup setup, const std::map<FileStamp, Digest>& contents, int descriptor) {
  setup.clear_contents();
  for (const auto& [stamp, hash] : contents) {
    wire::FileContent& content = *setup.add_contents();
    content.set_file(stamp.bytes());
    content.set_hash(std::string(hash.view()));
  }
  const std::string bytes = setup.SerializeAsString();
  // The next process starts after this one has ended.
  if (pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return;
  if (ftruncate(descriptor, static_cast<off_t>(bytes.size())) != 0) return;
}

}  // namespace kernsweep
