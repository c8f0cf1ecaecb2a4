#include "kernels/command/recorded_runs.hpp"

#include <map>
#include <utility>

namespace kernsweep::command {
namespace {

// By number, so the oldest one is the first.
std::map<std::int64_t, std::shared_ptr<Recording>>& recordings() {
  static std::map<std::int64_t, std::shared_ptr<Recording>> all;
  return all;
}

std::size_t& bytes_of_all() {
  static std::size_t bytes = 0;
  return bytes;
}

}  // namespace

std::shared_ptr<Recording> Recording::begin(std::int64_t number) {
  auto& all = recordings();
  auto& place = all[number];
  if (place) bytes_of_all() -= place->bytes_;
  place = std::make_shared<Recording>();
  return place;
}

std::shared_ptr<const Recording> Recording::find(std::int64_t number) {
  const auto found = recordings().find(number);
  return found == recordings().end() || found->second->is_too_large_ ? nullptr : found->second;
}

void Recording::add(RecordedRun run) {
  if (is_too_large_) return;
  const std::size_t more = run.bytes();
  bytes_ += more;
  bytes_of_all() += more;
  runs_.push_back(std::move(run));
  auto& all = recordings();
  while (bytes_of_all() > kMostBytes && all.begin()->second.get() != this) {
    bytes_of_all() -= all.begin()->second->bytes_;
    all.erase(all.begin());
  }
  if (bytes_of_all() <= kMostBytes) return;
  bytes_of_all() -= std::exchange(bytes_, 0);
  runs_.clear();
  is_too_large_ = true;
}

}  // namespace kernsweep::command
