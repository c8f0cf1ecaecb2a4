// The ceiling of a committed row: what SQLite reaches when nothing else is done with it.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep::gates {

// Rows per second into one table of 21 columns (integers, reals, short texts, a 16-byte key), 1000 rows
// per transaction, write-ahead log, `synchronous = full`. The file is new, and stays.
double bare_rows_per_s(const std::string& file, std::uint64_t rows);

}  // namespace kernsweep::gates
