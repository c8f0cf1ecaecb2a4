// Notes of ELF objects, in memory or in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

// The content of the first note with this name and type; nothing if there is none, or if `notes` is
// damaged before it. `notes`: one note after another, as a PT_NOTE segment holds them: name size, content
// size, type (4 bytes each), name, content; both end at a multiple of `align` bytes, 4 or 8. The result
// points into `notes`.
// Source: System V ABI, "Note Section"; gABI for an alignment of 8.
std::optional<std::string_view> note_in(std::string_view notes, std::size_t align, std::string_view name,
                                        std::uint32_t type);

// The same for a 64-bit ELF file in this machine's byte order, without loading it. Nothing also if the file
// cannot be read or is not such a file; opening a FIFO does not wait. Reads at most 64 KiB of notes.
std::optional<std::string> note_of_file(const std::string& path, std::string_view name, std::uint32_t type);

}  // namespace kernsweep
