#include "worker/slot/job/opened_kernel.hpp"

#include "worker/slot/isolated/isolated_process.hpp"

namespace kernsweep {

Result<OpenedKernel> OpenedKernel::open(const std::string& path, const std::string& family, bool distrust) {
  OpenedKernel out;
  if (distrust) {
    const auto process = IsolatedProcess::start(path, family);
    if (!process) return tl::unexpected(process.error());
    out.isolated_ = std::make_unique<IsolatedPack>((*process)->family());
    out.pack_ = Pack::of(out.isolated_->description(), path);
  } else {
    auto pack = Pack::open(path);
    if (!pack) return tl::unexpected(pack.error());
    out.pack_ = std::move(*pack);
  }
  out.family_ = out.pack_->family(family);
  return out;
}

}  // namespace kernsweep
