// Source: CUDA Driver API reference, "Primary Context Management", "Context Management".
#include "worker/slot/watch/cuda_context.hpp"

#include "worker/host/gpu/driver_library.hpp"

namespace kernsweep {
namespace {

constexpr int kSuccess = 0;
constexpr int kPersistingL2 = 6;  // CU_LIMIT_PERSISTING_L2_CACHE_SIZE of CUlimit

}  // namespace

struct CudaContext::Driver {
  explicit Driver(const DriverLibrary& library)
      : device(library.function<int(int*, int)>("cuDeviceGet")),
        primary_state(library.function<int(int, unsigned*, int*)>("cuDevicePrimaryCtxGetState")),
        retain(library.function<int(void**, int)>("cuDevicePrimaryCtxRetain")),
        current(library.function<int(void**)>("cuCtxGetCurrent")),
        push(library.function<int(void*)>("cuCtxPushCurrent_v2")),
        pop(library.function<int(void**)>("cuCtxPopCurrent_v2")),
        synchronize(library.function<int()>("cuCtxSynchronize")),
        get_limit(library.function<int(std::size_t*, int)>("cuCtxGetLimit")),
        set_limit(library.function<int(int, std::size_t)>("cuCtxSetLimit")),
        reset_l2(library.function<int()>("cuCtxResetPersistingL2Cache")) {}

  bool is_whole() const {
    return device && primary_state && retain && current && push && pop && synchronize && get_limit &&
           set_limit && reset_l2;
  }

  int (*device)(int*, int);
  int (*primary_state)(int, unsigned*, int*);
  int (*retain)(void**, int);
  int (*current)(void**);
  int (*push)(void*);
  int (*pop)(void**);
  int (*synchronize)();
  int (*get_limit)(std::size_t*, int);
  int (*set_limit)(int, std::size_t);
  int (*reset_l2)();
};

// Makes a context current on this thread during its lifetime; then the previous one is current again.
class CudaContext::Current {
 public:
  explicit Current(const CudaContext& of)
      : driver_(*of.driver_), pushed_(driver_.push(of.context_) == kSuccess) {}
  ~Current() {
    void* popped = nullptr;
    if (pushed_) driver_.pop(&popped);
  }
  Current(Current&&) = delete;
  explicit operator bool() const { return pushed_; }

 private:
  const Driver& driver_;
  bool pushed_;
};

const CudaContext::Driver* CudaContext::driver() {
  const DriverLibrary library = DriverLibrary::loaded("libcuda.so.1");
  if (!library.is_open()) return nullptr;
  static const Driver found(library);
  return found.is_whole() ? &found : nullptr;
}

std::optional<CudaContext> CudaContext::of_process() {
  const Driver* const cuda = driver();
  if (cuda == nullptr) return std::nullopt;
  void* context = nullptr;
  if (cuda->current(&context) == kSuccess && context != nullptr) return CudaContext(*cuda, context);
  int gpu = 0, is_active = 0;
  unsigned flags = 0;
  const bool is_used = cuda->device(&gpu, 0) == kSuccess &&
                       cuda->primary_state(gpu, &flags, &is_active) == kSuccess && is_active != 0;
  // It is kept from now on, as the kernels of this process that made it keep it.
  static void* primary = nullptr;
  if (is_used && primary == nullptr && cuda->retain(&primary, gpu) != kSuccess) primary = nullptr;
  if (!is_used || primary == nullptr) return std::nullopt;
  return CudaContext(*cuda, primary);
}

void CudaContext::wait() const {
  if (const Current current(*this); current) driver_->synchronize();
}

std::size_t CudaContext::persisting_l2_bytes() const {
  std::size_t bytes = 0;
  const Current current(*this);
  return current && driver_->get_limit(&bytes, kPersistingL2) == kSuccess ? bytes : 0;
}

void CudaContext::reset_persisting_l2() const {
  const Current current(*this);
  if (!current) return;
  driver_->set_limit(kPersistingL2, 0);
  driver_->reset_l2();
}

}  // namespace kernsweep
