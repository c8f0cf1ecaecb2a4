// The coordinator's keys while it runs: read from NAME.keys or made, written to join files, and read again
// when `kernsweep keys` changes the file. The files are described in docs/reference/security.md, their use
// in docs/guides/keys.md.
//
// The secret key may be replaced while workers are connected. During the overlap the configured addresses
// still use the former key, and one additional address for each, on a port that the system chooses, uses
// the new one; afterwards the configured addresses use the new key. libzmq closes the connections of an
// address when it is opened again; the peers then reconnect with the join file as it is then.
//
// Used by the thread of the socket only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/keys/key_file.hpp"
#include "transport/allowed_keys.hpp"
#include "transport/socket.hpp"

namespace kernsweep::coordinator {

class KeyRing {
 public:
  // `advertised`: addresses for the join files instead of its own; a port "*" is replaced by the real one.
  // Reads the key file of `join`, if there is one; writes nothing. Error: the files cannot be used, do not
  // belong together, or could not be written.
  static Result<std::unique_ptr<KeyRing>> open(const std::string& join,
                                               std::vector<std::string> advertised);

  // Opens the addresses. Error: one cannot be used; nothing was written.
  Result<Socket> listen(const std::vector<std::string>& endpoints);
  // Writes the key file and the join files, NAME.join last. To be called only when nothing else can fail,
  // above all the lock of the database: otherwise the files may belong to another running coordinator.
  Status publish();

  // Checks once per second whether the file has changed or one of its times has passed, and applies it.
  // True: sessions whose key is no longer accepted must be ended.
  bool look(Instant now, Socket& socket);
  bool accepts(const std::string& name) const { return names_.contains(name); }

 private:
  struct Address {
    std::string configured, bound;  // `bound`: in use; empty while it cannot be opened
    CurveKey secret{};
    bool extra = false;  // additional address for the new secret key, during an overlap
  };
  KeyRing(std::string join, std::vector<std::string> advertised);
  Status read_files();
  void accept_keys();
  void read_again();
  bool settle(Socket& socket);
  bool drop_addresses(Socket& socket, bool overlap);
  bool open_addresses(Socket& socket);
  std::vector<std::string> published_endpoints() const;
  Status tell(const std::string& path, const std::string& name, KeyRole role);

  const std::string join_;
  const std::string path_;
  const std::vector<std::string> advertised_;
  KeyFile keys_;
  std::shared_ptr<AllowedKeys> allowed_ = std::make_shared<AllowedKeys>();
  std::unordered_set<std::string> names_;  // names of the accepted keys
  std::vector<Address> addresses_;
  std::string seen_;  // state of the key file when it was last read
  std::string complaint_;
  Instant looked_{};
};

}  // namespace kernsweep::coordinator
