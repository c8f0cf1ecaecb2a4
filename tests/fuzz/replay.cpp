// Replaces libFuzzer if there is none: gives a fuzz target nothing, and then each file of the folders named
// on the command line, in order. Status 2 for a folder without a file, as then nothing was tried.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_in(const char* folder) {
  std::vector<std::filesystem::path> files;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argument_count, char** arguments) {
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (int i = 1; i < argument_count; ++i) {
    const auto files = files_in(arguments[i]);
    if (files.empty()) {
      std::fprintf(stderr, "replay: %s has no files; every fuzz target needs a corpus\n", arguments[i]);
      return 2;
    }
    for (const auto& file : files) {
      std::fprintf(stderr, "%s\n", file.c_str());  // before, so that the last line names what crashed
      std::ifstream in(file, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      // A copy of exactly this size, so that AddressSanitizer sees one byte too many.
      const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
      LLVMFuzzerTestOneInput(exact.data(), exact.size());
    }
    std::printf("replay: %zu inputs of %s\n", files.size(), arguments[i]);
  }
  return 0;
}
