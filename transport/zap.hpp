// Authenticates new connections (ZeroMQ RFC 27): the handler that libzmq calls to check whether a key may
// connect.
//
// One thread per process, started with the first socket that has keys; it never ends. Each socket with keys
// has its own domain, a random name, by which the handler finds the socket's table. Sockets without keys
// have no domain, and libzmq does not call the handler for them.
//
// A rejected key gets status 300: libzmq then closes the connection, without the answer of 400.
#pragma once

#include <memory>
#include <string>

#include "shared/base/result.hpp"
#include "transport/allowed_keys.hpp"
#include "transport/refusals.hpp"

namespace kernsweep {

// Registers a domain with the handler as long as the object lives.
class ZapDomain {
 public:
  // Returns an error if the handler cannot be started. Without it libzmq would accept every key.
  static Result<std::unique_ptr<ZapDomain>> open(std::shared_ptr<const AllowedKeys> allowed,
                                                 std::shared_ptr<Refusals> refusals);
  ~ZapDomain();
  ZapDomain(const ZapDomain&) = delete;
  ZapDomain& operator=(const ZapDomain&) = delete;

  const std::string& name() const { return name_; }

 private:
  explicit ZapDomain(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

}  // namespace kernsweep
