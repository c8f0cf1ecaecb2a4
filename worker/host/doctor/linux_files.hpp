// Reads small files of /proc and /sys. A missing or unreadable file gives an absent value, not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// The file's first line without blanks around it.
std::optional<std::string> line_in(const std::string& path);
std::vector<std::string> lines_in(const std::string& path);

// A number that is the whole of `text`, or the whole first line of a file.
std::optional<std::int64_t> number_of(std::string_view text);
std::optional<std::int64_t> number_in(const std::string& path);
std::optional<std::uint64_t> positive_in(const std::string& path);

// The value of `key` in the first line that begins with it, without colon and blanks: "MemTotal: 12 kB" ->
// "12 kB".
std::optional<std::string> field_in(const std::vector<std::string>& lines, std::string_view key);

// The word in brackets: "always [madvise] never" -> "madvise"; the whole line if there are no brackets.
std::string chosen_in(const std::string& path);

// "0-3,8" -> {0,1,2,3,8}. Of an invalid list, the part that can be read.
std::vector<std::uint32_t> cpu_list_of(std::string_view text);

// The words of the text, which blanks separate.
std::vector<std::string> words_of(std::string_view text);

// Names in a folder, sorted; empty if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace kernsweep
