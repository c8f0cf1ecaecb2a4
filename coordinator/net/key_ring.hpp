// The coordinator's keys while it runs: read from NAME.keys or made, told in join files, and followed when
// `kernsweep keys` changes the file. docs/reference/security.md has the files,
// docs/guides/keys.md the recipes.
//
// The secret may be exchanged while workers are connected. During the overlap the addresses that were asked
// for still speak the former secret, and one more address each, on a port that the system chooses, speaks
// the new one; after it the first ones speak the new. libzmq closes the connections of an address when it
// is opened anew: their owners come back by themselves, with the join file as it is then.
//
// One thread, that of the socket.
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
  // `advertised`: how workers reach it, in place of its own addresses; a port "*" stands for the real one.
  // Reads the key file beside `join`, if there is one; writes nothing. Error: the files cannot be used, do
  // not belong together, or could not be written.
  static Result<std::unique_ptr<KeyRing>> open(const std::string& join,
                                               std::vector<std::string> advertised);

  // Opens the addresses. Error: one cannot be used; nothing was written.
  Result<Socket> listen(const std::vector<std::string>& endpoints);
  // Writes the key file and the join files, NAME.join last. Requires that nothing is left by which this
  // coordinator could be refused, the lock of its database above all: the files may be those of another one
  // that runs.
  Status publish();

  // Once a second: has the file changed, or a time come? Then what it says is done. True: sessions whose
  // key is not accepted any more are to be dismissed.
  bool look(Instant now, Socket& socket);
  bool accepts(const std::string& name) const { return names_.contains(name); }

 private:
  struct Address {
    std::string asked, bound;  // bound: empty while it cannot be had
    CurveKey secret{};
    bool extra = false;  // for the new secret, during an overlap
  };
  KeyRing(std::string join, std::vector<std::string> advertised);
  Status read_files();
  void accept_keys();
  void read_again();
  bool settle(Socket& socket);
  bool drop_addresses(Socket& socket, bool overlap);
  bool open_addresses(Socket& socket);
  std::vector<std::string> told_endpoints() const;
  Status tell(const std::string& path, const std::string& name, KeyRole role);

  const std::string join_;
  const std::string path_;
  const std::vector<std::string> advertised_;
  KeyFile keys_;
  std::shared_ptr<AllowedKeys> allowed_ = std::make_shared<AllowedKeys>();
  std::unordered_set<std::string> names_;  // of accepted keys
  std::vector<Address> addresses_;
  std::string seen_;  // what the file's state was
  std::string complaint_;
  Instant looked_{};
};

}  // namespace kernsweep::coordinator
