// Compares the outputs of settings that compute the same, if there is no reference.
//
// Points of one problem, in one cache state and on one kind of host, are compared by the samples that their
// slots kept (shared/base/output_sample.hpp). A setting takes part if at least two of its runs, in one
// process or in several, are known and all had the same output: an output that varies on its own shows
// nothing about settings. Numbers that are equal within each process but differ between processes depend on
// chance or on what ran before: such a result is graded B at best, too. Settings with the same output form
// a group. A result is graded B at best if its group is not more than half of the settings. If no two
// settings have the same text, the text is assumed to depend on the setting, and is not graded.
//
// This is decided when an answer is computed, because a stored grade cannot consider settings that were
// measured later.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/read/reader.hpp"
#include "results/read/show.hpp"
#include "shared/base/output_sample.hpp"

namespace kernsweep {

struct OutputRemark {
  bool warns = false;  // the result is graded B at best
  std::string in_row;  // a few words for a table; empty: nothing to say about a winner
  std::string reason;  // the remark for display; empty: none
};

// The known facts about the output of one setting.
struct SettingOutput {
  OutputSample sample;        // of one of its processes; `runs` counts those of all
  bool varies = false;        // between its processes
  bool repeats = true;        // in at least two runs of each process
  std::vector<Value> values;  // of the settings, in the order of `names`
};

// One remark for each of the settings of one problem. Pure function.
std::vector<OutputRemark> compare_outputs(std::span<const SettingOutput> settings,
                                          std::span<const std::string> names);

// Whether the database has any sample. The table `text` has each text once, so it is small compared with
// the jobs. Error: the database cannot be read.
Result<bool> has_output_samples(Reader& reader);

// The remarks about the results of one sweep.
class ComparedOutputs {
 public:
  // Reads the sweep once, if the database has samples of outputs. Error: the database cannot be read.
  static Result<ComparedOutputs> of(Reader& reader, const StoredSweep& sweep);
  // Null: nothing is known about the output of this result.
  const OutputRemark* about(std::uint64_t result) const;
  bool warns_of(std::uint64_t result) const {
    const OutputRemark* const remark = about(result);
    return remark && remark->warns;
  }
  // One result of each setting whose remark warns.
  std::vector<OtherOutput> warned() const;

 private:
  std::vector<OutputRemark> remarks_;
  std::unordered_map<std::uint64_t, std::uint32_t> remark_of_;  // by result
};

// Fills in the members of BestAnswer about outputs: the column `outputs` before `result`, if a row has a
// remark; other_outputs; and BestSetMember::other_output.
void note_outputs(BestAnswer& answer, const ComparedOutputs& compared);

// Adds the remark about its output to a shown result: as a reason for the grade B, or in a section
// "outputs". Error: the database cannot be read.
Status add_outputs(Shown& shown, Reader& reader);

}  // namespace kernsweep
