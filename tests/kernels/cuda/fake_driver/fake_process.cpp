// The fake driver for a whole process, a slot of the real program: what there is to be listed of its
// device, and how it behaves, by the environment and by the word in the file $TMPDIR/fake_cuda.
//
//   illegal N   the N-th kernel of the process touches what it must not; the file goes away with it, so
//   that
//               the next process computes well
//   hang N      the N-th kernel never ends; so does the file
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

std::string path_of_part() {
  const char* const folder = std::getenv("TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/fake_cuda";
}

}  // namespace

Play play_of_process() {
  Play play;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible == '\0') play.init_result = CUDA_ERROR_NO_DEVICE;
  std::FILE* const file = std::fopen(path_of_part().c_str(), "r");
  if (file == nullptr) return play;
  char word[16] = "";
  int kernel = 0;
  if (std::fscanf(file, "%15s %d", word, &kernel) == 2) {
    if (std::strcmp(word, "illegal") == 0) play.illegal_launch = kernel;
    if (std::strcmp(word, "hang") == 0) play.endless_launch = kernel;
  }
  std::fclose(file);
  return play;
}

void forget_part() {
  std::remove(path_of_part().c_str());
}

}  // namespace kernsweep::testing::fake_cuda

using namespace kernsweep::testing::fake_cuda;

// That of the first GPU of tests/process/fake_gpu, whose management library knows it.
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(i);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = state().play.memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* id, int size, CUdevice) {
  std::snprintf(id, static_cast<std::size_t>(size), "0000:01:00.0");
  return CUDA_SUCCESS;
}
