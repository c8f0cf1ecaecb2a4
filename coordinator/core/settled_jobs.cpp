#include "coordinator/core/settled_jobs.hpp"

#include <algorithm>
#include <bit>

#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

SettledJobs::SettledJobs(std::uint64_t size) : size_(size) {}

std::uint64_t SettledJobs::bits_in(std::uint64_t chunk) const {
  return std::min(kChunkBits, size_ - chunk * kChunkBits);
}

const SettledJobs::Chunk* SettledJobs::find(std::uint64_t chunk, bool& full) const {
  full = chunk < full_below_;
  if (full) return nullptr;
  if (chunk == last_number_) return last_;
  const auto it = chunks_.find(chunk);
  if (it == chunks_.end()) return nullptr;
  full = it->second == nullptr;
  if (full) return nullptr;
  last_number_ = chunk;
  last_ = it->second.get();
  return last_;
}

bool SettledJobs::settled(std::uint64_t index) const {
  KS_ASSERT(index < size_);
  bool full = false;
  const Chunk* chunk = find(index / kChunkBits, full);
  if (!chunk) return full;
  const std::uint64_t bit = index % kChunkBits;
  return (chunk->words[bit / 64] >> (bit % 64)) & 1;
}

bool SettledJobs::settle(std::uint64_t index) {
  KS_ASSERT(index < size_);
  const std::uint64_t number = index / kChunkBits;
  bool full = false;
  find(number, full);
  if (full) return false;
  if (number != last_number_) {
    last_ = (chunks_[number] = std::make_unique<Chunk>()).get();
    last_number_ = number;
  }
  const std::uint64_t bit = index % kChunkBits;
  std::uint64_t& word = last_->words[bit / 64];
  const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
  if (word & mask) return false;
  word |= mask;
  ++settled_;
  if (++last_->count == bits_in(number)) {
    chunks_[number].reset();
    last_number_ = ~std::uint64_t{0};
    last_ = nullptr;
    tear_off();
  }
  return true;
}

bool SettledJobs::reopen(std::uint64_t index) {
  if (!settled(index)) return false;
  const std::uint64_t number = index / kChunkBits;
  while (full_below_ > number) chunks_[--full_below_] = nullptr;
  std::unique_ptr<Chunk>& chunk = chunks_[number];
  if (!chunk) {
    chunk = std::make_unique<Chunk>();
    chunk->count = static_cast<std::uint32_t>(bits_in(number));
    for (std::uint64_t bit = 0; bit < chunk->count; ++bit)
      chunk->words[bit / 64] |= std::uint64_t{1} << (bit % 64);
    last_number_ = ~std::uint64_t{0};
    last_ = nullptr;
  }
  const std::uint64_t bit = index % kChunkBits;
  chunk->words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  --chunk->count;
  --settled_;
  return true;
}

std::uint64_t SettledJobs::settle_run(std::uint64_t first, std::uint64_t last) {
  KS_ASSERT(first <= last && last < size_);
  const std::uint64_t before = settled_;
  while (first <= last) {
    const std::uint64_t number = first / kChunkBits;
    const std::uint64_t end = number * kChunkBits + bits_in(number);
    bool full = false;
    const Chunk* const chunk = find(number, full);
    if (!full && !chunk && first % kChunkBits == 0 && end <= last + 1) {
      chunks_[number] = nullptr;  // never copied: freed at once
      settled_ += bits_in(number);
      first = end;
      tear_off();
    } else {
      for (; first < end && first <= last; ++first) settle(first);
    }
  }
  return settled_ - before;
}

void SettledJobs::tear_off() {
  while (!chunks_.empty() && chunks_.begin()->first == full_below_ && !chunks_.begin()->second) {
    chunks_.erase(chunks_.begin());
    ++full_below_;
  }
}

std::uint64_t SettledJobs::next_open(std::uint64_t from) const {
  while (from < size_) {
    const std::uint64_t number = from / kChunkBits;
    bool full = false;
    const Chunk* chunk = find(number, full);
    if (!chunk && !full) return from;
    const std::uint64_t end = number * kChunkBits + bits_in(number);
    if (full) {
      from = number < full_below_ ? full_below_ * kChunkBits : end;
      continue;
    }
    while (from < end) {
      const std::uint64_t bit = from % kChunkBits;
      const std::uint64_t open = ~chunk->words[bit / 64] >> (bit % 64);
      if (open) return std::min(from + static_cast<std::uint64_t>(std::countr_zero(open)), size_);
      from += 64 - bit % 64;
    }
    from = std::min(from, end);
  }
  return size_;
}

std::size_t SettledJobs::bytes() const {
  std::size_t sum = sizeof(*this);
  for (const auto& [number, chunk] : chunks_) sum += 64 + (chunk ? sizeof(Chunk) : 0);
  return sum;
}

}  // namespace kernsweep::coordinator
