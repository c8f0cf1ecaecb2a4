// TensorMapping over Boost.Interprocess; the only file that includes that library.
#include <boost/interprocess/detail/os_file_functions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include "tensors/mapping.hpp"

#include "shared/base/try.hpp"

namespace kernsweep {
namespace ipc = boost::interprocess;

struct TensorMapping::Region {
  ipc::mapped_region pages;
};

Result<TensorMapping> TensorMapping::open(const std::string& path, std::uint64_t bytes,
                                          std::uint64_t inode) {
  try {
    const ipc::file_mapping file(path.c_str(), ipc::read_only);
    const int descriptor = ipc::ipcdetail::file_handle_from_mapping_handle(file.get_mapping_handle());
    KS_RETURN_IF_ERROR(check_sealed(descriptor, path, bytes, inode));
    auto region = std::make_unique<Region>();
    if (bytes > 0)
      region->pages = ipc::mapped_region(file, ipc::read_only, 0, static_cast<std::size_t>(bytes));
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
