// An outcome as it arrived, turned into the row that the store keeps. Pure, apart from the store it writes
// to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/net/store_thread.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordination {

class Recording {
 public:
  // Both must outlive the recording.
  Recording(Store& store, const Expansion& expansion, std::string software_version);

  // What later outcomes may name. Its row is added with the first that does.
  void learn(const wire::Software& told);

  // Adds one attempt to the store's running batch.
  Status record(const Finding& finding);

 private:
  struct KnownSoftware {
    SoftwareRecord record;  // empty again once it is stored
    std::string thread_environment;
    std::optional<SoftwareId> id;
  };

  Status add_software_of(const wire::OutcomeBody& body, AttemptRecord& out);
  Status remember_inputs(const wire::OutcomeBody& body);
  void fill(const Finding& finding, const wire::OutcomeBody& body, AttemptRecord& out);
  void fill_conditions(const wire::OutcomeBody& body, AttemptRecord& out) const;

  Store& store_;
  const Expansion& expansion_;
  const std::string software_version_;
  std::map<std::string, KnownSoftware, std::less<>> software_;  // by the identity that outcomes name
  std::map<std::string, bool> inputs_known_;
  std::vector<std::pair<std::size_t, std::string>> environment_columns_;
  int variant_column_ = -1;
  Point point_;
  wire::OutcomeBody body_;
  // Texts that a record refers to while it is being stored.
  std::string grade_reasons_, environment_, inputs_, hash_;
};

}  // namespace kernsweep::coordination
