// What a file of the worker's spool looks like: records, each with its length and a checksum, one after the
// other, never changed in place.
//
//   record   = marker length check kind payload
//   marker   = "KSr1"                           4 bytes
//   length   = of kind and payload              4 bytes, little endian
//   check    = XXH3 over the record's place in the file, length, kind and payload    8 bytes
//   kind     = 1 owner, 2 software, 3 outcome, 4 released                            1 byte
//   payload  = owner: lines of text; otherwise a message of protocol.proto
//
// A file begins with its owner's record, twice: one flipped bit shall not make an orphan of it. Because the
// place is part of the checksum, no record is believed anywhere but where it was written. A reader that
// meets bytes which are no record goes on at the next marker that begins one.
//
// Pure: bytes in, bytes out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "shared/base/ids.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

enum class SpoolRecord : std::uint8_t { owner = 1, software, outcome, released };

// Whose outcomes a file holds. Attempts are numbered within one database; who takes the file over goes on
// as the same instance, so that the coordinator knows the worker again.
struct SpoolOwner {
  std::string instance;  // 16 bytes
  std::string database;  // 16 bytes
  std::string host;      // name and fingerprint: a folder may be shared by several hosts
  std::string endpoint;  // of the coordinator, as it was given
};

using Outcomes = std::unordered_map<AttemptId, wire::Outcome>;
using Softwares = std::map<std::string, wire::Software>;  // by identity

struct SpoolContents {
  std::optional<SpoolOwner> owner;
  Softwares software;
  Outcomes outcomes;               // that were not released
  std::uint64_t unread_bytes = 0;  // that belong to no whole record
  bool other_version = false;      // written by a version whose files we do not know
};

// Appends one record to `out`, whose first byte will be at `place` of the file.
void append_record(SpoolRecord kind, std::string_view payload, std::uint64_t place, std::string& out);
void append_owner(const SpoolOwner& owner, std::uint64_t place, std::string& out);
// A whole file.
std::string spool_file_of(const SpoolOwner& owner, const Softwares& software, const Outcomes& outcomes);

// Never fails: what cannot be read is counted.
SpoolContents read_spool(std::string_view bytes);

}  // namespace kernsweep
