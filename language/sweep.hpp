// A sweep file, read and checked, before it is expanded into points.
//
// Reading uses the language, not the kernels: whether a family, variant or parameter exists is checked
// later against the catalogue of the hosts (language/check/catalogue_check.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression/expression.hpp"
#include "shared/base/result.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/value.hpp"
#include "shared/text/text_file.hpp"

namespace kernsweep {

// A place in a sweep file; lines and columns count from 1. Line 0: given on the command line.
struct Place {
  int line = 0;
  int column = 0;
};

enum class KernelKind : std::uint8_t { family, command, python, source };

// A column of a point: an axis, a field of a record axis, a key that only `include` sets, or a derived
// value.
struct Column {
  std::string name;  // "threads", "m", "env.OPENBLAS_CORETYPE", "flops"
  // program: what a `command`, `python` or `source` sweep runs at the point, computed like a derived one
  enum class Origin : std::uint8_t { axis, record, derived, included, program } origin = Origin::axis;
  Place place;
  // For an axis of a command: a database stores its text, because the numbers do not determine it (3.10,
  // 007).
  bool as_text = false;
  bool as_floats = false;  // these texts are floats; else whole numbers
  bool truths = false;     // of an axis: true and false

  // The form in which a database stores `value`; SQLite stores a boolean as 1 or 0.
  Value stored(const Value& value) const;
  // Computed from the other columns, so that points never differ in it alone.
  bool is_computed() const { return origin == Origin::derived || origin == Origin::program; }
};

// Whether the column requests something from a job's host: `threads`, `copies`, `device`, `gpus`.
bool is_resource(std::string_view column);

inline constexpr std::size_t kDependsMax = 1000;  // files that a sweep may depend on

// Whether answers compare outputs that no reference was compared with (results/answer/outputs/outputs.hpp).
enum class OutputsRule : std::uint8_t { compare = 1, ignore };

// The time that a sweep may spend on a point if it does not set the number of processes.
inline constexpr Duration kPointTime = std::chrono::seconds(15);
// The further processes of a sweep that decides by its results, without a budget, may take as long as the
// first ones, and at least this long.
inline constexpr double kFurtherLeast_s = 30;

// How many processes of a point the file requests; 0: not set.
struct ProcessBounds {
  std::uint32_t least = 0, most = 0;
};

// The budget, for all points together, of processes beyond those that each point has.
struct ProcessBudget {
  Duration time{};         // 0: as long as the first ones, at least kFurtherLeast_s, unless `jobs` is given
  std::uint64_t jobs = 0;  // 0: no limit
};

struct Sweep {
  std::string name;
  KernelKind kind = KernelKind::family;
  std::string kernel;  // name of the family, or "command", "python" or "source"
  // The column with what a `command`, `python` or `source` sweep runs at a point. It has the name of the
  // kernel, but "command.line" if `command` has the names of several. Empty: another sweep.
  std::string program_column;
  std::string program;  // the command, function or call of such a sweep, for display; else empty
  Place kernel_place;
  std::vector<std::string> depends;  // files that jobs read, as written; paths on the worker's host
  std::uint64_t seed = 1;
  Hosts hosts = Hosts::any;
  Order order = Order::shuffle;
  std::uint64_t order_seed = 0;  // of `shuffle`; 0: drawn when the sweep starts
  ProcessBounds process_bounds;
  std::uint32_t processes = 0;  // of each point at most; 0 until make_plan has counted the points
  // The processes of each point. If fewer than `processes`: points whose comparisons are not decided get
  // more, up to that number.
  std::uint32_t processes_least = 0;
  ProcessBudget budget;
  // After a point has taken kPointTime, no further block starts, from the fourth block on.
  bool ends_by_point_time = false;
  std::vector<Cache> caches = {Cache::hot};
  std::map<std::string, std::string> tags;
  std::vector<Column> columns;  // axes (of records: fields), included, derived, program
  // The columns that the file declares to be the problem; nullopt: as the kernel declares. See
  // language/check/problem.hpp.
  std::optional<std::vector<std::string>> problem;
  std::string rows_by;  // `metrics.rows_by`, a column that is part of the problem by default; empty: none
  OutputsRule outputs = OutputsRule::compare;
  // A program gets a spelling that earlier versions did not use (1e+05, 3.1 for 3.10).
  bool respelled = false;
  std::vector<Expression> requirements;  // `requires`: over columns, host.* and gpu.*
  Rules rules;                           // without overrides
  bool quick = false;
  std::string file;              // path as given, for messages
  std::string text;              // the file as read, for the database
  std::vector<TextFile> tables;  // each table that was read, once
};

// Whether some points may have more processes than others.
inline bool decides(const Sweep& sweep) {
  return sweep.processes_least < sweep.processes;
}

// The name in a sweep file.
std::string_view name_of(Order order);

// "gemm.yaml", or "on the command line": the beginning of an error about the whole sweep.
std::string file_text(const Sweep& sweep);
// "gemm.yaml:9:3", or "on the command line": the beginning of an error about a part of the sweep.
std::string place_text(const Sweep& sweep, const Place& place);

}  // namespace kernsweep
