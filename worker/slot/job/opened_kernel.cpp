#include "worker/slot/job/opened_kernel.hpp"

#include "shared/base/try.hpp"
#include "worker/slot/isolated/isolated_process.hpp"

namespace kernsweep {

Result<OpenedKernel> OpenedKernel::open(const std::string& path, const std::string& family, bool distrust) {
  OpenedKernel out;
  if (distrust) {
    KS_ASSIGN_OR_RETURN(const auto process, IsolatedProcess::start(path, family));
    out.isolated_ = std::make_unique<IsolatedPack>(process->family());
    out.pack_ = Pack::of(out.isolated_->description(), path);
  } else {
    KS_ASSIGN_OR_RETURN(out.pack_, Pack::open(path));
  }
  out.family_ = out.pack_->family(family);
  return out;
}

}  // namespace kernsweep
