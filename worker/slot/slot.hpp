// A slot: one process that measures. Started by the worker with its cores bound and its environment exact,
// told on descriptor 3 what it is for, given a board on descriptor 4 (phase_board.hpp), and ended by the
// worker, or by the kernel when the worker dies.
//
// It speaks only between jobs and while it waits: in a timed section nothing but the kernel runs. Outcomes
// of a run of short jobs travel together (kOutcomesTogether, or what kFlushAfter has gathered).
#pragma once

#include "shared/base/instant.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

constexpr int kOutcomesTogether = 256;
constexpr Duration kFlushAfter = std::chrono::milliseconds(100);

// Reads the set-up from `descriptor`, maps its board from kBoardDescriptor, serves until the worker says
// leave. Returns the exit status: 0 after a polite leave, 3 when the set-up makes no sense.
int serve_slot(int descriptor);

// Writes the catalogue of one pack, as wire::Catalogue, to `descriptor`: what `kernsweep-slot --describe`
// does. A pack that cannot be opened is named in Catalogue.broken. `probe`: ask each variant whether it can
// run here.
int describe_pack(const char* path, bool probe, int descriptor);

// Writes the GPUs of this host, as wire::Gpus, to `descriptor`: what `kernsweep-slot --gpus` does.
int describe_gpus(int descriptor);

// Whether the first GPU that CUDA shows, which is `uuid`, still works: what `kernsweep-slot --try-gpu`
// does. Writes "works", "lost REASON" or "unknown REASON" to `descriptor`.
int answer_gpu_trial(const char* uuid, int descriptor);

}  // namespace kernsweep
