#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/transfer/transfer.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::int64_t kBytesDefault = std::int64_t{1} << 28;
constexpr std::int64_t kBytesMax = std::int64_t{1} << 42;
constexpr std::int64_t kChunksMax = 1 << 20;
constexpr std::int64_t kStreamsMax = 128;
constexpr std::int64_t kStepsMax = std::int64_t{1} << 32;
constexpr std::int64_t kRoundsMax = 1 << 20;

const std::array kParams = {
    ks_param_doc{"bytes", KS_INTEGER, "268435456", nullptr, "bytes to be moved one way, a multiple of 4"},
    ks_param_doc{"direction", KS_TEXT, "h2d", "h2d|d2h|both",
                 "host to device, device to host, or there and back again"},
    ks_param_doc{"memory", KS_TEXT, "pinned", "pageable|pinned", "the host's memory"},
    ks_param_doc{"mode", KS_TEXT, "async", "sync|async|overlap",
                 "one call that waits, one on a stream, or chunks over several streams"},
    ks_param_doc{"chunks", KS_INTEGER, "8", nullptr, "mode overlap: pieces that are copied by themselves"},
    ks_param_doc{"streams", KS_INTEGER, "2", nullptr, "mode overlap: streams that share the chunks"},
    ks_param_doc{
        "steps", KS_INTEGER, "0", nullptr,
        "mode overlap or direction both: multiply-adds per element by a kernel between the copies"},
    ks_param_doc{"rounds", KS_INTEGER, "1", nullptr,
                 "direction both, mode sync or async: how often the kernel runs over the data"},
    ks_param_doc{
        "between", KS_TEXT, "device", "device|host",
        "where the data is between two rounds: left on the device, or brought to the host and back"},
};

ks_status check_counts(const Transfer& transfer, std::int64_t bytes, ks_why why) {
  const auto refuse_number = [&](const char* name, std::int64_t value, std::int64_t low,
                                 std::int64_t high) {
    return refuse(KS_BAD_PARAMETER, why,
                  fmt::format("{} is {}; it must be {} to {}", name, value, low, high));
  };
  if (bytes < 0 || bytes > kBytesMax) return refuse_number("bytes", bytes, 0, kBytesMax);
  if (bytes % 4 != 0)
    return refuse(KS_BAD_PARAMETER, why, fmt::format("bytes is {}; it must be a multiple of 4", bytes));
  if (transfer.chunks < 1 || transfer.chunks > kChunksMax)
    return refuse_number("chunks", transfer.chunks, 1, kChunksMax);
  if (transfer.streams < 1 || transfer.streams > kStreamsMax)
    return refuse_number("streams", transfer.streams, 1, kStreamsMax);
  if (transfer.steps < 0 || transfer.steps > kStepsMax)
    return refuse_number("steps", transfer.steps, 0, kStepsMax);
  if (transfer.rounds < 1 || transfer.rounds > kRoundsMax)
    return refuse_number("rounds", transfer.rounds, 1, kRoundsMax);
  return KS_OK;
}

// Checks the parameters of several rounds.
ks_status check_rounds(const Transfer& transfer, ks_why why) {
  const auto refuse_rounds = [&](const char* needed) {
    return refuse(KS_BAD_PARAMETER, why, fmt::format("rounds is {}; {}", transfer.rounds, needed));
  };
  if (!transfer.up || !transfer.down)
    return refuse_rounds("more than 1 needs direction both: the data goes up and comes down again");
  if (transfer.mode == Transfer::Mode::overlap)
    return refuse_rounds("more than 1 needs mode sync or async: the chunks of mode overlap have one round");
  if (transfer.steps == 0)
    return refuse_rounds("more than 1 needs steps of 1 or more: a round is a kernel that computes");
  return KS_OK;
}

ks_status inputs(const ks_params* params, ks_input* out, size_t capacity, size_t* count, ks_why why) {
  Transfer transfer;
  if (const ks_status status = parse_transfer(params, transfer, why); status != KS_OK) return status;
  if (capacity < 1) return KS_FAILED;
  out[0] = {};
  std::snprintf(out[0].name, sizeof out[0].name, "data");
  out[0].dtype = KS_S32;
  out[0].rank = 1;
  out[0].shape[0] = transfer.n;
  out[0].distribution = KS_INTEGERS;
  out[0].a = -32768;
  out[0].b = 32767;
  *count = 1;
  return KS_OK;
}

// Only bytes between host and device count, not those that the kernel moves within the device.
ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  Transfer transfer;
  if (const ks_status status = parse_transfer(params, transfer, why); status != KS_OK) return status;
  const auto n = static_cast<double>(transfer.n);
  const auto rounds = static_cast<double>(transfer.rounds);
  *result = {
      .flops = 2 * n * static_cast<double>(transfer.steps) * rounds,
      .bytes = 4 * n * (transfer.up && transfer.down ? 2 : 1) * (transfer.through_host ? rounds : 1)};
  return KS_OK;
}

ks_status tolerance(const ks_params*, ks_tolerance* result) {
  *result = {};  // equal
  return KS_OK;
}

const std::array kVariants = {&kTransferCuda, &kTransferNaive};

}  // namespace

ks_status parse_transfer(const ks_params* params, Transfer& transfer, ks_why why) {
  const Params point(params);
  if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
    return status;
  const std::string_view direction = point.text("direction", "h2d");
  const std::string_view mode = point.text("mode", "async");
  const std::int64_t bytes = point.integer("bytes", kBytesDefault);
  transfer.n = bytes / 4;
  transfer.up = direction != "d2h";
  transfer.down = direction != "h2d";
  transfer.pinned = std::string_view(point.text("memory", "pinned")) == "pinned";
  transfer.mode = mode == "sync"    ? Transfer::Mode::sync
                  : mode == "async" ? Transfer::Mode::async
                                    : Transfer::Mode::overlap;
  transfer.chunks = point.integer("chunks", 8);
  transfer.streams = point.integer("streams", 2);
  transfer.steps = point.integer("steps", 0);
  transfer.rounds = point.integer("rounds", 1);
  transfer.through_host = std::string_view(point.text("between", "device")) == "host";
  if (const ks_status status = check_counts(transfer, bytes, why); status != KS_OK) return status;
  if (transfer.rounds > 1) {
    if (const ks_status status = check_rounds(transfer, why); status != KS_OK) return status;
  }
  if (transfer.mode == Transfer::Mode::overlap) return KS_OK;
  transfer.chunks = transfer.streams = 1;
  if (!transfer.up || !transfer.down) transfer.steps = 0;
  return KS_OK;
}

const ks_family kTransferFamily = {.name = "transfer",
                                   .summary = "bytes between the host and its GPU",
                                   .params = kParams.data(),
                                   .param_count = kParams.size(),
                                   .reference = "naive",
                                   .inputs = inputs,
                                   .work = work,
                                   .tolerance = tolerance,
                                   .variants = kVariants.data(),
                                   .variant_count = kVariants.size(),
                                   .settings = "memory|mode|chunks|streams|between"};

}  // namespace kernsweep::cuda
