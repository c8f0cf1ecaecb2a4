// A slot: one process that measures. The worker starts it, bound to its cores, with an exact environment,
// its set-up on descriptor 3 and a board on descriptor 4 (phase_board.hpp). The worker ends it, or the
// system does when the worker has ended.
//
// It sends messages only between jobs and while it waits, so that only the kernel runs in a timed section.
// Outcomes of short jobs are sent together: kOutcomesTogether of them, or those of kFlushAfter.
#pragma once

#include "shared/base/instant.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

constexpr int kOutcomesTogether = 256;
constexpr Duration kFlushAfter = std::chrono::milliseconds(100);

// Reads the set-up from `descriptor`, maps its board from kBoardDescriptor, and serves until the worker
// asks it to leave. Returns the exit status: 0 after that, 3 if the set-up or the board is not valid.
int serve_slot(int descriptor);

// Writes the catalogue of one pack, as wire::Catalogue, to `descriptor`, for `kernsweep-slot --describe`. A
// pack that cannot be opened is named in Catalogue.broken. `probe`: ask each variant whether it can run
// here.
int describe_pack(const char* path, bool probe, int descriptor);

// Writes the GPUs of this host, as wire::Gpus, to `descriptor`, for `kernsweep-slot --gpus`.
int describe_gpus(int descriptor);

// Whether the first GPU that CUDA shows, with this `uuid`, still works, for `kernsweep-slot --try-gpu`.
// Writes "works", "lost REASON" or "unknown REASON" to `descriptor`.
int answer_gpu_trial(const char* uuid, int descriptor);

}  // namespace kernsweep
