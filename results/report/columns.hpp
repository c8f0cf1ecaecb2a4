// Writes rows as binary columns, which a program can read without parsing each value. All rows are held in
// memory: at most 9 bytes for each value, and each different text once.
//
// The output begins with one line of JSON, padded with blanks so that it ends at a multiple of 64 bytes:
//   {"columns_version": 1, "rows": N, "bytes": B, "columns": [{"name", "kind", "at", ...}]}
// Then B bytes. `at` is where the part of a column begins, counted from the end of the line, a multiple of
// 8. Numbers are little-endian. The kinds:
//   integer  N int64. "nulls": true: N bytes follow, 1 for NULL.
//   real     N float64; NaN: NULL (SQLite stores no NaN).
//   codes    N integers of "width" bytes (1, 2 or 4, with sign), indices into the list "values" of JSON
//            values; -1: NULL. Texts, and columns whose values are of several kinds.
//   blob     N int64, the size of each value in bytes, -1: NULL; then the bytes of all of them.
// A column of integers and reals whose integers are all exact as float64 is real. A column with only NULL
// is of the kind codes, without values.
#pragma once

#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// Writes the rows of one statement that only reads. Errors: those of Reader::query; `explain`; two columns
// with one name; those of the sink.
Status export_columns(Reader& reader, const std::string& sql, const Sink& sink);

}  // namespace kernsweep
