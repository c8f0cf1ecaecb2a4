#include "worker/spool/spool_record.hpp"

#include <cstring>

#include "shared/base/content_hash.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kMarker = "KSr1";
constexpr std::string_view kVersion = "kernsweep-spool 1";
constexpr std::string_view kAnyVersion = "kernsweep-spool ";
constexpr std::size_t kLengthAt = 4;
constexpr std::size_t kCheckAt = 8;
constexpr std::size_t kHeadBytes = 16;  // the part of a record before its kind

void put(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

// Checksum of a record. The field for the checksum must contain the record's place.
std::string check_of(std::string_view record) {
  return std::string(content_hash(record.data(), record.size()).view().substr(0, 8));
}

// The complete, valid record at `at`; nothing if there is none.
std::optional<std::string_view> record_at(std::string_view bytes, std::size_t at) {
  if (bytes.size() - at <= kHeadBytes || bytes.substr(at, kMarker.size()) != kMarker) return std::nullopt;
  const std::uint64_t length = number_at(bytes, at + kLengthAt, 4);
  if (length == 0 || length > bytes.size() - at - kHeadBytes) return std::nullopt;
  const std::string_view record = bytes.substr(at, kHeadBytes + length);
  std::string unchecked(record);
  std::string place;
  put(place, at, 8);
  unchecked.replace(kCheckAt, 8, place);
  if (check_of(unchecked) != record.substr(kCheckAt, 8)) return std::nullopt;
  return record;
}

std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool read_owner(std::string_view payload, SpoolContents& out) {
  const std::string_view version = next_line(payload);
  if (version != kVersion) {
    out.other_version = version.starts_with(kAnyVersion);
    return out.other_version;
  }
  const auto instance = digest_from_hex(next_line(payload));
  const auto database = digest_from_hex(next_line(payload));
  if (!instance || !database) return false;
  SpoolOwner owner;
  owner.instance = instance->view();
  owner.database = database->view();
  owner.host = next_line(payload);
  owner.endpoint = payload;
  out.owner = std::move(owner);
  return true;
}

bool read_payload(std::uint8_t kind, std::string_view payload, SpoolContents& out) {
  const auto parse = [&](auto& message) {
    return message.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
  };
  switch (kind) {
    case static_cast<std::uint8_t>(SpoolRecord::owner):
      return read_owner(payload, out);
    case static_cast<std::uint8_t>(SpoolRecord::software): {
      wire::Software software;
      if (!parse(software)) return false;
      const std::string identity = software.identity();
      out.software[identity] = std::move(software);
      return true;
    }
    case static_cast<std::uint8_t>(SpoolRecord::outcome): {
      wire::Outcome outcome;
      if (!parse(outcome)) return false;
      const AttemptId attempt = decode(outcome.attempt());
      out.outcomes[attempt] = std::move(outcome);
      return true;
    }
    case static_cast<std::uint8_t>(SpoolRecord::released): {
      wire::Attempts released;
      if (!parse(released)) return false;
      for (const auto& attempt : released.attempts()) out.outcomes.erase(decode(attempt));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

void append_record(SpoolRecord kind, std::string_view payload, std::uint64_t place, std::string& out) {
  const std::size_t begin = out.size();
  out.append(kMarker);
  put(out, payload.size() + 1, 4);
  put(out, place + begin, 8);
  out.push_back(static_cast<char>(kind));
  out.append(payload);
  out.replace(begin + kCheckAt, 8, check_of(std::string_view(out).substr(begin)));
}

void append_owner(const SpoolOwner& owner, std::uint64_t place, std::string& out) {
  const auto instance = digest_from_bytes(owner.instance);
  const auto database = digest_from_bytes(owner.database);
  KS_ASSERT(instance && database);
  const std::string text = std::string(kVersion) + "\n" + instance->hex() + "\n" + database->hex() + "\n" +
                           owner.host + "\n" + owner.endpoint;
  append_record(SpoolRecord::owner, text, place, out);
}

std::string spool_file_of(const SpoolOwner& owner, const Softwares& software, const Outcomes& outcomes) {
  std::string file;
  append_owner(owner, 0, file);
  append_owner(owner, 0, file);
  for (const auto& [identity, each] : software)
    append_record(SpoolRecord::software, each.SerializeAsString(), 0, file);
  for (const auto& [attempt, outcome] : outcomes)
    append_record(SpoolRecord::outcome, outcome.SerializeAsString(), 0, file);
  return file;
}

SpoolContents read_spool(std::string_view bytes) {
  SpoolContents contents;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto record = record_at(bytes, at);
    if (record && read_payload(static_cast<std::uint8_t>((*record)[kHeadBytes]),
                               record->substr(kHeadBytes + 1), contents)) {
      at += record->size();
      continue;
    }
    const std::size_t next = std::min(bytes.find(kMarker, at + 1), bytes.size());
    contents.unread_bytes += next - at;
    at = next;
  }
  return contents;
}

}  // namespace kernsweep
