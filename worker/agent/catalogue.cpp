#include "worker/agent/catalogue.hpp"

#include <set>

#include "shared/installation.hpp"
#include "shared/utf8.hpp"
#include "worker/agent/environment.hpp"
#include "worker/agent/hear_out.hpp"

namespace kernsweep {
namespace {

constexpr Duration kDescribeLimit = std::chrono::seconds(20);

void add_families(const wire::Catalogue& described, std::set<std::string>& known, wire::Catalogue& out) {
  for (const auto& family : described.families()) {
    if (known.insert(family.name()).second) *out.add_families() = family;
  }
  for (const auto& broken : described.broken()) out.add_broken(broken);
}

}  // namespace

Result<wire::Catalogue> read_catalogue(const std::vector<std::string>& folders, bool probe) {
  const std::vector<std::string> packs = pack_files(folders);
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
    const Heard heard = hear_out(*children[i], kDescribeLimit);
    const std::string ending = heard.ending ? describe(*heard.ending) : "does not end";
    wire::Catalogue described;
    if (heard.in_time && ending == "exited with status 0" && described.ParseFromString(heard.output)) {
      add_families(described, known, out);
    } else {
      out.add_broken(as_utf8(packs[i]) + ": describing it " +
                     (heard.in_time ? ending : "took longer than 20 s"));
    }
  }
  return out;
}

}  // namespace kernsweep
