// Any text as a join file, a key file, a key, a time of a key: read or refused with a message that names
// the file, and what is read comes back from its own text. What is read is changed as `kernsweep keys`
// would.
#include <cstddef>
#include <cstdint>
#include <string>

#include "shared/base/result.hpp"
#include "shared/keys/key_changes.hpp"

using namespace kernsweep;

namespace {

const std::string kWhere = "there.join";

void check_message(const Error& error) {
  KS_ASSERT(error.message.find(kWhere) != std::string::npos);
  KS_ASSERT(error.message.find(';') != std::string::npos);  // what to do
}

void read_join(const std::string& text) {
  const auto file = join_file_of(text, kWhere);
  if (!file) return check_message(file.error());
  KS_ASSERT(is_key_name(file->name) && !file->endpoints.empty());
  KS_ASSERT(public_of(file->own.secret_key) == file->own.public_key);
  const auto again = join_file_of(text_of(*file), kWhere);
  KS_ASSERT(again && text_of(*again) == text_of(*file));
}

void read_keys(const std::string& text) {
  auto file = key_file_of(text, kWhere);
  if (!file) return check_message(file.error());
  const auto again = key_file_of(text_of(*file), kWhere);
  KS_ASSERT(again && text_of(*again) == text_of(*file));
  constexpr UnixSeconds kNow = 1'800'000'000;
  const std::string name = file->keys.empty() ? "first" : file->keys.front().name;
  if (const auto added = add_key(*file, name, KeyRole::client, kNow)) KS_ASSERT(added->name == name);
  KS_ASSERT(rotate_key(*file, name, kNow, kNow + 60));  // it was there, or was added
  KS_ASSERT(revoke_key(*file, name, kNow));
  KS_ASSERT(!revoke_key(*file, name, kNow));
  rotate_coordinator(*file, kNow, kNow + 60);
  KS_ASSERT(file->former && key_file_of(text_of(*file), kWhere));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  read_join(text);
  read_keys(text);
  if (const auto key = key_from_z85(text)) KS_ASSERT(z85_of(*key) == text);
  if (const auto time = time_from_text(text)) KS_ASSERT(time_from_text(time_text(*time)) == time);
  KS_ASSERT(join_path_of(key_path_of(text + ".join"), kWorkerKey) == text + ".join");
  return 0;
}
