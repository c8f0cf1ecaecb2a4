// TensorMapping over Boost.Interprocess; the only file that includes that library.
#include <sys/mman.h>
#include <unistd.h>
#include <boost/interprocess/detail/os_file_functions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include "tensors/mapping.hpp"

#include "shared/base/try.hpp"

namespace kernsweep {
namespace ipc = boost::interprocess;

// The mapping, and behind its last page one that cannot be read: a kernel that reads too far ends there.
struct TensorMapping::Region {
  ~Region() {
    if (guard != nullptr) munmap(guard, page());
  }

  static std::size_t page() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
  }
  ipc::mapped_region pages;
  char* guard = nullptr;
};

Result<TensorMapping> TensorMapping::open(const std::string& path, std::uint64_t bytes,
                                          std::uint64_t inode) {
  try {
    const ipc::file_mapping file(path.c_str(), ipc::read_only);
    const int descriptor = ipc::ipcdetail::file_handle_from_mapping_handle(file.get_mapping_handle());
    KS_RETURN_IF_ERROR(check_sealed(descriptor, path, bytes, inode));
    auto region = std::make_unique<Region>();
    if (bytes > 0) {
      const auto size = static_cast<std::size_t>(bytes);
      const std::size_t page = Region::page(), whole = (size + page - 1) / page * page;
      void* const place =
          mmap(nullptr, whole + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (place == MAP_FAILED) return failure(path + ": there is no room in the address space to map it");
      region->guard = static_cast<char*>(place) + whole;
      region->pages = ipc::mapped_region(file, ipc::read_only, 0, size, place, MAP_FIXED);
    }
    return TensorMapping(std::move(region));
  } catch (const ipc::interprocess_exception& error) {
    return failure(path + ": cannot be mapped: " + error.what() + "; has the process that made it ended?");
  }
}

TensorMapping::TensorMapping(std::unique_ptr<Region> region) : region_(std::move(region)) {}
TensorMapping::TensorMapping(TensorMapping&&) noexcept = default;
TensorMapping& TensorMapping::operator=(TensorMapping&&) noexcept = default;
TensorMapping::~TensorMapping() = default;

std::span<const std::byte> TensorMapping::bytes() const {
  return {static_cast<const std::byte*>(region_->pages.get_address()), region_->pages.get_size()};
}

}  // namespace kernsweep
