// Writes rows of the database as a stream: memory use does not depend on the number of rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "results/read/reader.hpp"

namespace kernsweep {

// csv: RFC 4180 with a header line; NULL is an empty field, empty text is "".
// jsonl: one object per line; NULL is null, numbers are JSON numbers, `params` is an object.
// columns: results/report/columns.hpp, for programs that read millions of rows.
enum class ExportFormat : std::uint8_t { csv = 1, jsonl, columns };

// Receives the next part of the output. If it returns an error (the disk is full, the pipe is closed), the
// export stops and returns that error.
using Sink = std::function<Status(std::string_view)>;

// Which rows: all rows of a sweep's view, or with `all_sweeps` all rows of the view `results`.
struct ExportQuestion {
  std::string sweep;  // in the form of Reader::find_sweep
  bool all_sweeps = false;
  ExportFormat format = ExportFormat::csv;
};
Status export_rows(Reader& reader, const ExportQuestion& question, const Sink& sink);
// Exports the rows of one statement that only reads (Reader::query).
Status export_query(Reader& reader, const std::string& sql, ExportFormat format, const Sink& sink);

void append_csv(const Value& value, std::string& out);

}  // namespace kernsweep
