#include "worker/catalogue.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>

#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/pack_index.hpp"
#include "worker/host/programs.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

constexpr Duration kDescribeLimit = std::chrono::seconds(90);
constexpr std::size_t kAtOnce = 8;  // packs described at the same time: each needs descriptors and memory

template <class Named>
auto* named(Named& things, const std::string& name) {
  const auto found = std::ranges::find_if(things, [&](const auto& each) { return each.name() == name; });
  return found == things.end() ? nullptr : &*found;
}

bool same_parameters(const wire::Family& a, const wire::Family& b) {
  const auto same = [](const wire::Param& x, const wire::Param& y) {
    return x.name() == y.name() && x.kind() == y.kind() && x.choices() == y.choices() &&
           x.required() == y.required() && x.fallback() == y.fallback();
  };
  return a.any_params() == b.any_params() && std::ranges::equal(a.params(), b.params(), same);
}

bool computes_on_gpus(const wire::Catalogue& described) {
  return std::ranges::any_of(described.families(), [](const wire::Family& family) {
    return std::ranges::any_of(family.variants(),
                               [](const wire::Variant& variant) { return variant.device() == "gpu"; });
  });
}

void add_variants(const wire::Family& from, wire::Family& to) {
  for (const wire::Variant& variant : from.variants()) {
    if (named(to.variants(), variant.name())) continue;
    wire::Variant& added = *to.add_variants() = variant;
    added.set_pack(from.pack());
  }
}

Result<Child> start_describing(const std::string& pack, bool probe) {
  Launch start;
  start.program = slot_program();
  start.arguments = {"--describe", pack};
  if (probe) start.arguments.emplace_back("--probe");
  start.environment = environment_with_every_gpu();
  start.capture_output = true;
  start.dies_with_parent = true;
  return launch(start);
}

// If the process failed, the answer has only `broken`.
wire::Catalogue described_by(Child& child, const std::string& pack) {
  const ExitedProcess exited = run_to_exit(child, kDescribeLimit);
  const std::string ending = exited.ending ? describe(*exited.ending) : "does not end";
  wire::Catalogue described;
  if (exited.in_time && ending == "exited with status 0" && described.ParseFromString(exited.output))
    return described;
  described.Clear();
  const std::string by = needs_interpreter(pack) ? " with " + find_interpreter() : "";
  described.add_broken(
      as_utf8(pack + ": describing it" + by + " " + (exited.in_time ? ending : "took longer than 90 s")));
  return described;
}

// The answers of several packs in one. Error: no process could be started.
Result<wire::Catalogue> described_packs(const std::vector<std::string>& packs, bool probe) {
  std::deque<Result<Child>> children;  // of the packs from the i-th on
  std::size_t started = 0;
  wire::Catalogue out, of_gpus;
  for (std::size_t i = 0; i < packs.size(); ++i) {
    while (started < packs.size() && started < i + kAtOnce)
      children.push_back(start_describing(packs[started++], probe));
    if (!children.front()) return tl::unexpected(children.front().error());
    const wire::Catalogue described = described_by(*children.front(), packs[i]);
    children.pop_front();
    add_families(described, computes_on_gpus(described) ? of_gpus : out);
  }
  add_families(of_gpus, out);  // last: references and common properties are those of the processor's packs
  return out;
}

}  // namespace

Result<wire::Catalogue> read_pack(const std::string& pack) {
  KS_ASSIGN_OR_RETURN(auto child, start_describing(pack, true));
  return described_by(child, pack);
}

void add_families(const wire::Catalogue& described, wire::Catalogue& out) {
  for (const wire::Family& family : described.families()) {
    wire::Family* const known = named(*out.mutable_families(), family.name());
    if (!known) {
      *out.add_families() = family;
    } else if (same_parameters(*known, family)) {
      add_variants(family, *known);
    } else if (computes_on_gpus(described)) {  // other packs may replace a family on purpose
      out.add_broken(as_utf8(family.pack()) + ": its variants of '" + family.name() +
                     "' are left out, because the family has other parameters in " + known->pack());
    }
  }
  for (const auto& broken : described.broken()) out.add_broken(broken);
}

std::optional<std::string> pack_with(const wire::Catalogue& catalogue, const std::string& family,
                                     const std::string& variant) {
  const wire::Family* const found = named(catalogue.families(), family);
  if (!found) return std::nullopt;
  const wire::Variant* const way = named(found->variants(), variant);
  return way && !way->pack().empty() ? way->pack() : found->pack();
}

google::protobuf::Map<std::string, std::string> packs_by_variant(const wire::Catalogue& catalogue,
                                                                 const std::string& family) {
  google::protobuf::Map<std::string, std::string> out;
  const wire::Family* const found = named(catalogue.families(), family);
  if (!found) return out;
  for (const wire::Variant& variant : found->variants())
    out[variant.name()] = variant.pack().empty() ? found->pack() : variant.pack();
  return out;
}

std::vector<std::string> packs_of(const wire::Catalogue& catalogue) {
  std::set<std::string> packs;
  for (const wire::Family& family : catalogue.families()) {
    packs.insert(family.pack());
    for (const wire::Variant& variant : family.variants())
      if (!variant.pack().empty()) packs.insert(variant.pack());
  }
  return {packs.begin(), packs.end()};
}

Result<wire::Catalogue> read_catalogue(const std::vector<std::string>& folders, bool probe,
                                       const std::string& family) {
  const std::vector<std::string> packs = pack_files(folders);
  if (packs.empty()) {
    return failure(
        "no packs of kernels in " + folders.back() +
        "; the installation is incomplete, or set KERNSWEEP_PACKS to the folder with your packs");
  }
  if (family.empty()) return described_packs(packs, probe);
  std::vector<std::string> wanted;
  std::ranges::copy_if(packs, std::back_inserter(wanted),
                       [&](const std::string& pack) { return may_have_family(pack, family); });
  auto described = described_packs(wanted, probe);
  if (!described || named(*described->mutable_families(), family)) return described;
  // If packs were left out, the other packs belong to the answer.
  return wanted.size() == packs.size() ? std::move(described) : described_packs(packs, probe);
}

std::optional<std::string> first_pack_with(const std::vector<std::string>& folders,
                                           const std::string& family) {
  std::vector<std::string> packs = pack_files(folders);
  std::erase_if(packs, [&](const std::string& pack) { return !may_have_family(pack, family); });
  for (const std::string& pack : packs) {
    if (&pack == &packs.back() && indexed_families(pack)) return pack;  // no other pack is left to choose
    auto described = read_pack(pack);
    if (described && named(*described->mutable_families(), family)) return pack;
  }
  return std::nullopt;
}

}  // namespace kernsweep
