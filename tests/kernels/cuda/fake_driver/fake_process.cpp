// The fake driver for a whole process, a slot of the real program: the properties of its device, and its
// behaviour, from the environment and from the word in the file $TMPDIR/fake_cuda.
//
//   illegal N   the N-th kernel of the process touches what it must not; the file goes away with it, so
//   that
//               the next process computes well
//   hang N      the N-th kernel never ends; so does the file
//   keeps 1     device memory that was freed comes back as it was
//   dies N      there are two devices, and the N-th kernel of a process is the last of the second one; from
//               then on the file says "dead 1", and CUDA shows it to nobody
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

// Those of tests/process/fake_gpu.
constexpr const char* kFirst = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";
constexpr const char* kSecond = "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f";

void simulate_two(const char* visible, bool dead, int dying_launch, Simulation& simulation) {
  const bool first = visible == nullptr || std::strstr(visible, kFirst) != nullptr;
  const bool second = visible == nullptr || std::strstr(visible, kSecond) != nullptr;
  simulation.devices = (first ? 1 : 0) + (second && !dead ? 1 : 0);
  simulation.first_device = first ? 0 : 1;
  if (simulation.devices == 0) simulation.init_result = CUDA_ERROR_NO_DEVICE;
  if (!first && second) simulation.dying_launch = dying_launch;
}

std::string path_of_part() {
  const char* const folder = std::getenv("TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/fake_cuda";
}

}  // namespace

Simulation simulation_of_process() {
  Simulation simulation;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible == '\0') simulation.init_result = CUDA_ERROR_NO_DEVICE;
  std::FILE* const file = std::fopen(path_of_part().c_str(), "r");
  if (file == nullptr) return simulation;
  char word[16] = "";
  int kernel = 0;
  if (std::fscanf(file, "%15s %d", word, &kernel) == 2) {
    if (std::strcmp(word, "illegal") == 0) simulation.illegal_launch = kernel;
    simulation.keeps_content = std::strcmp(word, "keeps") == 0;
    if (std::strcmp(word, "hang") == 0) simulation.endless_launch = kernel;
    const bool dead = std::strcmp(word, "dead") == 0;
    if (dead || std::strcmp(word, "dies") == 0) simulate_two(visible, dead, dead ? 0 : kernel, simulation);
  }
  std::fclose(file);
  return simulation;
}

void forget_part() {
  std::remove(path_of_part().c_str());
}

void remember_death() {
  std::FILE* const file = std::fopen(path_of_part().c_str(), "w");
  if (file == nullptr) return;
  std::fputs("dead 1", file);
  std::fclose(file);
}

}  // namespace kernsweep::testing::fake_cuda

using namespace kernsweep::testing::fake_cuda;

// Those of the GPUs of tests/process/fake_gpu, whose management library knows them.
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(16 * device + i);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = state().simulation.memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* id, int size, CUdevice) {
  std::snprintf(id, static_cast<std::size_t>(size), "0000:01:00.0");
  return CUDA_SUCCESS;
}
