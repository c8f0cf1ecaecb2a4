// One side of a comparison as given on the command line, and the rows of the database that it selects.
//
//   FILE.db               the newest sweep of that file (or the one that --sweep names)
//   gemm, gemm@3, 3       a sweep, as Reader::find_sweep takes it
//   tag:KEY=VALUE         the newest sweep with that tag
//   commit:PREFIX         the newest sweep whose tag `commit` begins so; without such a tag the newest that
//                         was measured by software of that commit, and of it those rows
//   host:NAME             what that host measured
//   AXIS=VALUE            the points where the axis has that value, also when it is a text that looks like
//                         a number, true or null; `cache` and `variant` are axes here
//   FILE.db:<any above>   the same, in that file
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

struct Side {
  enum class Kind : std::uint8_t { sweep = 1, tag, commit, host, value };
  Kind kind = Kind::sweep;
  std::string text;   // as given
  std::string file;   // empty: none was named
  std::string name;   // of the sweep (empty: the newest), tag, host or axis
  std::string value;  // of the tag or the axis; the commit's first digits
};

// `is_file`: whether a database may be there. Errors: a form that is none, a file that is not there.
Result<Side> parse_side(const std::string& text, const std::function<bool(const std::string&)>& is_file);

// Where a side is read.
struct FoundSide {
  StoredSweep sweep;
  std::vector<SweepColumn> columns;
  std::string condition;  // SQL over `outcome`; empty: the whole sweep
  std::string narrowed;   // to what `condition` narrows it, for people; empty: the whole sweep
};
// `sweep`: for sides that do not name one. Errors: no such sweep, tag, host, column or value; the message
// says what there is.
Result<FoundSide> find_side(Reader& reader, const Side& side, const std::string& sweep);

// Why the sides compute different things; empty: they do not. Commands of one program may differ in their
// words.
std::string other_kernel(const FoundSide& a, const FoundSide& b);

}  // namespace kernsweep
