// Points whose output is wrong in some processes and right in others.
//
// The right ones measured the same code by chance of another state: their times say nothing about what the
// kernel does. So they are graded X when it is asked, and are in no answer. A stored grade cannot say so: a
// process may come later.
#pragma once

#include <vector>

#include "results/read/show.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

// The results with status ok of such points, with the point in the reason: "algorithm=fast n=8 is wrong in
// 2 of 6 jobs, such as result 17". With `hosts: each` the jobs of one host, else those of all hosts. Reads
// the status of each job of the sweep. Error: the database cannot be read.
Result<std::vector<Implausible>> beside_wrong_results(Reader& reader, SweepId sweep);

// Grades a shown result X if it is one of them in the newest sweep that uses it. Error: as above.
Status grade_beside_wrong(Shown& shown, Reader& reader);

}  // namespace kernsweep
