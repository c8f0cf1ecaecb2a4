// The commands `keys list`, `add`, `revoke` and `rotate`: keys that allow to connect to a coordinator.
#include <cstdio>
#include <filesystem>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/json.hpp"
#include "cli/show/output.hpp"
#include "shared/base/try.hpp"
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
    std::printf("its previous key is accepted until %s\n", time_text(keys.former->until).c_str());
  std::printf("\n%-20s %-7s %-21s %-30s %s\n", "name", "role", "created", "state", "public key");
  for (const KnownKey& key : keys.keys) {
    const std::string state =
        state_of(key, now) + (key.revoked ? " " + time_text(*key.revoked) : std::string());
    std::printf("%-20s %-7s %-21s %-30s %s\n", key.name.c_str(), text_of(key.role),
                time_text(key.created).c_str(), state.c_str(), z85_of(key.public_key).c_str());
  }
}

Status write_key(const std::string& path, const KeyFile& keys, const Result<JoinFile>& made) {
  KS_RETURN_IF_ERROR(made);
  if (made->endpoints.empty()) {
    return failure(path + " names no address yet; start the coordinator once, so that it writes its own");
  }
  // The key file is written first, so that the coordinator accepts the key before it is used.
  KS_RETURN_IF_ERROR(write_key_file(path, keys));
  const std::string join = join_path_of(path, made->name);
  KS_RETURN_IF_ERROR(write_join_file(join, *made));
  std::printf("wrote %s: copy it to where it is needed, and keep it secret\n", join.c_str());
  return Done{};
}

// Base of these commands: reads or changes the key file under a lock against other commands.
class KeysCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("--keys", key_file_, "Key file of the coordinator (default: the one in this folder)");
  }

  int run(const Invocation&) override {
    const auto path = key_file_.empty() ? key_file_here() : Result<std::string>(key_file_);
    if (!path) return report_error(path.error().message);
    const FolderLock lock(*path);
    auto keys = read_key_file(*path);
    if (!keys) return report_error(keys.error().message);
    const Status done = work(*path, *keys, unix_seconds_now());
    return done ? 0 : report_error(done.error().message);
  }

 private:
  virtual Status work(const std::string& path, KeyFile& keys, UnixSeconds now) = 0;

  std::string key_file_;
};

class KeysListCommand : public KeysCommand {
 public:
  void declare(Options& to) override {
    KeysCommand::declare(to);
    add_json(to, json_);
  }

 private:
  Status work(const std::string&, KeyFile& keys, UnixSeconds now) override {
    if (json_) {
      std::printf("%s\n", keys_json(keys, now).c_str());
    } else {
      print_list(keys, now);
    }
    return Done{};
  }

  bool json_ = false;
};

class KeysAddCommand : public KeysCommand {
 public:
  void declare(Options& to) override {
    KeysCommand::declare(to);
    to.option("name", name_, "Name of the key").required();
    to.option("--role", role_, "worker (default) or client").one_of({"worker", "client"});
  }

 private:
  Status work(const std::string& path, KeyFile& keys, UnixSeconds now) override {
    return write_key(path, keys,
                     add_key(keys, name_, role_from_text(role_).value_or(KeyRole::worker), now));
  }

  std::string name_, role_ = "worker";
};

class KeysRevokeCommand : public KeysCommand {
 public:
  void declare(Options& to) override {
    KeysCommand::declare(to);
    to.option("name", name_, "Name of the key").required();
  }

 private:
  Status work(const std::string& path, KeyFile& keys, UnixSeconds now) override {
    KS_RETURN_IF_ERROR(revoke_key(keys, name_, now));
    KS_RETURN_IF_ERROR(write_key_file(path, keys));
    std::printf("revoked: %s\n", name_.c_str());
    return Done{};
  }

  std::string name_;
};

class KeysRotateCommand : public KeysCommand {
 public:
  void declare(Options& to) override {
    KeysCommand::declare(to);
    to.option("name", name_, "Name of the key (default: the coordinator's own)");
    to.option("--overlap", overlap_, "How long the previous one stays valid (default: 1h; 0: not)");
  }

 private:
  Status work(const std::string& path, KeyFile& keys, UnixSeconds now) override;

  std::string name_, overlap_ = "1h";
};

Status KeysRotateCommand::work(const std::string& path, KeyFile& keys, UnixSeconds now) {
  const auto overlap = duration_of(overlap_);
  if (!overlap) return failure("--overlap " + overlap.error().message);
  const UnixSeconds until = now + std::chrono::duration_cast<std::chrono::seconds>(*overlap).count();
  if (!name_.empty()) return write_key(path, keys, rotate_key(keys, name_, now, until));
  rotate_coordinator(keys, now, until);
  KS_RETURN_IF_ERROR(write_key_file(path, keys));
  std::printf("the coordinator has a new key: %s\n", z85_of(public_of(keys.secret)).c_str());
  if (until > now) std::printf("the previous one is accepted until %s\n", time_text(until).c_str());
  KS_ASSIGN_OR_RETURN(const auto renewed, renew_join_files(path, keys, now));
  for (const std::string& each : renewed)
    std::printf("renewed %s: copy it to the hosts that use it\n", each.c_str());
  return Done{};
}

constexpr const char* kKeysFooter =
    "Each changes NAME.keys, which a running coordinator notices within a second. Without --keys it is "
    "the\n"
    "one *.keys file of this folder. docs/guides/keys.md has the recipes.\n"
    "Exit status: 0 done, 2 bad input or usage.";

}  // namespace

CommandEntry keys_command() {
  return {"keys", "Who may connect to a coordinator", kKeysFooter, nullptr};
}
CommandEntry keys_list_command() {
  return {"keys list", "Show the keys: name, role, since when, until when", kKeysFooter,
          std::make_unique<KeysListCommand>()};
}
CommandEntry keys_add_command() {
  return {"keys add", "Make a key, and its join file", kKeysFooter, std::make_unique<KeysAddCommand>()};
}
CommandEntry keys_revoke_command() {
  return {"keys revoke", "Refuse a key from now on", kKeysFooter, std::make_unique<KeysRevokeCommand>()};
}
CommandEntry keys_rotate_command() {
  return {"keys rotate", "Exchange a key, or without NAME the coordinator's own", kKeysFooter,
          std::make_unique<KeysRotateCommand>()};
}

}  // namespace kernsweep
