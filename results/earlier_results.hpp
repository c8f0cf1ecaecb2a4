// What a database has measured already, found by the key of a job: what a sweep need not measure again.
//
// Read once, beside the writer, by a connection of its own; then it is memory: 32 bytes for each result,
// the newest kResultsMax of them. A result is usable while its origin is allowed: what measured it (one
// host with one software) is what would measure it now, which its worker says (docs/guides/again.md).
//
// Immutable but for allow(): one thread owns it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/records.hpp"
#include "shared/result.hpp"

namespace kernsweep {

// One host with one software.
struct Origin {
  HostId host;
  SoftwareId software;
  std::string fingerprint, host_name;       // of the host; hexadecimal digits
  std::string version, libraries, sources;  // as in SoftwareRecord
  std::uint64_t jobs = 0;                   // that have a result of it
  friend bool operator==(const Origin& a, const Origin& b) {
    return a.host == b.host && a.software == b.software;
  }
};

class EarlierResults {
 public:
  static constexpr std::size_t kResultsMax = std::size_t{8} << 20;

  EarlierResults() = default;

  // Results of grade A or B of the sweeps of `kernel` (sweep.kernel), those of `except` and reused ones
  // left out. Error: the file cannot be read.
  static Result<EarlierResults> read(const std::string& path, const std::string& kernel, SweepId except);

  // Keeps only results of these jobs, and the origins that they have. `keys` need not be sorted.
  void keep_only(std::vector<Digest> keys);

  std::vector<Origin>& origins() { return origins_; }
  const std::vector<Origin>& origins() const { return origins_; }
  // Position in origins(). No origin is allowed at first.
  void allow(std::size_t origin) { allowed_[origin] = 1; }

  bool empty() const { return results_.empty(); }
  // The newest usable result of this key; of this host, where one is named.
  std::optional<ResultId> find(const Digest& key, std::optional<HostId> host = std::nullopt) const;
  // The origin of the newest result of this key, usable or not.
  std::optional<std::size_t> newest_origin(const Digest& key) const;

 private:
  struct Entry {
    Digest key;
    std::uint64_t result = 0;
    std::uint32_t origin = 0;
  };
  std::vector<Entry> results_;  // by key, the newest of a key first
  std::vector<Origin> origins_;
  std::vector<char> allowed_;  // for each origin
};

// Fills in what the database keeps of the hosts and softwares of `origins`. Error: it cannot be read.
Status describe_origins(const std::string& path, std::vector<Origin>& origins);

}  // namespace kernsweep
