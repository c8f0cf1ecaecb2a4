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

#include "results/store/records.hpp"
#include "shared/base/result.hpp"

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

// What an outcome is worth to a later sweep: a result of grade A or B; a doubtful one, of grade C; none.
enum class Worth : std::uint8_t { usable = 1, doubtful, none };

class EarlierResults {
 public:
  static constexpr std::size_t kResultsMax = std::size_t{8} << 20;

  EarlierResults() = default;

  // Results of grade A or B of the sweeps of `kernel` (sweep.kernel), those of `except` and reused ones
  // left out. Of `superseded` other outcomes too (those left out that give way to any new attempt): they
  // are never found, only told by newest(). Error: the file cannot be read.
  static Result<EarlierResults> read(const std::string& path, const std::string& kernel, SweepId except,
                                     SweepId superseded = {});

  // Keeps only results of these jobs, and the origins that they have. `keys` need not be sorted.
  void keep_only(std::vector<Digest> keys);

  std::vector<Origin>& origins() { return origins_; }
  const std::vector<Origin>& origins() const { return origins_; }
  // Position in origins(). No origin is allowed at first.
  void allow(std::size_t origin) { allowed_[origin] = 1; }

  bool empty() const { return results_.empty(); }
  struct Found {
    ResultId result;
    std::size_t origin = 0;  // position in origins()
  };
  // The newest usable result of this key whose origin (its position) fits.
  template <class Fits>
  std::optional<Found> find(const Digest& key, const Fits& fits) const {
    for (auto at = first_of(key); at != results_.end() && at->key == key; ++at) {
      if (at->worth == Worth::usable && allowed_[at->origin] && fits(std::size_t{at->origin}))
        return Found{ResultId{at->result}, at->origin};
    }
    return std::nullopt;
  }
  // The newest usable result of this key.
  std::optional<ResultId> find(const Digest& key) const;
  // The newest outcome of this key, usable or not; the position of its origin.
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
    Worth worth = Worth::usable;
  };
  std::vector<Entry>::const_iterator first_of(const Digest& key) const;

  std::vector<Entry> results_;  // by key, the newest of a key first
  std::vector<Origin> origins_;
  std::vector<char> allowed_;  // for each origin
};

// Fills in what the database keeps of the hosts and softwares of `origins`. Error: it cannot be read.
Status describe_origins(const std::string& path, std::vector<Origin>& origins);

}  // namespace kernsweep
