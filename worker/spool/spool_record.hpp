// The format of a spool file: records with a length and a checksum, one after the other, never changed in
// place.
//
//   record   = marker length check kind payload
//   marker   = "KSr1"                           4 bytes
//   length   = of kind and payload              4 bytes, little endian
//   check    = XXH3 over the record's place in the file, length, kind and payload    8 bytes
//   kind     = 1 owner, 2 software, 3 outcome, 4 released                            1 byte
//   payload  = owner: lines of text; otherwise a message of protocol.proto
//
// A file begins with the record of its owner, twice, so that one flipped bit does not lose the owner.
// Because the place is part of the checksum, a record is valid only where it was written. A reader skips
// bytes that are not a record, up to the next valid record.
//
// Pure functions.
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

// The owner of a file's outcomes. Attempts are numbered within one database. A worker that adopts the file
// continues as the same instance, so that the coordinator recognises it.
struct SpoolOwner {
  std::string instance;  // 16 bytes
  std::string database;  // 16 bytes
  std::string host;      // name and fingerprint, because several hosts may share a folder
  std::string endpoint;  // of the coordinator, as the user wrote it
};

using Outcomes = std::unordered_map<AttemptId, wire::Outcome>;
using Softwares = std::map<std::string, wire::Software>;  // by identity

struct SpoolContents {
  std::optional<SpoolOwner> owner;
  Softwares software;
  Outcomes outcomes;               // not released
  std::uint64_t unread_bytes = 0;  // bytes that belong to no valid record
  bool other_version = false;      // written by a version with another format
};

// Appends one record to `out`. `place`: the offset in the file of the first byte of `out`.
void append_record(SpoolRecord kind, std::string_view payload, std::uint64_t place, std::string& out);
void append_owner(const SpoolOwner& owner, std::uint64_t place, std::string& out);
// The bytes of a whole file.
std::string spool_file_of(const SpoolOwner& owner, const Softwares& software, const Outcomes& outcomes);

// Never fails: bytes that cannot be read are counted.
SpoolContents read_spool(std::string_view bytes);

}  // namespace kernsweep
