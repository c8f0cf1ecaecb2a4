#include "kernels/opencl/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace kernsweep::opencl {
namespace {

constexpr const char* kNoDevice =
    "OpenCL shows no device; install a driver, such as pocl-opencl-icd for the processor";

std::string platform_text(cl_platform_id platform) {
  std::string text(256, '\0');
  std::size_t size = 0;
  if (api().get_platform_info(platform, CL_PLATFORM_NAME, text.size(), text.data(), &size) != CL_SUCCESS)
    return "";
  return {text.c_str()};
}

std::string device_text(cl_device_id device, cl_device_info what) {
  std::string text(256, '\0');
  std::size_t size = 0;
  if (api().get_device_info(device, what, text.size(), text.data(), &size) != CL_SUCCESS) return "";
  return {text.c_str()};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return out;
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (api().get_platforms(0, nullptr, &count) != CL_SUCCESS) count = 0;
  std::vector<cl_platform_id> out(count);
  if (count > 0) check(api().get_platforms(count, out.data(), nullptr), "listing the platforms of OpenCL");
  return out;
}

std::vector<cl_device_id> devices(cl_platform_id platform) {
  cl_uint count = 0;
  if (api().get_devices(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> out(count);
  check(api().get_devices(platform, CL_DEVICE_TYPE_ALL, count, out.data(), nullptr),
        "listing devices of OpenCL");
  return out;
}

Device find_device(std::string_view wanted) {
  Device out;
  std::string seen;
  for (const cl_platform_id platform : platforms()) {
    for (const cl_device_id id : devices(platform)) {
      const std::string text = device_text(id, CL_DEVICE_NAME) + ", " + platform_text(platform);
      seen += (seen.empty() ? "" : "; ") + text;
      if (lower(text).find(lower(wanted)) == std::string::npos) continue;
      out.id = id;
      out.text = text + ", driver " + device_text(id, CL_DRIVER_VERSION);
      return out;
    }
  }
  if (seen.empty()) throw Failure(KS_UNSUPPORTED, kNoDevice);
  throw Failure(KS_UNSUPPORTED,
                "no OpenCL device has '" + std::string(wanted) + "' in its name; this host has: " + seen);
}

// Names PoCL's folder of compiled kernels, by its own default, because the list of loaded libraries leaves
// them out.
void name_cache() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') {
    setenv("POCL_CACHE_DIR", (std::string(cache) + "/pocl/kcache").c_str(), 0);
  } else if (home != nullptr && *home == '/') {
    setenv("POCL_CACHE_DIR", (std::string(home) + "/.cache/pocl/kcache").c_str(), 0);
  }
}

}  // namespace

void find_driver() {
  if (platforms().empty()) throw Failure(KS_UNSUPPORTED, kNoDevice);
}

const Device& open_device(std::string_view wanted, int threads) {
  static std::map<std::string, Device, std::less<>> opened;
  name_cache();
  if (const auto found = opened.find(wanted); found != opened.end()) return found->second;
  // PoCL starts as many threads as the host has cores, whatever this process may use.
  if (opened.empty()) setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 0);
  Device device = find_device(wanted);
  cl_int code = CL_SUCCESS;
  device.context = api().create_context(nullptr, 1, &device.id, nullptr, nullptr, &code);
  check(code, "using the OpenCL device " + device.text);
  device.queue = api().create_queue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
  check(code, "making a queue of the OpenCL device " + device.text);
  (void)api().get_device_info(device.id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof device.local_bytes,
                              &device.local_bytes, nullptr);
  return opened.emplace(wanted, device).first->second;
}

}  // namespace kernsweep::opencl
