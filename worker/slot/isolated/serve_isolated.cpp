#include "worker/slot/isolated/serve_isolated.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/isolated.pb.h"
#include "worker/slot/isolated/isolated_process.hpp"
#include "worker/slot/isolated/isolation.hpp"
#include "worker/slot/isolated/parameters.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/job/operands.hpp"
#include "worker/slot/measure/forked_child.hpp"
#include "worker/slot/pack/pack.hpp"

namespace kernsweep {
namespace {

// Closed and unmapped with the object.
class Mapped {
 public:
  Mapped(int descriptor, bool is_written) {
    struct stat about {};
    if (fstat(descriptor, &about) == 0 && about.st_size > 0) {
      bytes_ = static_cast<std::size_t>(about.st_size);
      const int protection = is_written ? PROT_READ | PROT_WRITE : PROT_READ;
      data_ = mmap(nullptr, bytes_, protection, MAP_SHARED, descriptor, 0);
    }
    close(descriptor);
  }
  Mapped(Mapped&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.bytes_ = 0; }
  Mapped& operator=(Mapped&&) = delete;
  ~Mapped() {
    if (bytes_ > 0 && data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  const void* data() const { return data_ == MAP_FAILED ? nullptr : data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

struct State {
  const ks_variant* variant = nullptr;
  void* handle = nullptr;
  GuardedMemory memory;
  std::vector<Mapped> operands;

  void release() {
    if (handle) variant->release(handle);
    handle = nullptr;
    memory.clear();
  }
};

class IsolatedServer {
 public:
  IsolatedServer(const Pack& pack, const ks_family& family) : pack_(pack), family_(family) {}

  wire::IsolatedAnswer answer(const wire::IsolatedTask& task, const std::vector<int>& descriptors) {
    wire::IsolatedAnswer out;
    out.set_number(task.number());
    out_ = &out;
    why_[0] = 0;
    ks_status status = KS_OK;
    switch (task.what_case()) {
      case wire::IsolatedTask::kDescribe:
        status = describe(task.describe());
        break;
      case wire::IsolatedTask::kCanRun:
        status = can_run(task.can_run());
        break;
      case wire::IsolatedTask::kPrepare:
        status = prepare(task.prepare(), descriptors);
        break;
      case wire::IsolatedTask::kRun:
        status = run(task.run());
        break;
      case wire::IsolatedTask::kMetrics:
        metrics();
        break;
      default:
        break;
    }
    out.set_status(status);
    if (why_[0] != 0 && out.reason().empty()) out.set_reason(as_utf8(why_.data()));
    out_ = nullptr;
    return out;
  }

 private:
  const ks_variant* variant_for(const wire::IsolatedPoint& point) const {
    return variant_of(family_, point.variant());
  }

  ks_status describe(const wire::IsolatedPoint& point) {
    const IsolatedParameters params(point);
    const ks_params view = params.view();
    std::array<ks_input, KS_INPUTS_MAX> inputs{};
    std::size_t count = 0;
    if (family_.inputs) {
      const ks_status status = family_.inputs(&view, inputs.data(), inputs.size(), &count, why());
      if (status != KS_OK) return status;
    }
    for (std::size_t i = 0; i < std::min(count, inputs.size()); ++i)
      *out_->add_inputs() = bytes_of(inputs[i]);
    ks_work work{};
    std::array<char, 512> unused{};
    if (family_.work && family_.work(&view, &work, {unused.data(), unused.size()}) == KS_OK)
      out_->set_work(bytes_of(work));
    ks_tolerance tolerance{};
    if (family_.tolerance && family_.tolerance(&view, &tolerance) == KS_OK) {
      if (!pack_.is_since(6)) tolerance.scale_dims = 0;
      out_->set_tolerance(bytes_of(tolerance));
    }
    return KS_OK;
  }

  ks_status can_run(const wire::IsolatedPoint& point) {
    const ks_variant* const variant = variant_for(point);
    const IsolatedParameters params(point);
    const ks_params view = params.view();
    return variant && variant->can_run ? variant->can_run(&view, why()) : KS_OK;
  }

  ks_status prepare(const wire::IsolatedPrepare& wanted, const std::vector<int>& descriptors) {
    State& state = state_;
    state.release();
    state.variant = variant_for(wanted.point());
    if (!state.variant) return KS_FAILED;
    state.operands.clear();
    for (std::size_t i = 0; i < descriptors.size(); ++i)
      state.operands.emplace_back(descriptors[i],
                                  std::ranges::find(wanted.in_place(), i) != wanted.in_place().end());
    if (state.operands.size() != static_cast<std::size_t>(wanted.operands_size())) return KS_FAILED;
    std::vector<ks_tensor> tensors;
    for (int i = 0; i < wanted.operands_size(); ++i) {
      ks_input input{};
      if (!read_bytes(wanted.operands(i), input)) return KS_FAILED;
      if (input.rank < 0 || input.rank > KS_RANK_MAX) return KS_FAILED;
      tensors.push_back(dense_tensor(state.operands[static_cast<std::size_t>(i)].data(), input.dtype,
                                     {input.shape, input.shape + input.rank}));
    }
    setenv("KERNSWEEP_SEED", std::to_string(wanted.seed()).c_str(), 1);
    const IsolatedParameters params(wanted.point());
    const ks_params view = params.view();
    const ks_context context{sizeof(ks_context),
                             static_cast<std::int32_t>(wanted.threads()),
                             wanted.seed(),
                             allocate,
                             this,
                             explain,
                             nullptr,
                             report_source};
    const ks_status status =
        state.variant->prepare(&view, &context, tensors.data(), tensors.size(), &state.handle, why());
    end_if_forked(status == KS_OK);
    if (status != KS_OK) state.handle = nullptr;
    return status;
  }

  // A call ends when its output can be read, so showing it is part of the call.
  ks_status run(const wire::IsolatedRun& wanted) {
    if (wanted.has_prepare()) {
      if (const ks_status status = prepare(wanted.prepare(), {}); status != KS_OK) return status;
    }
    if (!state_.handle) return KS_FAILED;
    ks_tensor output{};
    const ks_status ran = state_.variant->run(state_.handle);
    end_if_forked(ran == KS_OK);
    if (ran != KS_OK) return ran;
    if (const ks_status status = state_.variant->output(state_.handle, &output); status != KS_OK)
      return status;
    out_->set_output(bytes_of(output));
    for (const ks_part& part : pack_.parts_of(*state_.variant, state_.handle, output))
      *out_->add_parts() = bytes_of(part);
    out_->set_keys(as_utf8(pack_.keys_of(*state_.variant, state_.handle)));
    return KS_OK;
  }

  void metrics() {
    State& state = state_;
    if (!state.handle) return;
    for (const CountedMetric& each : pack_.metrics_of(*state.variant, state.handle)) {
      ks_declared_metric metric{};
      each.name.copy(metric.name, sizeof metric.name - 1);
      each.unit.copy(metric.unit, sizeof metric.unit - 1);
      metric.value = each.value;
      metric.better = static_cast<ks_better>(each.better);
      *out_->add_metrics() = bytes_of(metric);
    }
    if (!state.variant->runtime) return;
    if (const char* const runtime = state.variant->runtime(state.handle))
      out_->set_runtime(as_utf8(runtime));
  }

  ks_why why() { return {why_.data(), why_.size()}; }

  static void* allocate(void* host, std::size_t bytes) {
    return static_cast<IsolatedServer*>(host)->state_.memory.allocate(bytes);
  }
  static void explain(void* host, const char* reason) {
    auto& self = *static_cast<IsolatedServer*>(host);
    if (self.out_ && reason) self.out_->set_reason(as_utf8(reason));
  }
  static void report_source(void* host, const char* role, const char* name, const char* path) {
    auto& self = *static_cast<IsolatedServer*>(host);
    if (!self.out_ || !role || !name || !path) return;
    wire::IsolatedSource& source = *self.out_->add_sources();
    source.set_role(as_utf8(role));
    source.set_name(as_utf8(name));
    source.set_path(as_utf8(path));
  }

  const Pack& pack_;
  const ks_family& family_;
  State state_;
  wire::IsolatedAnswer* out_ = nullptr;
  std::array<char, 512> why_{};
};

// Waits for a message. Nothing: the other end is closed.
std::optional<std::string> receive(int descriptor, std::vector<int>& descriptors) {
  static std::string buffer(kIsolatedMessageMax, '\0');
  std::array<char, CMSG_SPACE(sizeof(int) * kIsolatedDescriptorsMax)> control{};
  iovec part{buffer.data(), buffer.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  descriptors.clear();
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_type != SCM_RIGHTS) continue;
    descriptors.resize((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors.data(), CMSG_DATA(head), descriptors.size() * sizeof(int));
  }
  return buffer.substr(0, static_cast<std::size_t>(got));
}

bool send_to(int descriptor, const std::string& bytes) {
  return send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace

int serve_isolated(int descriptor) {
  watch_for_forks();
  std::vector<int> descriptors;
  wire::IsolatedSetup setup;
  const auto first = receive(descriptor, descriptors);
  if (!first || !setup.ParseFromString(*first)) return 3;
  wire::IsolatedFamily about;
  // The process must exist as long as the slot, and may start programs.
  const IsolationRules rules{.readable = {setup.readable().begin(), setup.readable().end()},
                             .devices = {},
                             .writable = setup.writable(),
                             .own_processes = setup.own_processes(),
                             .may_group = setup.family() == "command"};
  setenv("TMPDIR", setup.writable().c_str(), 1);
  setenv("XDG_CACHE_HOME", setup.writable().c_str(), 1);
  if (const auto isolated = isolate(rules)) {
    about.set_isolation(*isolated);
  } else {
    about.set_error(as_utf8(isolated.error().message));
  }
  if (!send_to(descriptor, about.SerializeAsString()) || !about.error().empty()) return 0;
  about.clear_isolation();
  const auto pack = Pack::open(setup.pack());
  const ks_family* const family = pack ? pack->family(setup.family()) : nullptr;
  if (!pack) {
    about.set_error(as_utf8(pack.error().message));
  } else if (!family) {
    about.set_error("the pack " + setup.pack() + " has no family '" + setup.family() + "'");
  } else {
    wire::Catalogue all;
    kernsweep::describe(*pack, setup.pack(), false, all);
    for (const wire::Family& each : all.families())
      if (each.name() == setup.family()) *about.mutable_family() = each;
    about.set_pack_name(as_utf8(pack->description().name));
    if (pack->is_since(7) && family->constants) about.set_constants(as_utf8(family->constants));
    if (pack->is_since(8) && family->in_place) about.set_in_place(as_utf8(family->in_place));
    if (pack->is_since(8) && family->least) about.set_least(as_utf8(family->least));
  }
  if (!send_to(descriptor, about.SerializeAsString()) || !family) return 0;
  IsolatedServer server(*pack, *family);
  while (const auto message = receive(descriptor, descriptors)) {
    wire::IsolatedTask task;
    if (!task.ParseFromString(*message)) return 3;
    if (!send_to(descriptor, server.answer(task, descriptors).SerializeAsString())) return 0;
  }
  return 0;
}

}  // namespace kernsweep
