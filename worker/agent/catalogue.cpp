#include "worker/agent/catalogue.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "shared/installation.hpp"
#include "shared/utf8.hpp"
#include "worker/agent/environment.hpp"
#include "worker/agent/process.hpp"

namespace kernsweep {
namespace {

constexpr int kDescribeLimitMs = 20000;

std::vector<std::string> packs_in(const std::vector<std::string>& folders) {
  std::vector<std::string> packs;
  for (const std::string& folder : folders) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".so") found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    packs.insert(packs.end(), found.begin(), found.end());
  }
  return packs;
}

// Everything the child writes until it closes its end; false when it takes too long.
bool read_to_end(int descriptor, std::string& out) {
  char buffer[65536];
  while (true) {
    pollfd readable{descriptor, POLLIN, 0};
    if (poll(&readable, 1, kDescribeLimitMs) <= 0) return false;
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got <= 0) return got == 0;
    out.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string how_it_ended(Child& child) {
  pollfd ended{child.exited(), POLLIN, 0};
  if (poll(&ended, 1, kDescribeLimitMs) <= 0) return "does not end";
  const auto ending = child.reap();
  return ending ? describe(*ending) : "ended";
}

void add_families(const wire::Catalogue& described, std::set<std::string>& known, wire::Catalogue& out) {
  for (const auto& family : described.families()) {
    if (known.insert(family.name()).second) *out.add_families() = family;
  }
  for (const auto& broken : described.broken()) out.add_broken(broken);
}

}  // namespace

Result<wire::Catalogue> read_catalogue(const std::vector<std::string>& folders, bool probe) {
  const std::vector<std::string> packs = packs_in(folders);
  if (packs.empty()) {
    return failure(
        "no packs of kernels in " + folders.back() +
        "; the installation is incomplete, or set KERNSWEEP_PACKS to the folder with your packs");
  }
  std::vector<Result<Child>> children;
  for (const std::string& pack : packs) {
    Launch start;
    start.program = slot_program();
    start.arguments = {"--describe", pack};
    if (probe) start.arguments.emplace_back("--probe");
    start.environment = slot_environment({}, 1);
    start.capture_output = true;
    start.dies_with_parent = true;
    children.push_back(launch(start));
  }
  wire::Catalogue out;
  std::set<std::string> known;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!children[i]) return tl::unexpected(children[i].error());
    Child& child = *children[i];
    std::string bytes;
    wire::Catalogue described;
    const bool whole = read_to_end(child.output(), bytes);
    if (!whole) child.kill_group();
    const std::string ending = how_it_ended(child);
    if (whole && ending == "exited with status 0" && described.ParseFromString(bytes)) {
      add_families(described, known, out);
    } else {
      out.add_broken(as_utf8(packs[i]) + ": describing it " + (whole ? ending : "took longer than 20 s"));
    }
  }
  return out;
}

}  // namespace kernsweep
