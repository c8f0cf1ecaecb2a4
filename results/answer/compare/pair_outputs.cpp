#include "results/answer/compare/pair_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "results/answer/outputs/outputs.hpp"
#include "results/text/units.hpp"
#include "shared/base/output_sample.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

// The samples of one database, each read once. Empty for databases of versions without samples.
class Samples {
 public:
  explicit Samples(Reader& reader) : reader_(reader) {}

  // Null: the output of this result is not known, varies on its own, or was computed only once.
  Result<const OutputSample*> of(std::uint64_t result) {
    const auto [at, added] = known_.try_emplace(result);
    if (added) {
      if (!row_) {
        KS_ASSIGN_OR_RETURN(row_,
                            reader_.connection().prepare("select t.content from attempt_row r join text t "
                                                         "on t.id = r.output_sample where r.result = ?"));
      }
      row_->bind(1, static_cast<std::int64_t>(result));
      const sqlite::Step step = row_->step();
      if (step == sqlite::Step::failed) return failure(row_->why());
      if (step == sqlite::Step::row) at->second = output_sample_of(row_->text(0));
      row_->reset();
    }
    return at->second && at->second->runs > 1 ? &*at->second : nullptr;
  }

 private:
  Reader& reader_;
  std::optional<sqlite::Statement> row_;
  std::unordered_map<std::uint64_t, std::optional<OutputSample>> known_;
};

using ResultPairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// Also true if no output was kept; finding that out takes one query.
Result<bool> may_differ(Reader& reader, const StoredSweep& sweep, std::span<const std::string> axes) {
  if (sweep.record.outputs_ignored) return true;
  const auto any = has_output_samples(reader);
  if (!any || !*any) return any ? Result<bool>(true) : any;
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep.id));
  return std::ranges::any_of(columns, [&](const SweepColumn& column) {
    return column.problem && std::ranges::find(axes, column.name) != axes.end();
  });
}

Result<PairOutputs> compare_samples(Reader& a, Reader& b, std::span<const ResultPairs::value_type> pairs) {
  PairOutputs out;
  Samples of_a(a), of_b(b);
  bool only_texts = true;
  for (const auto& pair : pairs) {
    KS_ASSIGN_OR_RETURN(const auto first, of_a.of(pair.first));
    KS_ASSIGN_OR_RETURN(const auto second, of_b.of(pair.second));
    if (!first || !second) continue;
    ++out.compared;
    only_texts = only_texts && first->type == "text" && second->type == "text";
    if (!agree(*first, *second)) out.differing.push_back(pair);
  }
  return only_texts && out.differing.size() == out.compared ? PairOutputs{} : out;
}

}  // namespace

Result<PairOutputs> compare_pair_outputs(Reader& reader, const StoredSweep& sweep,
                                         std::span<const std::string> axes,
                                         std::span<const std::pair<std::uint64_t, std::uint64_t>> pairs) {
  KS_ASSIGN_OR_RETURN(const bool differ, may_differ(reader, sweep, axes));
  return differ ? PairOutputs{} : compare_samples(reader, reader, pairs);
}

Result<CompareAnswer> with_outputs(CompareAnswer answer, SweepOfSide a, SweepOfSide b,
                                   const std::optional<std::string>& axis) {
  const std::vector<std::string> axes = axis ? std::vector{*axis} : std::vector<std::string>{};
  for (const SweepOfSide& side : {a, b}) {
    KS_ASSIGN_OR_RETURN(const auto differ, may_differ(side.reader, side.sweep, axes));
    if (differ) return answer;
  }
  ResultPairs pairs;
  for (const ComparedPair& row : answer.rows) pairs.emplace_back(row.a_result, row.b_result);
  KS_ASSIGN_OR_RETURN(const auto outputs, compare_samples(a.reader, b.reader, pairs));
  answer.other_outputs = outputs.differing.size();
  if (answer.other_outputs > 0) answer.notes.push_back(text_of(outputs));
  return answer;
}

std::string text_of(const PairOutputs& outputs) {
  if (outputs.differing.empty()) return "";
  const auto [a, b] = outputs.differing.front();
  return fmt::format(
      "the outputs differ in {} of {}{} results {} and {}: one of them may be wrong, and verify.reference "
      "would show which",
      text_of_count(outputs.differing.size()), counted(outputs.compared, "pair", "pairs"),
      outputs.differing.size() > 1 ? ", such as" : ",", a, b);
}

}  // namespace kernsweep
