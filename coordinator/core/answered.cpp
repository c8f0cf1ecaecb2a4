#include "coordinator/core/answered.hpp"

#include <algorithm>
#include <bit>

#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

namespace {

// Bits `from` up to, not including, `end` of a word; 0 <= from < end <= 64.
std::uint64_t mask_of(std::uint64_t from, std::uint64_t end) {
  return (~std::uint64_t{0} << from) & (~std::uint64_t{0} >> (64 - end));
}

}  // namespace

void AnsweredJobs::add_run(std::uint64_t first, std::uint64_t last, std::uint32_t host) {
  KS_ASSERT(first <= last);
  Chunks& chunks = hosts_[host];
  for (std::uint64_t number = first / kChunkBits; number <= last / kChunkBits; ++number) {
    const std::uint64_t base = number * kChunkBits;
    add_within(chunks[number], std::max(first, base) - base, std::min(last - base, kChunkBits - 1) + 1);
  }
}

void AnsweredJobs::add_within(Chunk& chunk, std::uint64_t from, std::uint64_t end) {
  if (chunk.count == kChunkBits) return;
  if (chunk.words.empty() && end - from < kChunkBits) chunk.words.resize(kChunkBits / 64, 0);
  const std::uint32_t before = chunk.count;
  if (end - from == kChunkBits) {
    chunk.count = kChunkBits;
  } else {
    for (std::uint64_t at = from; at < end;) {
      const std::uint64_t to = std::min(end, at / 64 * 64 + 64);
      std::uint64_t& word = chunk.words[at / 64];
      const std::uint64_t fresh = mask_of(at % 64, to - at / 64 * 64) & ~word;
      word |= fresh;
      chunk.count += static_cast<std::uint32_t>(std::popcount(fresh));
      at = to;
    }
  }
  count_ += chunk.count - before;
  if (chunk.count == kChunkBits) std::vector<std::uint64_t>().swap(chunk.words);
}

bool AnsweredJobs::contains(std::uint64_t job, std::uint32_t host) const {
  const auto chunks = hosts_.find(host);
  if (chunks == hosts_.end()) return false;
  const auto chunk = chunks->second.find(job / kChunkBits);
  if (chunk == chunks->second.end()) return false;
  if (chunk->second.words.empty()) return true;
  const std::uint64_t bit = job % kChunkBits;
  return ((chunk->second.words[bit / 64] >> (bit % 64)) & 1) != 0;
}

void AnsweredJobs::each_run(const Each& each) const {
  for (const auto& [host, chunks] : hosts_) {
    for (const auto& [number, chunk] : chunks) {
      const std::uint64_t base = number * kChunkBits;
      if (chunk.words.empty()) {
        each(host, base, base + kChunkBits - 1);
        continue;
      }
      for (std::uint64_t bit = 0; bit < kChunkBits;) {
        const std::uint64_t rest = chunk.words[bit / 64] >> (bit % 64);
        if (rest == 0) {
          bit = bit / 64 * 64 + 64;
          continue;
        }
        const std::uint64_t first = bit + static_cast<std::uint64_t>(std::countr_zero(rest));
        bit = first;
        while (bit < kChunkBits) {
          const auto ones =
              static_cast<std::uint64_t>(std::countr_one(chunk.words[bit / 64] >> (bit % 64)));
          bit += ones;
          if (ones == 0 || bit % 64 != 0) break;
        }
        each(host, base + first, base + bit - 1);
      }
    }
  }
}

}  // namespace kernsweep::coordinator
