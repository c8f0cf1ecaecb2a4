// Rows out of the database, as streams: memory does not grow with the number of rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "results/read/reader.hpp"

namespace kernsweep {

// csv: RFC 4180 with a header line; NULL is an empty field, empty text is "".
// jsonl: one object per line; NULL is null, numbers are numbers; `params` is an object.
enum class ExportFormat : std::uint8_t { csv = 1, jsonl };

// Takes the next piece of the output; a failure (the disk is full, the pipe is closed) ends the export with
// it.
using Sink = std::function<Status(std::string_view)>;

// All rows of a sweep's view; of `results` (all sweeps) when `all_sweeps`.
struct ExportQuestion {
  std::string sweep;  // as Reader::find_sweep takes it
  bool all_sweeps = false;
  ExportFormat format = ExportFormat::csv;
};
Status export_rows(Reader& reader, const ExportQuestion& question, const Sink& sink);
// The rows of one statement that only reads.
Status export_query(Reader& reader, const std::string& sql, ExportFormat format, const Sink& sink);

void append_csv(const Value& value, std::string& out);

}  // namespace kernsweep
