// process_transfer: a tensor is passed to another process, which is ready to read it when a call ends.
// Measures the transfer, not a computation of the other process; with `read` it also reads the tensor once.
#include <algorithm>
#include <memory>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/process_transfer/pool.hpp"
#include "kernels/cpu/process_transfer/receiver.hpp"

namespace kernsweep::process_transfer {
namespace {

using pack::Input;
using pack::param;
using pack::Setup;

struct Problem {
  std::int64_t n = 0;
  bool read = false;

  static auto params() {
    return std::vector{
        param<&Problem::n>(
            {.name = "n", .summary = "elements of the tensor, f32", .least = 0, .most = 1LL << 32}),
        param<&Problem::read>({.name = "read",
                               .summary = "the other process reads the tensor once before a call ends",
                               .fallback = "false"})};
  }
  auto inputs() const { return std::vector{Input{"x", KS_F32, {n}}}; }
  // The tensor itself, once, however often it is copied during the transfer.
  ks_work work() const { return {.bytes = 4.0 * static_cast<double>(n)}; }
  ks_tolerance tolerance() const { return {}; }  // no bit may be lost
};

struct Naive {
  std::span<const float> x;
  std::span<double> y;
  Naive(const Problem& problem, Setup& setup)
      : x(setup.input<float>(0)), y(setup.output<double>({problem.n})) {}
  void run() { std::copy(x.begin(), x.end(), y.begin()); }
};

// Shared parts of the ways: the other process, and its tensor, which is shown to this process on request.
class Way {
 public:
  // `more`: bytes of shared memory after the copy.
  Way(const Problem& problem, Setup& setup, std::size_t more = 0)
      : problem_(problem),
        x_(setup.input<float>(0)),
        y_(setup.output<float>({problem.n})),
        copy_(x_.size_bytes() + more),
        sum_(sizeof(float)) {}
  Way(Way&&) = delete;

  ks_tensor output() const {
    if (!receiver_->order('o') || !receiver_->wait())
      throw pack::Refused(KS_FAILED, "the other process has ended");
    std::copy_n(copy_.bytes().begin(), y_.size_bytes(), std::as_writable_bytes(y_).begin());
    return pack::dense(y_.data(), KS_F32, {problem_.n});
  }

 protected:
  std::span<const std::byte> bytes() const { return std::as_bytes(x_); }

  // `take`: receives a tensor in the other process, and returns its address.
  void start(const std::function<const float*()>& take) {
    receiver_ = std::make_unique<Receiver>(
        [this, take, at = static_cast<const float*>(nullptr)](char order) mutable {
          if (order == 'o') {
            const auto* from = reinterpret_cast<const std::byte*>(at);
            if (at != nullptr) std::copy(from, from + x_.size_bytes(), copy_.bytes().begin());
            return true;
          }
          at = take();
          if (at != nullptr && problem_.read) read(at);
          return at != nullptr || x_.empty();
        });
  }

  // Starts a program instead, which is ready when it has answered once. False: it has ended before.
  bool start(const std::vector<std::string>& command) {
    receiver_ = std::make_unique<Receiver>(command, copy_.file());
    return receiver_->wait();
  }
  std::span<std::byte> behind_copy() const { return copy_.bytes().subspan(x_.size_bytes()); }

  void order() const {
    if (!receiver_->order('t')) gone();
  }
  void wait() const {
    if (!receiver_->wait()) gone();
  }
  [[noreturn]] static void gone() { throw pack::Refused(KS_FAILED, "the other process has ended"); }

 private:
  // The sum is stored where this process could see it, so that the compiler cannot drop it.
  void read(const float* from) const {
    float sums[16] = {};
    std::size_t i = 0;
    for (; i + 16 <= x_.size(); i += 16)
      for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += from[i + lane];
    float all = 0;
    for (; i < x_.size(); ++i) all += from[i];
    for (const float sum : sums) all += sum;
    *reinterpret_cast<volatile float*>(sum_.bytes().data()) = all;
  }

  Problem problem_;
  std::span<const float> x_;
  std::span<float> y_;
  SharedMemory copy_, sum_;
  std::unique_ptr<Receiver> receiver_;
};

// Written to a channel by one process, read from it by the other, into memory of its own.
template <Channel::Kind kind>
class Copied : public Way {
 public:
  Copied(const Problem& problem, Setup& setup)
      : Way(problem, setup),
        channel_(kind),
        own_(setup.allocate<float>(static_cast<std::size_t>(problem.n))) {
    start([this]() -> const float* {
      channel_.close_sender();  // the child's: it sees the end when the other process has ended
      return channel_.receive(std::as_writable_bytes(own_)) ? own_.data() : nullptr;
    });
    channel_.close_receiver();
  }
  void run() {
    order();
    if (!channel_.send(bytes())) gone();
    wait();
  }

 private:
  Channel channel_;
  std::span<float> own_;
};

// Copied to shared memory, with a notification.
class SharedCopy : public Way {
 public:
  SharedCopy(const Problem& problem, Setup& setup) : Way(problem, setup), both_(bytes().size()) {
    start([this] { return reinterpret_cast<const float*>(both_.bytes().data()); });
  }
  void run() {
    std::copy(bytes().begin(), bytes().end(), both_.bytes().begin());
    order();
    wait();
  }

 private:
  SharedMemory both_;
};

// Already in shared memory, as the operands of Kernsweep's slots: only a notification.
class Shared : public Way {
 public:
  Shared(const Problem& problem, Setup& setup) : Way(problem, setup) {
    if (!problem.read) setup.report_work({});  // nothing is moved
    start([from = setup.input<float>(0).data()] { return from; });
  }
  void run() {
    order();
    wait();
  }
};

// Pickled by a Python process for the process of its pool.
class PythonPool : public Way {
 public:
  PythonPool(const Problem& problem, Setup& setup)
      : Way(problem, setup, setup.input<float>(0).size_bytes() + kPoolTextBytes) {
    const bool is_ready = start(pool_command(bytes().size(), problem.read));
    const std::string text = reinterpret_cast<const char*>(behind_copy().data() + bytes().size());
    if (!is_ready)
      throw pack::Refused(KS_UNSUPPORTED, text.empty() ? "python3 has ended before it was ready" : text);
    const auto line = text.find('\n');
    const std::string file = text.substr(line + 1);
    setup.report_source("program", "python3", file.c_str());
    runtime_ = "Python " + text.substr(0, line) + " file=" + file;
  }
  void run() {
    std::copy(bytes().begin(), bytes().end(), behind_copy().begin());
    order();
    wait();
  }
  std::string runtime() const { return runtime_; }

 private:
  std::string runtime_;
};

}  // namespace
}  // namespace kernsweep::process_transfer

using namespace kernsweep::process_transfer;

KERNSWEEP_PACK(
    "process_transfer", KERNSWEEP_PACK_VERSION,
    family<Problem>("process_transfer", "a tensor is handed to another process", {.reference = "naive"},
                    variant<Copied<Channel::Kind::pipe>>("pipe", "through a pipe of 1 MiB"),
                    variant<Copied<Channel::Kind::unix_socket>>("unix_socket", "through a Unix socket"),
                    variant<SharedCopy>("shared_copy", "copied to shared memory, then announced"),
                    variant<Shared>("shared", "already in shared memory: only announced"),
                    variant<PythonPool>("python_pool", "pickled to a process of a Python pool",
                                        pool_available),
                    variant<Naive>("naive", "the reference: a copy, in one process")))
