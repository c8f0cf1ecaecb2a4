// An open pack whose interface version was checked. It is never unloaded, because threads and libraries of
// a pack may outlive any handle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/file_content.hpp"
#include "shared/base/result.hpp"
#include "shared/text/metric_name.hpp"

namespace kernsweep {

namespace wire {
class Catalogue;
}

// How a variant queues several calls on its device (`run_many`; null: it cannot), and how it measures
// several samples in one run.
struct QueuedRuns {
  ks_status (*run_many)(void* state, std::uint64_t runs) = nullptr;
  std::uint64_t runs_max = 1;
  double resolution_s = 0;  // of the clock that times them
  double starting_s = 0;    // time in addition to the calls, if the host's clock times them
  // ks_variant::samples; null: a run is one sample.
  ks_status (*samples)(void* state, const double** seconds, std::size_t* count) = nullptr;
};

class Pack {
 public:
  // Error: not a shared object, no kernsweep_pack, another interface version; with what to do.
  static Result<Pack> open(const std::string& path);

  // A pack that another process has loaded; `description` must outlive it. `path`: of the shared object.
  static Pack of(const ks_pack& description, const std::string& path);

  const ks_pack& description() const { return *pack_; }
  const std::string& path() const { return path_; }
  // The stamp of the shared object, read before it was loaded; nothing if it was not a file.
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  const ks_family* family(std::string_view name) const;
  // Whether the pack has the members that this minor version of the interface added.
  bool is_since(std::uint32_t minor) const { return pack_->api_minor >= minor; }
  // ks_variant::device, "" for NULL and for packs that are too old to have it.
  std::string_view device_of(const ks_variant& variant) const;
  // The counts of the variant since `state` was made; nothing if it counts nothing or returns an error.
  // Names and units are as the pack wrote them; all numbers are finite.
  std::vector<CountedMetric> metrics_of(const ks_variant& variant, void* state) const;
  // `run_many` is null if the pack is too old to have it, and for a variant without a clock of its own.
  QueuedRuns queued_runs_of(const ks_variant& variant) const;
  // Parameters of the family that do not change what is computed (ks_family::settings).
  std::vector<std::string> settings_of(const ks_family& family) const;
  // ks_variant::waited; null: threads of this process do the variant's work.
  double (*waited_of(const ks_variant& variant) const)(void*) {
    return is_since(11) ? variant.waited : nullptr;
  }
  // Operands that calls may overwrite (ks_family::in_place).
  std::vector<std::string> in_place_of(const ks_family& family) const;
  // Least numbers of its work for any correct kernel (ks_family::least).
  std::vector<std::string> least_of(const ks_family& family) const;
  // Whether the variant can overwrite its output itself (ks_variant::overwrite).
  bool overwrites(const ks_variant& variant) const {
    return is_since(6) && variant.overwrite && variant.left && variant.restore;
  }
  // The parts of the output that the variant showed last (ks_variant::parts). Empty: all elements are of
  // its own type, or the parts do not match this output.
  std::vector<ks_part> parts_of(const ks_variant& variant, void* state, const ks_tensor& output) const;
  // The keys of the same output (ks_variant::keys); empty: it has none.
  std::string keys_of(const ks_variant& variant, void* state) const;
  // Empties the caches of the variant's device; KS_OK if it has none of its own.
  ks_status evict(const ks_variant& variant, void* state) const {
    return is_since(2) && variant.evict ? variant.evict(state) : KS_OK;
  }

 private:
  Pack(const ks_pack* pack, std::string path, std::optional<FileStamp> stamp)
      : pack_(pack), path_(std::move(path)), stamp_(stamp) {}

  const ks_pack* pack_;
  std::string path_;
  std::optional<FileStamp> stamp_;
};

// Returns null if the family has no variant of this name.
const ks_variant* variant_of(const ks_family& family, std::string_view name);
std::vector<std::string> variant_names(const ks_family& family);

// Appends the pack's families to a catalogue. With `probe`, each variant is asked whether it can run on
// this host at all, which may load its libraries.
void describe(const Pack& pack, const std::string& file, bool probe, wire::Catalogue& out);

}  // namespace kernsweep
