#include "worker/agent/environment.hpp"

#include <cstdlib>

namespace kernsweep {

const std::vector<std::string>& passed_variables() {
  static const std::vector<std::string> names = {"ASAN_OPTIONS", "HOME",         "LD_LIBRARY_PATH",
                                                 "LSAN_OPTIONS", "PATH",         "TMPDIR",
                                                 "TSAN_OPTIONS", "UBSAN_OPTIONS"};
  return names;
}

std::vector<std::string> slot_environment(const std::map<std::string, std::string>& asked,
                                          unsigned threads) {
  std::map<std::string, std::string> variables;
  for (const std::string& name : passed_variables()) {
    if (const char* value = std::getenv(name.c_str())) variables[name] = value;
  }
  for (const char* name :
       {"BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    variables[name] = std::to_string(threads);
  }
  for (const auto& [name, value] : asked) variables[name] = value;
  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace kernsweep
