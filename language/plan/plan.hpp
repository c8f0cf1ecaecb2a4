// All data of an Expansion, built once and constant.
//
//   read_document (text -> parts)  ->  make_plan (parts -> plan)  ->  Expansion (reads the plan)
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "language/file/document.hpp"
#include "language/space/condition.hpp"
#include "language/space/product.hpp"

namespace kernsweep {

struct DerivedColumn {
  std::uint32_t column = 0;
  Condition formula;
  bool may_fail = true;  // at some point; false if all values were tried without a failure

  // The column that it repeats, with its spelling; nothing if the formula computes.
  std::optional<std::uint32_t> repeated() const {
    return formula.expression.is_name() ? std::optional(formula.columns.front()) : std::nullopt;
  }
};

// One entry of `exclude`: matches a point if every column has its value and its axis is active.
struct Exclusions {
  struct Match {
    std::uint32_t column = 0;
    Value value;
    std::size_t wheel = 0;  // the wheel of the column
  };
  std::vector<Match> matches;
};

struct IncludedPoint {
  std::vector<Value> values;  // one per column; derived ones null
  std::string where;
};

// One step that may reject a point; the steps are applied in order.
struct FilterRule {
  enum class Kind : std::uint8_t { derived, exclude, constraint, override_, only, sample };
  Kind kind = Kind::constraint;
  std::size_t which = 0;  // index among the rules of its kind
};

struct OverridePlan {
  Condition when;
  std::vector<Assignment> set;
};

// A claim whose axes are resolved to columns; `cache` and other places of a measurement are not columns.
struct ClaimPlan {
  struct Choice {
    std::uint32_t column = 0;
    bool as_text = false;              // Column::as_text
    std::vector<WrittenValue> values;  // one of them must match
  };
  using Side = std::vector<Choice>;
  Claim claim;
  std::optional<Condition> where;
  Side side, than;

  ClaimSides sides_of(const std::vector<Value>& values) const;
};

// A command or a path with placeholders resolved to columns.
struct ReferenceText {
  CommandTemplate text;
  std::vector<std::uint32_t> columns;  // of text.names()
};

struct Plan {
  Sweep sweep;
  std::vector<Axis> axes;
  std::vector<std::vector<std::uint32_t>> columns_of_axis;
  std::vector<std::string> notes;

  std::optional<ProgramColumn> program;       // of a `command`, `python` or `source` sweep
  std::vector<ProgramColumn> beside_command;  // of a `command` sweep: `setup` and its like
  std::vector<OperandColumn> operands;        // of a `python` or `source` sweep
  std::optional<std::uint32_t> build_column;  // kBuildColumn, which is one of `beside_command`
  std::optional<std::uint32_t> built_column;  // kBuiltColumn; of python and source

  Product product;
  std::vector<IncludedPoint> includes;
  std::vector<DerivedColumn> derived;           // each after those that it reads
  std::vector<std::uint32_t> included_columns;  // set by includes only

  std::vector<Exclusions> excludes;
  std::vector<Condition> constraints;
  std::vector<OverridePlan> overrides;
  std::vector<ClaimPlan> claims;
  std::vector<Condition> only;  // empty or one
  // For a replay: the position of the only point, which is then accessed as position 0.
  std::optional<std::uint64_t> one_point;
  std::uint64_t sample_below = UINT64_MAX;  // a point is in the sample if its hash is below
  std::vector<FilterRule> rules;            // parallel to filters
  std::vector<Filter> filters;

  struct Requirement {
    Expression expression;
    // The column of each name, or SIZE_MAX for a fact of the host.
    std::vector<std::size_t> columns;
  };
  std::vector<Requirement> requirements;

  std::vector<SweepReference> references;
  std::map<std::pair<ReferenceKind, std::string>, ReferenceText> reference_texts;
  std::map<std::string, Value> reference_values;  // of settings, by column and the value as written

  std::vector<std::uint32_t> key_columns;  // the columns that a job's key hashes, sorted by name
  std::vector<std::string> key_names;      // "threads=" for each of them
  std::string key_prefix;

  std::uint64_t raw_points() const { return one_point ? 1 : product.size() + includes.size(); }

  // Converts the values of a setting, as written, to the kinds of their columns.
  void resolve(ReferenceRule& rule) const;
  std::vector<Value> values_of_reference(const ReferenceRule& rule, std::vector<Value> values) const;
  ReferenceAt reference_at(const ReferenceRule& rule, const std::vector<Value>& values) const;

  // The columns of the point at `position`, derived ones included.
  void point_at(std::uint64_t position, std::vector<Value>& values) const;
  void compute_derived(std::vector<Value>& values) const;
  // Fills in the columns of what is run, after all others.
  void fill_program(std::vector<Value>& values) const;
  // The reason if the rule rejects the point; an empty reason means that of the filter. Nothing if it does
  // not reject.
  std::optional<std::string> rejected_by(const FilterRule& rule, std::uint64_t position,
                                         const std::vector<Value>& values) const;
  bool excluded_by(const Exclusions& entry, const std::vector<Value>& values) const;
};

// On the heap, because the product's wheels point into the plan's axes.
Result<std::shared_ptr<Plan>> make_plan(Document document, const Replacements& replacements);

}  // namespace kernsweep
