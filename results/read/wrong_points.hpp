// Points whose output is wrong in some processes and right in others.
//
// The right outputs came from the same code in another state by chance: their times show nothing about the
// kernel. They are graded X when an answer is computed, and no answer uses them. A stored grade cannot
// consider this, because a process may be measured later.
#pragma once

#include <vector>

#include "results/read/show.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

// The results of such points with status ok, with the point in the reason: "algorithm=fast n=8 is wrong in
// 2 of 6 jobs, such as result 17". With `hosts: each` the jobs of one host, else those of all hosts. Reads
// the status of each job of the sweep. Error: the database cannot be read.
Result<std::vector<Implausible>> beside_wrong_results(Reader& reader, SweepId sweep);

// Grades a shown result X if it is one of them in the newest sweep that uses it. Error: the database cannot
// be read.
Status grade_beside_wrong(Shown& shown, Reader& reader);

}  // namespace kernsweep
