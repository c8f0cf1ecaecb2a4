#include "worker/process/environment.hpp"

#include <cstdlib>

namespace kernsweep {
namespace {

constexpr const char* kVisibleGpus = "CUDA_VISIBLE_DEVICES";
constexpr const char* kOrderOfGpus = "CUDA_DEVICE_ORDER";
constexpr const char* kByBus = "PCI_BUS_ID";

std::vector<std::string> lines_of(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace

const std::vector<std::string>& passed_variables() {
  static const std::vector<std::string> names = {
      "ASAN_OPTIONS", "CONDA_PREFIX",     "CUDA_MPS_LOG_DIRECTORY", "CUDA_MPS_PIPE_DIRECTORY",
      "HOME",         "KERNSWEEP_PYTHON", "LD_LIBRARY_PATH",        "LSAN_OPTIONS",
      "PATH",         "TMPDIR",           "TSAN_OPTIONS",           "UBSAN_OPTIONS",
      "VIRTUAL_ENV"};
  return names;
}

std::vector<std::string> slot_environment(const std::map<std::string, std::string>& settings,
                                          unsigned threads, const std::string& gpus) {
  std::map<std::string, std::string> variables;
  for (const std::string& name : passed_variables()) {
    if (const char* value = std::getenv(name.c_str())) variables[name] = value;
  }
  for (const char* name : {"BLIS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS",
                           "OPENBLAS_NUM_THREADS"}) {
    variables[name] = std::to_string(threads);
  }
  variables[kOrderOfGpus] = kByBus;
  for (const auto& [name, value] : settings) variables[name] = value;
  variables[kVisibleGpus] = gpus;
  return lines_of(variables);
}

std::vector<std::string> environment_with_every_gpu(unsigned threads) {
  std::vector<std::string> lines = slot_environment({}, threads);
  std::erase(lines, std::string(kVisibleGpus) + "=");
  const char* const shown = std::getenv(kVisibleGpus);
  if (shown == nullptr) return lines;
  lines.push_back(std::string(kVisibleGpus) + "=" + shown);
  // Numbers in CUDA_VISIBLE_DEVICES refer to the order of this process, so its CUDA_DEVICE_ORDER is kept.
  std::erase(lines, std::string(kOrderOfGpus) + "=" + kByBus);
  if (const char* const order = std::getenv(kOrderOfGpus))
    lines.push_back(std::string(kOrderOfGpus) + "=" + order);
  return lines;
}

}  // namespace kernsweep
