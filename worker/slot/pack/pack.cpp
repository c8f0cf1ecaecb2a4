#include "worker/slot/pack/pack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "shared/text/choices.hpp"
#include "shared/text/suggest.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/host/pack_index.hpp"
#include "worker/host/programs.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {
namespace {

std::string_view kind_name(ks_kind kind) {
  switch (kind) {
    case KS_BOOLEAN:
      return "boolean";
    case KS_INTEGER:
      return "integer";
    case KS_FLOAT:
      return "float";
    case KS_TEXT:
      return "text";
    default:
      return "any";
  }
}

// Packs may return text that is not UTF-8, which would make the whole catalogue unreadable.
std::string text_or_empty(const char* text) {
  return text ? as_utf8(text) : std::string();
}

// `problem`: whether it is part of the problem; nullopt: the pack does not declare it.
void describe_param(const ks_param_doc& doc, std::optional<bool> problem, wire::Param& out) {
  if (problem) out.set_problem(*problem);
  out.set_name(as_utf8(doc.name));
  out.set_kind(std::string(kind_name(doc.kind)));
  out.set_choices(text_or_empty(doc.choices));
  out.set_required(doc.fallback == nullptr);
  out.set_fallback(text_or_empty(doc.fallback));
  out.set_summary(text_or_empty(doc.summary));
}

}  // namespace

Result<Pack> Pack::open(const std::string& path) {
  if (needs_interpreter(path) && this_interpreter().empty())
    return failure(path + ": " + why_no_interpreter());
  std::error_code error;
  if (std::filesystem::is_fifo(path, error)) return failure(path + ": cannot load the pack: it is a FIFO");
  const auto stamp = file_stamp_at(path);
  // Local scope, so that symbols of one pack's libraries are not used for those of another.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return failure(path + ": cannot load the pack, so nothing of it can be measured here: " + dlerror());
  }
  using Entry = const ks_pack* (*)(std::uint32_t, std::uint32_t);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "kernsweep_pack"));
  if (!entry)
    return failure(path +
                   " exports no kernsweep_pack: not a pack, or built with hidden symbols; see "
                   "docs/reference/packs.md");
  const ks_pack* const pack = entry(KS_API_MAJOR, KS_API_MINOR);
  if (!pack)
    return failure(path + " does not work with pack interface " + std::to_string(KS_API_MAJOR) +
                   "; rebuild it");
  if (pack->api_major != KS_API_MAJOR || pack->api_minor > KS_API_MINOR) {
    return failure(path + " was built for pack interface " + std::to_string(pack->api_major) + "." +
                   std::to_string(pack->api_minor) + ", this is " + std::to_string(KS_API_MAJOR) + "." +
                   std::to_string(KS_API_MINOR) + "; rebuild it against this version's kernels/api/pack.h");
  }
  return Pack(pack, path, stamp);
}

Pack Pack::of(const ks_pack& description, const std::string& path) {
  return Pack(&description, path, file_stamp_at(path));
}

const ks_family* Pack::family(std::string_view name) const {
  for (std::size_t i = 0; i < pack_->family_count; ++i) {
    if (name == pack_->families[i]->name) return pack_->families[i];
  }
  return nullptr;
}

std::string_view Pack::device_of(const ks_variant& variant) const {
  return is_since(2) && variant.device ? variant.device : "";
}

namespace {

constexpr std::size_t kMetricsMost = 32;

template <std::size_t size>
std::string text_in(const char (&field)[size]) {
  return std::string(field, strnlen(field, size));
}

CountedMetric counted(const ks_metric& metric) {
  return {text_in(metric.name), metric.value, Better::unknown, ""};
}

// Accepts any value that the pack may have written.
CountedMetric counted(const ks_declared_metric& metric) {
  const auto number = static_cast<std::uint32_t>(metric.better);
  const Better better = number > 2 ? Better::unknown : static_cast<Better>(number);
  return {text_in(metric.name), metric.value, better, text_in(metric.unit)};
}

template <class Metric>
std::vector<CountedMetric> counted_by(ks_status (*ask)(void*, Metric*, std::size_t, std::size_t*),
                                      void* state) {
  std::vector<CountedMetric> counts;
  std::array<Metric, kMetricsMost> metrics{};
  std::size_t count = 0;
  if (ask(state, metrics.data(), metrics.size(), &count) != KS_OK) return counts;
  for (std::size_t i = 0; i < std::min(count, kMetricsMost); ++i)
    if (std::isfinite(metrics[i].value)) counts.push_back(counted(metrics[i]));
  return counts;
}

}  // namespace

std::vector<CountedMetric> Pack::metrics_of(const ks_variant& variant, void* state) const {
  if (is_since(4) && variant.declared_metrics) return counted_by(variant.declared_metrics, state);
  if (is_since(2) && variant.metrics) return counted_by(variant.metrics, state);
  return {};
}

std::vector<ks_part> Pack::parts_of(const ks_variant& variant, void* state, const ks_tensor& output) const {
  const ks_part* parts = nullptr;
  std::size_t count = 0;
  if (!is_since(9) || !variant.parts || variant.parts(state, &parts, &count) != KS_OK || !parts) return {};
  std::vector<ks_part> all(parts, parts + count);
  return element_count(output) && are_parts_of(output, all) ? all : std::vector<ks_part>();
}

std::string Pack::keys_of(const ks_variant& variant, void* state) const {
  const char* const keys = is_since(10) && variant.keys ? variant.keys(state) : nullptr;
  return keys ? keys : "";
}

std::vector<std::string> Pack::settings_of(const ks_family& family) const {
  return is_since(5) && family.settings ? split_choices(family.settings) : std::vector<std::string>();
}

std::vector<std::string> Pack::in_place_of(const ks_family& family) const {
  return is_since(8) && family.in_place ? split_choices(family.in_place) : std::vector<std::string>();
}

std::vector<std::string> Pack::least_of(const ks_family& family) const {
  return is_since(8) && family.least ? split_choices(family.least) : std::vector<std::string>();
}

QueuedRuns Pack::queued_runs_of(const ks_variant& variant) const {
  QueuedRuns out;
  if (is_since(11) && variant.elapsed) out.samples = variant.samples;
  if (!is_since(3) || !variant.run_many || !variant.elapsed) return out;
  const double resolution = variant.elapsed_resolution;
  out.run_many = variant.run_many;
  out.runs_max = std::max<std::uint64_t>(variant.runs_max, 1);
  out.resolution_s = std::isfinite(resolution) && resolution > 0 ? resolution : 0;
  return out;
}

const ks_variant* variant_of(const ks_family& family, std::string_view name) {
  for (std::size_t i = 0; i < family.variant_count; ++i) {
    if (name == family.variants[i]->name) return family.variants[i];
  }
  return nullptr;
}

namespace {

// Describes all parameters of a family (`listed`: its settings) or of a variant (`listed`: its part of the
// problem). A listed name without a parameter is reported to the user, because the parameter that was meant
// has the wrong part now.
template <class Described>
void describe_params(const ks_param_doc* params, std::size_t count, bool declares, const char* listed,
                     bool listed_are_problem, const std::string& whose, Described& out,
                     wire::Catalogue& catalogue) {
  std::vector<std::string> names = declares && listed ? split_choices(listed) : std::vector<std::string>();
  std::vector<std::string> known;
  for (std::size_t p = 0; p < count; ++p) {
    known.emplace_back(params[p].name);
    const auto found = std::ranges::find(names, known.back());
    const bool is_listed = found != names.end();
    if (is_listed) names.erase(found);
    describe_param(params[p], declares ? std::optional(is_listed == listed_are_problem) : std::nullopt,
                   *out.add_params());
  }
  for (const std::string& name : names)
    catalogue.add_broken(as_utf8(whose + (listed_are_problem ? ": problem_params" : ": settings") +
                                 " names '" + name + "', which is none of its parameters" +
                                 did_you_mean(name, known) + "; fix the pack"));
}

// A run of a family that the index omits does not find this pack.
void check_index(const ks_pack& about, const std::vector<std::string>& indexed, const std::string& file,
                 wire::Catalogue& out) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < about.family_count; ++i) names.emplace_back(about.families[i]->name);
  const auto report = [&](const std::string& what) {
    out.add_broken(as_utf8(file + ": " + what + "; correct FAMILIES of kernsweep_add_pack()"));
  };
  for (const std::string& name : names)
    if (std::ranges::find(indexed, name) == indexed.end())
      report("its index lacks the family '" + name + "'");
  for (const std::string& name : indexed)
    if (std::ranges::find(names, name) == names.end())
      report("its index names the family '" + name + "', which the pack does not have");
}

}  // namespace

std::vector<std::string> variant_names(const ks_family& family) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < family.variant_count; ++i) names.emplace_back(family.variants[i]->name);
  return names;
}

void describe(const Pack& pack, const std::string& file, bool probe, wire::Catalogue& out) {
  const ks_pack& about = pack.description();
  if (const auto indexed = indexed_families(pack.path())) check_index(about, *indexed, file, out);
  for (std::size_t i = 0; i < about.family_count; ++i) {
    const ks_family& family = *about.families[i];
    wire::Family& described = *out.add_families();
    described.set_name(as_utf8(family.name));
    described.set_summary(text_or_empty(family.summary));
    described.set_any_params(family.any_params != 0);
    described.set_reference(text_or_empty(family.reference));
    described.set_pack(as_utf8(file));
    described.set_version(text_or_empty(about.version));
    described.set_build(text_or_empty(about.build));
    const bool declares = pack.is_since(5);
    const std::string whose = file + ": family '" + family.name + "'";
    describe_params(family.params, family.param_count, declares, declares ? family.settings : nullptr,
                    false, whose, described, out);
    for (const std::string& name : pack.in_place_of(family)) {
      const auto constants =
          family.constants ? split_choices(family.constants) : std::vector<std::string>();
      if (std::ranges::find(constants, name) != constants.end())
        out.add_broken(as_utf8(whose + ": '" + name +
                               "' is in `constants` and in `in_place`; what a call overwrites is not known "
                               "before it: fix the pack"));
    }
    const std::vector<std::string> numbers = {"flops", "bytes"};
    for (const std::string& name : pack.least_of(family))
      if (std::ranges::find(numbers, name) == numbers.end())
        out.add_broken(as_utf8(whose + ": least names '" + name + "', which is not a number of `work`" +
                               did_you_mean(name, numbers) + "; fix the pack"));
    for (std::size_t v = 0; v < family.variant_count; ++v) {
      const ks_variant& variant = *family.variants[v];
      wire::Variant& described_variant = *described.add_variants();
      described_variant.set_name(as_utf8(variant.name));
      described_variant.set_summary(text_or_empty(variant.summary));
      described_variant.set_device(as_utf8(pack.device_of(variant)));
      describe_params(variant.params, variant.param_count, declares,
                      declares ? variant.problem_params : nullptr, true,
                      whose + ", variant '" + variant.name + "'", described_variant, out);
      if (!probe || !variant.available) continue;
      std::array<char, 512> why{};
      if (variant.available({why.data(), why.size()}) != KS_OK) {
        described_variant.set_unavailable(as_utf8(why[0] ? why.data() : "no reason given"));
      }
    }
  }
}

}  // namespace kernsweep
