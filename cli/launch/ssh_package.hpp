// The package for hosts without Kernsweep: a .tar.gz with one folder, which can be at any path.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SshPackage {
  std::string path;
  std::string hash;  // SHA-256 of the file, 64 hexadecimal digits: the host checks it with sha256sum
};

// `given`: path of a package made by CPack, or of one with the same layout. If it is empty, tar packs this
// installation into `folder`; the same installation gives the same bytes, so hosts that have the package
// need no copy. Errors: there is no such file, or it is not a package; this program is in a build tree, and
// would run on no other host (the message has the command that makes a package); tar or sha256sum failed.
Result<SshPackage> package_for_hosts(const std::string& given, const std::string& folder);

}  // namespace kernsweep
