#include "worker/process/gpu_looks.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "shared/base/installation.hpp"
#include "shared/text/utf8.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep::worker {
namespace {

constexpr Duration kAnswerLimit = std::chrono::seconds(90);
constexpr Duration kReadLimit =
    std::chrono::milliseconds(100);  // for reading the output of an ended process

// "was killed by ..." or "exited with ...".
std::string ended(const Child::Ending& ending) {
  return (ending.signalled ? "was " : "") + describe(ending);
}

bool has_ended(const Child& child) {
  pollfd ended{child.exited(), POLLIN, 0};
  return poll(&ended, 1, 0) > 0;
}

// "works", "lost REASON" or "unknown REASON".
GpuSeen answer_of(std::uint32_t gpu, const ExitedProcess& exited) {
  constexpr std::size_t kReasonMax = 512;
  if (!exited.ending) return {gpu, GpuAnswer::unknown, "the process that looks at it does not end"};
  if (exited.ending->signalled || exited.ending->number != 0)
    return {gpu, GpuAnswer::unknown, "the process that looks at it " + ended(*exited.ending)};
  const std::string said = one_line(exited.output, kReasonMax);
  const std::size_t word = std::min(said.find(' '), said.size());
  const std::string reason = said.substr(std::min(word + 1, said.size()));
  if (said.compare(0, word, "works") == 0) return {gpu, GpuAnswer::works, ""};
  if (said.compare(0, word, "lost") == 0) return {gpu, GpuAnswer::lost, reason};
  return {gpu, GpuAnswer::unknown, reason};
}

}  // namespace

GpuLooks::~GpuLooks() {
  for (const Look& look : looks_) look.child.kill_group();
}

void GpuLooks::begin(std::uint32_t gpu, const std::string& uuid, Instant now) {
  Launch start;
  start.program = slot_program();
  start.arguments = {"--try-gpu", uuid};
  start.environment = slot_environment({}, 1, uuid);
  start.capture_output = true;
  auto child = launch(start);
  if (!child) {
    known_.push_back({gpu, GpuAnswer::unknown, child.error().message});
    return;
  }
  looks_.push_back({gpu, std::move(*child), now + kAnswerLimit, false});
}

std::vector<GpuSeen> GpuLooks::take(Instant now) {
  std::vector<GpuSeen> seen = std::exchange(known_, {});
  std::vector<Look> left;
  for (Look& look : looks_) {
    if (has_ended(look.child)) {
      const ExitedProcess exited = run_to_exit(look.child, kReadLimit);
      if (!look.given_up) seen.push_back(answer_of(look.gpu, exited));
      continue;
    }
    if (!look.given_up && now >= look.until) {
      look.child.kill_group();
      look.given_up = true;
      seen.push_back({look.gpu, GpuAnswer::lost, "it does not answer within 90 s"});
    }
    left.push_back(std::move(look));
  }
  looks_ = std::move(left);
  return seen;
}

std::vector<int> GpuLooks::descriptors() const {
  std::vector<int> all;
  for (const Look& look : looks_) all.push_back(look.child.exited());
  return all;
}

std::optional<Instant> GpuLooks::next_deadline() const {
  std::optional<Instant> next;
  for (const Look& look : looks_) {
    if (!look.given_up && (!next || look.until < *next)) next = look.until;
  }
  if (!known_.empty()) next = Instant{};
  return next;
}

}  // namespace kernsweep::worker
