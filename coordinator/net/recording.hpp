// Converts an outcome that arrived to a row, and adds it to the store.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/net/store_thread.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

class Recording {
 public:
  // `store` must outlive the recording.
  Recording(Store& store, std::string software_version);

  // Adds a sweep whose outcomes will arrive. It must be removed with forget() as often as it was added: a
  // sweep that is ending may start again before its end arrives here.
  void add(SweepId id, std::shared_ptr<const Expansion> expansion);
  // Returns true if the sweep is no longer known.
  bool forget(SweepId id);

  // Software that later outcomes may refer to. Its row is stored with the first of these outcomes.
  void learn(const wire::Software& description);

  // Adds one attempt to the store's running batch. Requires that its sweep was added.
  Status record(const PendingResult& result);

 private:
  struct KnownSoftware {
    SoftwareRecord record;  // empty after it was stored
    std::string thread_environment;
    std::optional<SoftwareId> id;
  };

  KnownSoftware* meet(const std::string& identity, std::size_t bytes);
  Status add_software_of(const wire::OutcomeBody& body, AttemptRecord& out);
  Status remember_inputs(const wire::OutcomeBody& body);
  void fill(const PendingResult& result, const wire::OutcomeBody& body, AttemptRecord& out);
  void fill_conditions(const wire::OutcomeBody& body, AttemptRecord& out) const;

  struct KnownSweep {
    std::shared_ptr<const Expansion> expansion;
    std::vector<std::pair<std::size_t, std::string>> environment_columns;
    int variant_column = -1;
    int added = 0;
  };

  Status reuse(const PendingResult& result, const KnownSweep& known);
  // Fills in the values of the job from the sweep file: point, values, key. The texts are views of point_.
  template <class Record>
  void fill_job(const KnownSweep& known, const JobId& id, Record& record);

  Store& store_;
  const std::string software_version_;
  std::map<std::string, KnownSoftware, std::less<>> software_;  // by the identity that outcomes name
  std::size_t software_bytes_ = 0;                              // of everything added; never reduced
  std::map<std::string, bool> inputs_known_;
  std::map<SweepId, KnownSweep> sweeps_;
  Point point_;
  wire::OutcomeBody body_;
  // Texts that a record refers to while it is being stored.
  std::vector<MetricRecord> metrics_;
  std::string reason_, grade_reasons_, notes_, environment_, inputs_, hash_, distrust_;
};

}  // namespace kernsweep::coordinator
