// Any bytes as the file of a worker's spool, and any records in one with right checksums: never a crash, no
// byte is counted twice, and what was read makes a file that reads the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/base/result.hpp"
#include "worker/spool/spool_record.hpp"

using namespace kernsweep;

namespace {

SpoolContents read(std::string_view file) {
  const SpoolContents contents = read_spool(file);
  KS_ASSERT(contents.unread_bytes <= file.size());
  if (!contents.owner) return contents;
  const SpoolContents again =
      read_spool(spool_file_of(*contents.owner, contents.software, contents.outcomes));
  KS_ASSERT(again.unread_bytes == 0 && again.owner && again.owner->host == contents.owner->host);
  KS_ASSERT(again.software.size() == contents.software.size());
  KS_ASSERT(again.outcomes.size() == contents.outcomes.size());
  return contents;
}

// The bytes as records: kind, length, payload, and so on; what is between two records is damage.
std::string with_checksums(std::string_view bytes) {
  std::string file;
  while (bytes.size() >= 2) {
    const auto kind = static_cast<std::uint8_t>(bytes[0]);
    const std::size_t length = static_cast<std::uint8_t>(bytes[1]);
    const std::string_view payload = bytes.substr(2, length);
    bytes.remove_prefix(2 + payload.size());
    if (kind % 8 == 7) {
      file += payload;
    } else {
      append_record(static_cast<SpoolRecord>(kind % 8), payload, 0, file);
    }
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  read(text);
  read(with_checksums(text));
  return 0;
}
