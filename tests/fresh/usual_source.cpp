// A source as most are: .ci/run measures with it how fast this machine compiles.
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <random>
#include <ranges>
#include <regex>
#include <unordered_map>
#include <variant>
int main(int count, char** words) {
  std::map<std::string, std::function<int(const std::smatch&)>> seen;
  std::smatch found;
  const std::string word = words[count - 1];
  for (const char* pattern : {"a(b*)", "[0-9]+"})
    if (std::regex_search(word, found, std::regex(pattern))) seen[pattern](found);
  std::cout << std::filesystem::path(word).filename() << std::async([&] { return seen.size(); }).get();
}
