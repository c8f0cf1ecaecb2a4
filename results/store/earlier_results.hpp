// The results that the database already has, by job key: a sweep need not measure them again.
//
// Read once through a connection of its own, and then kept in memory: 32 bytes per result, at most
// kResultsMax results, of the newest sweeps first. A result may be used only if its origin was allowed: the
// worker would measure it with the same host and software now (docs/guides/again.md). Used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/store/records.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// One host with one software.
struct Origin {
  HostId host;
  SoftwareId software;
  std::string fingerprint, host_name;       // of the host; the fingerprint in hexadecimal digits
  std::string version, libraries, sources;  // as in SoftwareRecord
  std::uint64_t jobs = 0;                   // number of jobs with a result of this origin
  friend bool operator==(const Origin& a, const Origin& b) {
    return a.host == b.host && a.software == b.software;
  }
};

// How a later sweep may use an outcome. usable: status ok and grade A or B. doubtful: status ok and another
// grade. none: it failed.
enum class Worth : std::uint8_t { usable = 1, doubtful, none };

class EarlierResults {
 public:
  static constexpr std::size_t kResultsMax = std::size_t{8} << 20;

  EarlierResults() = default;

  // Reads the usable results of all sweeps of `kernel` (SweepRecord::kernel) but `except`, without reused
  // ones. From the sweep `superseded` other outcomes are read, too, except those that any new attempt
  // replaces; find() never returns them, only newest() does. Error: the file cannot be read.
  static Result<EarlierResults> read(const std::string& path, const std::string& kernel, SweepId except,
                                     SweepId superseded = {});

  // Keeps only results with one of these keys, and their origins. `keys` need not be sorted. Afterwards no
  // origin is allowed.
  void keep_only(std::vector<Digest> keys);

  std::vector<Origin>& origins() { return origins_; }
  const std::vector<Origin>& origins() const { return origins_; }
  // Allows an origin, by its index in origins(). At first no origin is allowed.
  void allow(std::size_t origin) { allowed_[origin] = 1; }

  bool empty() const { return results_.empty(); }
  struct Found {
    ResultId result;
    std::size_t origin = 0;  // index into origins()
    std::size_t sweep = 0;   // index into sweeps()
  };
  // The sweeps that were read, the newest first, such as "a@7". If there are very many, the last name
  // represents all that follow.
  const std::vector<std::string>& sweeps() const { return sweeps_; }
  // The newest usable result of this key whose origin is allowed and for whose index `fits` returns true.
  template <class Fits>
  std::optional<Found> find(const Digest& key, const Fits& fits) const {
    for (auto at = first_of(key); at != results_.end() && at->key == key; ++at) {
      if (at->worth == Worth::usable && allowed_[at->origin] && fits(std::size_t{at->origin}))
        return Found{ResultId{at->result}, at->origin, at->sweep};
    }
    return std::nullopt;
  }
  // The newest usable result of this key whose origin is allowed.
  std::optional<Found> find(const Digest& key) const;
  // The newest outcome of this key, even if it is not usable or its origin is not allowed.
  struct Newest {
    std::size_t origin = 0;
    Worth worth = Worth::usable;
  };
  std::optional<Newest> newest(const Digest& key) const;

 private:
  struct Entry {
    Digest key;
    std::uint64_t result = 0;
    std::uint32_t origin = 0;
    std::uint16_t sweep = 0;
    Worth worth = Worth::usable;
  };
  static_assert(sizeof(Entry) == 32);
  std::vector<Entry>::const_iterator first_of(const Digest& key) const;

  std::vector<Entry> results_;  // sorted by key; of one key, the newest first
  std::vector<Origin> origins_;
  std::vector<std::string> sweeps_;
  std::vector<char> allowed_;  // one per origin: 1 if it is allowed
};

// Fills in the host and software members of `origins` by their ids. Error: the database cannot be read.
Status describe_origins(const std::string& path, std::vector<Origin>& origins);

}  // namespace kernsweep
