// keys: who may connect to a coordinator.
#include <cstdio>
#include <filesystem>

#include "cli/grammar/arguments.hpp"
#include "cli/show/json.hpp"
#include "shared/keys/join_files.hpp"
#include "shared/keys/key_changes.hpp"
#include "shared/keys/secret_file.hpp"
#include "shared/text/duration_text.hpp"

namespace kernsweep {
namespace {

Result<std::string> key_file_here() {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(".", error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".keys")) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return failure(
        "there is no *.keys file here; give --keys FILE, which 'kernsweep coordinator' has written");
  return failure("there are several *.keys files here; name one with --keys FILE");
}

const char* state_of(const KnownKey& key, UnixSeconds now) {
  if (!key.accepted(now)) return "revoked";
  return key.revoked ? "until" : "accepted";
}

void print_list(const KeyFile& keys, UnixSeconds now) {
  std::printf("coordinator's public key: %s\n", z85_of(public_of(keys.secret)).c_str());
  if (keys.former && now < keys.former->until)
    std::printf("its former key is spoken until %s\n", time_text(keys.former->until).c_str());
  std::printf("\n%-20s %-7s %-21s %-30s %s\n", "name", "role", "created", "state", "public key");
  for (const KnownKey& key : keys.keys) {
    const std::string state =
        state_of(key, now) + (key.revoked ? " " + time_text(*key.revoked) : std::string());
    std::printf("%-20s %-7s %-21s %-30s %s\n", key.name.c_str(), text_of(key.role),
                time_text(key.created).c_str(), state.c_str(), z85_of(key.public_key).c_str());
  }
}

Status write_key(const std::string& path, const KeyFile& keys, const Result<JoinFile>& made) {
  if (!made) return tl::unexpected(made.error());
  if (made->endpoints.empty()) {
    return failure(path + " names no address yet; start the coordinator once, so that it can tell its own");
  }
  // The coordinator must know a key before anybody has it.
  if (const Status known = write_key_file(path, keys); !known) return known;
  const std::string join = join_path_of(path, made->name);
  if (const Status written = write_join_file(join, *made); !written) return written;
  std::printf("wrote %s: copy it to where it is needed, and keep it secret\n", join.c_str());
  return Done{};
}

Status rotate(const Arguments& arguments, const std::string& path, KeyFile& keys, UnixSeconds now) {
  const auto overlap = duration_of(arguments.overlap);
  if (!overlap) return failure("--overlap " + overlap.error().message);
  const UnixSeconds until = now + std::chrono::duration_cast<std::chrono::seconds>(*overlap).count();
  if (!arguments.key_name.empty())
    return write_key(path, keys, rotate_key(keys, arguments.key_name, now, until));
  rotate_coordinator(keys, now, until);
  if (const Status written = write_key_file(path, keys); !written) return written;
  std::printf("the coordinator has a new key: %s\n", z85_of(public_of(keys.secret)).c_str());
  if (until > now) std::printf("the former one is spoken until %s\n", time_text(until).c_str());
  const auto renewed = renew_join_files(path, keys, now);
  if (!renewed) return tl::unexpected(renewed.error());
  for (const std::string& each : *renewed)
    std::printf("renewed %s: copy it to the hosts that use it\n", each.c_str());
  return Done{};
}

Status change(const Arguments& arguments, const std::string& path) {
  const FolderLock lock(path);
  auto keys = read_key_file(path);
  if (!keys) return tl::unexpected(keys.error());
  const UnixSeconds now = unix_seconds_now();
  switch (arguments.command) {
    case Command::keys_add: {
      const auto role = role_from_text(arguments.key_role).value_or(KeyRole::worker);
      return write_key(path, *keys, add_key(*keys, arguments.key_name, role, now));
    }
    case Command::keys_revoke:
      if (const Status revoked = revoke_key(*keys, arguments.key_name, now); !revoked) return revoked;
      if (const Status written = write_key_file(path, *keys); !written) return written;
      std::printf("revoked: %s\n", arguments.key_name.c_str());
      return Done{};
    case Command::keys_rotate:
      return rotate(arguments, path, *keys, now);
    default:
      break;
  }
  if (arguments.json) {
    std::printf("%s\n", keys_json(*keys, now).c_str());
  } else {
    print_list(*keys, now);
  }
  return Done{};
}

}  // namespace

int keys_command(const Arguments& arguments) {
  const auto path = arguments.key_file.empty() ? key_file_here() : Result<std::string>(arguments.key_file);
  if (!path) return report_error(path.error().message);
  if (const Status done = change(arguments, *path); !done) return report_error(done.error().message);
  return 0;
}

}  // namespace kernsweep
