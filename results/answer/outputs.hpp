// Outputs of settings that compute the same, compared with each other where nothing says what is right.
//
// Compared are the points of one problem, in one state of the caches and on one kind of host, by the
// samples that their slots kept (shared/base/output_sample.hpp). A setting takes part if at least two of
// its runs, in one process or in several, are known and all had the same output: an output that varies by
// itself says nothing about settings. Numbers that each process repeats and that differ between processes
// depend on what ran before, or on chance: such a result is graded B at best, too. Settings with the same
// output are a group. A result is graded B at best if its group is not more than half of the settings. Text
// of which no two settings have the same is taken to depend on the setting, and is not graded.
//
// This is decided when it is asked: a stored grade cannot know the settings that were measured later.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "results/answer/best.hpp"
#include "results/read/reader.hpp"
#include "results/read/show.hpp"
#include "shared/base/output_sample.hpp"

namespace kernsweep {

struct OutputRemark {
  bool warns = false;  // the result is graded B at best
  std::string in_row;  // a few words for a table; empty: nothing that a winner has to say
  std::string reason;  // what is known, for people; empty: nothing
};

// What is known of the output of one setting.
struct SettingOutput {
  OutputSample sample;        // of one of its processes; `runs` are those of all
  bool varies = false;        // between its processes
  bool repeats = true;        // in at least two runs of each process
  std::vector<Value> values;  // of the settings, in the order of `names`
};

// One remark for each of the settings of one problem. Pure function.
std::vector<OutputRemark> compare_outputs(std::span<const SettingOutput> settings,
                                          std::span<const std::string> names);

// Whether the database has a sample at all. The table `text` has each text once, so it is small beside the
// jobs. Error: the database cannot be read.
Result<bool> has_output_samples(Reader& reader);

// The remarks about the results of one sweep.
class ComparedOutputs {
 public:
  // Reads the sweep once, if the database has samples of outputs. Error: the database cannot be read.
  static Result<ComparedOutputs> of(Reader& reader, const StoredSweep& sweep);
  // Null: nothing is known of the output of this result.
  const OutputRemark* about(std::uint64_t result) const;
  bool warns_of(std::uint64_t result) const {
    const OutputRemark* const remark = about(result);
    return remark && remark->warns;
  }
  // Of each setting whose remark warns: one of its results.
  std::vector<OtherOutput> warned() const;

 private:
  std::vector<OutputRemark> remarks_;
  std::unordered_map<std::uint64_t, std::uint32_t> remark_of_;  // by result
};

// Fills in what BestAnswer says of outputs: the column `outputs` before `result`, if it has something to
// say of a row; other_outputs; and BestSetMember::other_output.
void note_outputs(BestAnswer& answer, const ComparedOutputs& compared);

// Says in a shown result what is known of its output: as a reason for the grade B, or in a section
// "outputs". Error: the database cannot be read.
Status add_outputs(Shown& shown, Reader& reader);

}  // namespace kernsweep
