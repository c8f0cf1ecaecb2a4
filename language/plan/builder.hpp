// Makes the plan of a sweep from the parts of its document; see plan.hpp. Used by make_plan.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "language/plan/plan.hpp"

namespace kernsweep {

class PlanBuilder {
 public:
  PlanBuilder(Document document, const Replacements& replacements);
  // Applies the rules in the order of docs/reference/sweep-language.md.
  Result<std::shared_ptr<Plan>> build();

 private:
  Status add_columns();
  Status add_column(Column column, const std::string& where);
  Status add_product();
  Result<std::vector<Wheel>> make_wheels();
  Result<Wheel> make_zip_wheel(const ZipGroup& group, std::vector<std::size_t>& group_of) const;
  Status add_derived();
  Status add_program();
  Status add_built_path();
  Status check_arguments(const Node& call) const;
  Status add_beside_command();
  Status add_operands();
  // `place`: a placeholder that is kept for the measuring host; empty: none.
  Result<std::vector<std::uint32_t>> placeholders_of(const Node& node,
                                                     const std::vector<std::string>& names,
                                                     std::string_view place = "") const;
  Status check_compiler_variables() const;
  Result<std::vector<std::uint32_t>> placeholders_of(const Node& node, const ProgramText& text,
                                                     std::string_view place) const;
  bool has_build() const;
  Status add_problem();
  Status add_references();
  Status check_tolerances();
  Status add_reference_text(const Node& node, const ReferenceRule& rule);
  Status add_reference_setting(const Node& node, SweepReference& reference);
  Status add_devices();
  Status check_device_axes() const;
  Status check_included_devices();
  Status add_excludes();
  Status add_constraints();
  Status add_includes();
  // Decides which columns a database stores as text; needs all points.
  Status settle_words();
  void note_lost_words();
  // `expression` with quotes around the texts of columns that are typed without them, as answers print
  // them: variant == blas, v == 3.10 of ['3.9', '3.10'].
  Result<std::string> with_texts_quoted(std::string_view expression) const;
  // The literal for the text with other characters than those of words, or the number with leading zeros
  // (unless it is `ordered`), that begins `rest`, and is a value of the column; shortens `rest`. Empty:
  // there is none.
  std::string take_listed_text(std::uint32_t column, bool ordered, std::string_view& rest) const;
  // The value of the column that `written` means if none has this spelling. Nothing: there is none.
  Result<std::optional<Value>> listed_value(std::uint32_t column, const WrittenValue& written) const;
  bool lists(std::uint32_t column, const Value& wanted) const;
  // The column that a derived one repeats, else itself.
  std::uint32_t source_of(std::uint32_t column) const;
  // `node` in the kind of the column, with its spelling if a program gets it.
  std::optional<Value> value_of_column(const Node& node, std::uint32_t column) const;
  Status add_include(const Node& entry);
  Status fill_from_record(const Axis& axis, std::size_t axis_index, const Node& entry,
                          std::vector<Value>& values) const;
  Status fill_axis(std::size_t axis_index, const Node& entry, std::vector<Value>& values) const;
  Status check_not_in_product(const IncludedPoint& point) const;
  Status add_overrides();
  Status add_requirements();
  Status add_claims();
  Status add_claim_side(const Node& node, const std::vector<ClaimChoice>& choices, bool bits,
                        ClaimPlan::Side& side);
  Result<std::optional<std::uint32_t>> claim_column(const Node& axis, bool bits) const;
  // Replaces `written` by the value of the axis that it means.
  Status find_claim_value(const Node& node, const std::string& axis, std::uint32_t column,
                          WrittenValue& written);
  Status check_claim_cache(const Node& node, const WrittenValue& written);
  Status add_only_and_sample();
  tl::unexpected<Error> with_hint_to_quote(std::string message) const;
  Status check_whole_commands();
  Status note_unused_axes();
  Status add_rules();
  void add_rule(FilterRule rule, std::string text, std::string why, const Node* node);
  bool has_few_points() const;
  // Sets what the file leaves open: the number of processes, and the duration of a program in a small
  // sweep.
  Status choose_blocks();
  Status choose_processes(bool few);
  Status check_size() const;
  void add_key();

  // Resolves names to columns; `axes_only`: an error for columns that are not of an axis.
  Result<Condition> resolve_here(const Formula& formula, bool axes_only) const;
  std::optional<std::uint32_t> column_named(const std::string& name) const;
  std::vector<std::string> column_names(bool axes_only) const;
  bool is_axis_column(std::uint32_t column) const;
  // What to use instead of `name` if it is a record axis or a zip group; else empty.
  std::string hint_for(const std::string& name) const;

  Document document_;
  const Replacements& replacements_;
  std::shared_ptr<Plan> plan_;
  std::map<std::string, std::uint32_t> column_of_;
  std::map<std::string, std::string> column_by_lower_case_;
  std::vector<ValueKind> kind_of_column_;
  std::vector<std::size_t> wheel_of_;  // by column; SIZE_MAX: derived or included
  std::vector<std::size_t> wheel_of_axis_;
  std::map<std::string, std::string> included_by_key_;  // canonical values -> place
};

}  // namespace kernsweep
