// Writes an answer to a file completely or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "results/report/export.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Calls `write` with a sink for the content, which is written to a new file in the folder of `path`,
// synced, and then renamed to `path`. An existing file stays until then, and its permissions are kept; if
// `path` is a link, its target is replaced. A path that is not a regular file (a pipe, /dev/stdout) is
// written directly. Errors: a folder; a file that cannot be written or replaced, with the reason of the
// system; the error of `write`. After an error the old file is unchanged, and no new one is left.
Status write_whole_file(const std::string& path, const std::function<Status(const Sink&)>& write);
Status write_whole_file(const std::string& path, std::string_view text);

}  // namespace kernsweep
