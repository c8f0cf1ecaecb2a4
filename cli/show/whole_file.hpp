// Writes an answer to a file that is there whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "results/report/export.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Calls `write` with a sink for the content, which goes to a new file beside `path`, onto the disk, and
// then gets that name. A file that had the name stays until then, and its permissions are kept; where
// `path` is a link, the file that it names is replaced. What is no regular file (a pipe, /dev/stdout) is
// written to as it is. Errors: a folder; a file that cannot be written or replaced, with the reason of the
// system; what `write` returns. After an error what was there is as it was, and nothing new is left.
Status write_whole_file(const std::string& path, const std::function<Status(const Sink&)>& write);
Status write_whole_file(const std::string& path, std::string_view text);

}  // namespace kernsweep
