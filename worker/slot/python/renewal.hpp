// Each job of a Python function has a process of its own (decision 16). The slot's first process imports
// the function's module and calls nothing in it. Before each job it forks one that measures. If it cannot
// be forked safely, the process that has measured starts the program again in its place. So the worker sees
// one process, and a new hello for each job. kernsweep-slot.py forks.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shared/base/file_content.hpp"
#include "shared/wire/slot.pb.h"

namespace kernsweep {

// Exit status of a process that has measured its job: another one replaces it. kernsweep-slot.py has the
// same number.
constexpr int kRenews = 75;

// Whether each job of this slot has a process of its own.
bool renews(const wire::SlotSetup& setup);

// The function whose module must be imported beforehand, from the set-up on `descriptor`, which can be read
// again. "": none.
std::string function_to_import(int descriptor);

// Whether a process of this slot that has imported other modules must measure the run (decision 16). The
// function that was set answers it; without one: no.
using HandOverQuestion = std::function<bool(const wire::SlotSetup& setup, const wire::Run& run)>;
void set_hand_over_question(HandOverQuestion question);
bool is_handed_over(const wire::SlotSetup& setup, const wire::Run& run);

// The files of modules that were imported beforehand, and all libraries that are loaded now.
void remember_imported(const std::vector<std::string>& files);
// One of them was replaced: a forked process would not measure what is on the disk now.
bool is_imported_stale();

// Adds hashes of files to the set-up for the next process.
void keep_contents(wire::SlotSetup setup, const std::map<FileStamp, Digest>& contents, int descriptor);

}  // namespace kernsweep
