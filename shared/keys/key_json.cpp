// Join files and key files as JSON. nlohmann-json throws nothing here, because the presence and type of
// each member are checked before it is read.
#include <nlohmann/json.hpp>

#include "shared/base/try.hpp"
#include "shared/keys/join_file.hpp"
#include "shared/keys/key_file.hpp"

namespace kernsweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kJoinRemedy = "; copy it again from where 'kernsweep coordinator' wrote it";
// Does not advise to copy the file, because it contains the coordinator's secret key.
constexpr const char* kKeysRemedy =
    "; name the NAME.keys that 'kernsweep coordinator' has written, in its folder, or bring back a good "
    "one";
constexpr std::size_t kEndpointsMax = 64;
constexpr std::size_t kEndpointBytesMax = 512;
constexpr std::size_t kKeysMax = 10'000;

// Reads the members of one object, and keeps the first error.
class Members {
 public:
  Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::optional<std::string> text(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_string()) return found->get<std::string>();
    wrong(name, found == object_.end() ? "is missing" : "is not text");
    return std::nullopt;
  }
  CurveKey key(const char* name) {
    const auto written = text(name);
    if (!written) return {};
    const auto known = key_from_z85(*written);
    if (!known) {
      wrong(name, "is not a key: it has " + std::to_string(written->size()) +
                      " characters; a key has 40, of the alphabet of Z85");
    }
    return known.value_or(CurveKey{});
  }
  KeyRole role() {
    const auto written = text("role");
    const auto known = written ? role_from_text(*written) : std::nullopt;
    if (written && !known) wrong("role", "is neither worker nor client");
    return known.value_or(KeyRole::worker);
  }
  std::string name() {
    const auto written = text("name");
    if (written && !is_key_name(*written)) wrong("name", "is not a valid name of a key");
    return written.value_or("");
  }
  UnixSeconds time(const char* name) {
    const auto written = text(name);
    const auto known = written ? time_from_text(*written) : std::nullopt;
    if (written && !known) wrong(name, "is not a time such as 2026-01-31T12:00:00Z");
    return known.value_or(0);
  }
  std::vector<std::string> endpoints() {
    std::vector<std::string> out;
    const auto found = object_.find("endpoints");
    if (found == object_.end() || !found->is_array() || found->size() > kEndpointsMax) {
      wrong("endpoints", found == object_.end() ? "is missing" : "is not a list of at most 64 addresses");
      return out;
    }
    for (const Json& each : *found) {
      if (!each.is_string() || each.get_ref<const std::string&>().size() > kEndpointBytesMax) {
        wrong("endpoints", "holds something that is not an address");
        return out;
      }
      out.push_back(each.get<std::string>());
    }
    return out;
  }
  bool has(const char* name) const { return object_.contains(name); }
  void wrong(const std::string& name, const std::string& how) {
    if (complaint_.empty()) complaint_ = where_ + ": '" + name + "' " + how;
  }
  const std::string& complaint() const { return complaint_; }

 private:
  const Json& object_;
  std::string where_;
  std::string complaint_;
};

Result<Json> object_of(const std::string& text, const std::string& where, const char* kind,
                       const std::string& what) {
  Json object = Json::parse(text, nullptr, false);
  const std::string remedy = kind == std::string("keys") ? kKeysRemedy : kJoinRemedy;
  if (object.is_discarded()) {
    return failure(where + " is not a " + what + ", or not the whole of one: it is not JSON" + remedy);
  }
  if (!object.is_object() || !object.contains("kernsweep") || object["kernsweep"] != kind)
    return failure(where + " is not a " + what + remedy);
  if (!object.contains("format") || object["format"] != kFormat) {
    return failure(where + " is a " + what + " of another format than " + std::to_string(kFormat) +
                   "; install the version of kernsweep that wrote it");
  }
  return object;
}

// Addresses come from the command line and need not be UTF-8.
std::string dump(const Json& object) {
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string text_of(const JoinFile& file) {
  Json object;
  object["kernsweep"] = "join";
  object["format"] = kFormat;
  object["name"] = file.name;
  object["role"] = text_of(file.role);
  object["endpoints"] = file.endpoints;
  object["coordinator"] = z85_of(file.coordinator);
  object["public"] = z85_of(file.own.public_key);
  object["secret"] = z85_of(file.own.secret_key);
  return dump(object);
}

Result<JoinFile> join_file_of(const std::string& text, const std::string& where) {
  KS_ASSIGN_OR_RETURN(const auto object, object_of(text, where, "join", "join file"));
  Members members(object, where);
  JoinFile file;
  file.name = members.name();
  file.role = members.role();
  file.endpoints = members.endpoints();
  if (file.endpoints.empty()) members.wrong("endpoints", "names no address");
  file.coordinator = members.key("coordinator");
  file.own.public_key = members.key("public");
  file.own.secret_key = members.key("secret");
  if (members.complaint().empty() && public_of(file.own.secret_key) != file.own.public_key)
    members.wrong("public", "does not belong to 'secret'");
  if (!members.complaint().empty()) return failure(members.complaint() + kJoinRemedy);
  return file;
}

std::string text_of(const KeyFile& file) {
  Json object;
  object["kernsweep"] = "keys";
  object["format"] = kFormat;
  object["secret"] = z85_of(file.secret);
  if (file.former) {
    object["former"]["secret"] = z85_of(file.former->secret);
    object["former"]["until"] = time_text(file.former->until);
  }
  if (!file.endpoints.empty()) object["endpoints"] = file.endpoints;
  object["keys"] = Json::array();
  for (const KnownKey& key : file.keys) {
    Json entry;
    entry["name"] = key.name;
    entry["role"] = text_of(key.role);
    entry["public"] = z85_of(key.public_key);
    entry["created"] = time_text(key.created);
    if (key.revoked) entry["revoked"] = time_text(*key.revoked);
    object["keys"].push_back(std::move(entry));
  }
  return dump(object);
}

Result<KeyFile> key_file_of(const std::string& text, const std::string& where) {
  KS_ASSIGN_OR_RETURN(const auto object, object_of(text, where, "keys", "key file"));
  Members members(object, where);
  KeyFile file;
  file.secret = members.key("secret");
  if (members.has("endpoints")) file.endpoints = members.endpoints();
  if (members.has("former")) {
    Members former(object["former"], where + ": former");
    file.former = FormerSecret{former.key("secret"), former.time("until")};
    if (!former.complaint().empty()) return failure(former.complaint() + kKeysRemedy);
  }
  const auto list = object.find("keys");
  if (list == object.end() || !list->is_array() || list->size() > kKeysMax) {
    members.wrong("keys", "is not a list of at most 10000 keys");
  } else {
    for (const Json& each : *list) {
      Members entry(each, where + ": keys[" + std::to_string(file.keys.size()) + "]");
      KnownKey key;
      key.name = entry.name();
      key.role = entry.role();
      key.public_key = entry.key("public");
      key.created = entry.time("created");
      if (entry.has("revoked")) key.revoked = entry.time("revoked");
      if (!entry.complaint().empty()) return failure(entry.complaint() + kKeysRemedy);
      file.keys.push_back(std::move(key));
    }
  }
  if (!members.complaint().empty()) return failure(members.complaint() + kKeysRemedy);
  return file;
}

}  // namespace kernsweep
