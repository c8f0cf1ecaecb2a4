// What a host gets that has no Kernsweep yet: one .tar.gz with one folder that runs from anywhere.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SshPackage {
  std::string path;
  std::string hash;  // SHA-256 of the file, 64 hexadecimal digits: the host checks it with sha256sum
};

// `given`: a package that CPack made, or one like it. Empty: this installation is packed into `folder`,
// by tar; the same installation gives the same bytes, so hosts that have it are left alone. Errors: no such
// file, one that is no package; this program is in a build tree, which runs nowhere else (the message says
// how to make a package); tar or sha256sum failed.
Result<SshPackage> package_for_hosts(const std::string& given, const std::string& folder);

}  // namespace kernsweep
