#include "worker/tensor_maker.hpp"

#include <map>
#include <variant>

#include "shared/base/answering_thread.hpp"
#include "tensors/tensor_answers.hpp"

namespace kernsweep {
namespace {

struct Wanted {
  SlotId slot;
  wire::TensorRequests requests;
  std::optional<int> node;
};
struct Offered {
  SlotId slot;
  wire::ReferenceOffer offer;
};
struct Forgotten {
  SlotId slot;
};
using Task = std::variant<Wanted, Offered, Forgotten>;

bool complete(const wire::TensorRequests& wanted, const wire::TensorReplies& replies) {
  if (replies.tensors_size() != wanted.tensors_size()) return false;
  for (int i = 0; i < wanted.tensors_size(); ++i) {
    if (static_cast<std::uint32_t>(replies.tensors(i).copies_size()) != wanted.tensors(i).copies())
      return false;
  }
  return true;
}

}  // namespace

struct TensorMaker::State {
  State(WakeUp wake, std::uint64_t budget_bytes, int threads)
      : arena(budget_bytes, threads), maker("kernsweep-make", std::move(wake), [this](const Task& task) {
          return std::visit([this](const auto& each) { return perform(each); }, task);
        }) {}

  // Used by the maker's thread only:
  TensorArena arena;
  ReferenceUses uses;
  std::map<SlotId, TensorPins> pinned;

  AnsweringThread<Task, Made> maker;  // last member: its thread ends before the members that it uses

  void unpin_all(SlotId slot) {
    unpin(arena, pinned[slot]);
    pinned.erase(slot);
  }

  // New pins are set before the old ones are removed, so that tensors that both jobs use stay.
  void answer_in_place(const Wanted& task, wire::TensorReplies& replies) {
    replies.Clear();
    TensorPins now_pinned = answer(arena, uses, task.requests, task.node, replies);
    unpin_all(task.slot);
    pinned[task.slot] = std::move(now_pinned);
  }

  std::optional<Made> perform(const Forgotten& task) {
    unpin_all(task.slot);
    return std::nullopt;
  }

  std::optional<Made> perform(const Offered& task) {
    keep(arena, uses, task.offer);
    return std::nullopt;
  }

  std::optional<Made> perform(const Wanted& task) {
    Made made{task.slot, {}};
    answer_in_place(task, made.replies);
    // The pins of the slot's previous job may have taken the room, so a failed request is retried without
    // them, and then without the pins of references. A slot that finds another tensor in the place of its
    // reference computes the reference itself (Reference::adopt).
    if (!complete(task.requests, made.replies)) answer_in_place(task, made.replies);
    if (!complete(task.requests, made.replies)) {
      for (auto& [slot, pins] : pinned) unpin_reference(arena, pins);
      answer_in_place(task, made.replies);
    }
    return made;
  }
};

TensorMaker::TensorMaker(WakeUp made, std::uint64_t budget_bytes, int threads)
    : state_(std::make_unique<State>(std::move(made), budget_bytes, threads)) {}

TensorMaker::~TensorMaker() = default;

void TensorMaker::want(SlotId slot, const wire::TensorRequests& requests, std::optional<int> node) {
  state_->maker.ask(Wanted{slot, requests, node});
}
void TensorMaker::adopt(SlotId slot, const wire::ReferenceOffer& offer) {
  state_->maker.ask(Offered{slot, offer});
}
void TensorMaker::forget(SlotId slot) {
  state_->maker.ask(Forgotten{slot});
}

std::vector<TensorMaker::Made> TensorMaker::take() {
  return state_->maker.take();
}

int TensorMaker::descriptor() const {
  return state_->maker.descriptor();
}

}  // namespace kernsweep
