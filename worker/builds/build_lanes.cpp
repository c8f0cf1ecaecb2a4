#include "worker/builds/build_lanes.hpp"

#include <algorithm>
#include <utility>

#include "shared/base/try.hpp"

namespace kernsweep {

struct BuildLanes::Lane {
  Lane(BuildStore store, std::string host, WakeUp announced, WakeUp ending)
      : builder(std::move(store), std::move(host)),
        interrupt(std::move(ending)),
        thread("kernsweep-build", std::move(announced),
               [this](const BuildTask& task) { return std::optional<BuildAnswer>(builder.build(task)); }) {}

  Builder builder;  // used by the thread only
  std::uint32_t number = 0;
  bool runs = false;
  WakeUp interrupt;
  AnsweringThread<BuildTask, BuildAnswer> thread;  // last member: it ends before those that it uses
};

BuildLanes::BuildLanes(std::string host) : host_(std::move(host)) {}

BuildLanes::~BuildLanes() {
  for (const auto& lane : lanes_)
    if (lane->runs) lane->interrupt.wake();
}

Result<BuildLanes::Lane*> BuildLanes::free_lane() {
  const auto found = std::ranges::find_if(lanes_, [](const auto& lane) { return !lane->runs; });
  if (found != lanes_.end()) return found->get();
  KS_ASSIGN_OR_RETURN(auto store, BuildStore::of_user());
  KS_ASSIGN_OR_RETURN(auto announced, WakeUp::make());
  KS_ASSIGN_OR_RETURN(auto ending, WakeUp::make());
  lanes_.push_back(
      std::make_unique<Lane>(std::move(store), host_, std::move(announced), std::move(ending)));
  return lanes_.back().get();
}

void BuildLanes::begin(std::uint32_t number, BuildTask task) {
  auto lane = free_lane();
  if (!lane) {
    failed_.push_back({number, {{}, lane.error().message, "", false}});
    return;
  }
  (*lane)->number = number;
  (*lane)->runs = true;
  (*lane)->interrupt.reset();
  task.interrupted = (*lane)->interrupt.descriptor();
  (*lane)->thread.ask(std::move(task));
}

void BuildLanes::end(std::uint32_t number) {
  for (const auto& lane : lanes_)
    if (lane->runs && lane->number == number) lane->interrupt.wake();
}

std::vector<BuildDone> BuildLanes::take() {
  std::vector<BuildDone> done = std::exchange(failed_, {});
  for (const auto& lane : lanes_) {
    for (BuildAnswer& answer : lane->thread.take()) {
      done.push_back({lane->number, std::move(answer)});
      lane->runs = false;
    }
  }
  return done;
}

bool BuildLanes::any_runs() const {
  return std::ranges::any_of(lanes_, [](const auto& lane) { return lane->runs; });
}

std::vector<int> BuildLanes::descriptors() const {
  std::vector<int> all;
  for (const auto& lane : lanes_) all.push_back(lane->thread.descriptor());
  return all;
}

}  // namespace kernsweep
