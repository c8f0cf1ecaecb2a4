// An outcome as it arrived, turned into the row that the store keeps. Pure, apart from the store it writes
// to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coordinator/net/store_thread.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordination {

class Recording {
 public:
  // Both must outlive the recording.
  Recording(Store& store, const Expansion& expansion, std::string software_version);

  // Adds one attempt to the store's running batch.
  Status record(const Finding& finding);

 private:
  Result<SoftwareId> software_of(const wire::OutcomeBody& body);
  Status remember_inputs(const wire::OutcomeBody& body);
  void fill(const Finding& finding, const wire::OutcomeBody& body, AttemptRecord& out);

  Store& store_;
  const Expansion& expansion_;
  const std::string software_version_;
  std::map<std::string, SoftwareId> software_;
  std::map<std::string, bool> inputs_known_;
  std::vector<std::pair<std::size_t, std::string>> environment_columns_;
  int variant_column_ = -1;
  Point point_;
  wire::OutcomeBody body_;
  // Texts that a record refers to while it is being stored.
  std::string grade_reasons_, environment_, inputs_, hash_;
};

}  // namespace kernsweep::coordination
