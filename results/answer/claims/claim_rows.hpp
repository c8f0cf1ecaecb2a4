// The jobs of one sweep for judging claims: read in one pass, failed ones too, so that a verdict can say
// what was left out.
//
// Memory: 184 bytes per job, 40 bytes and 4 per value for each point.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "results/read/point_table.hpp"
#include "results/read/reader.hpp"
#include "results/read/value_codes.hpp"
#include "results/roofs/implausible.hpp"
#include "shared/base/claim.hpp"
#include "shared/base/outcome.hpp"

namespace kernsweep {

struct ClaimJob {
  std::uint32_t point = 0;
  std::uint32_t process = 0;
  bool ok = false;
  bool wrong = false;  // its output was wrong: it has an error, and no times
  Outcome outcome = Outcome::ok;
  char grade = 0;          // X: not to be believed; 0: none
  bool disturbed = false;  // graded C for a cause of the machine
  double cost = 0;         // what that may have cost it (DisturbedResults)
  // By ClaimMetric; NaN: not known. The last one is what the claim at hand counts: see read_counted.
  std::array<double, kClaimMetrics + 1> metrics{};
  double error = 0;           // NaN: not known
  std::uint32_t hash = 0;     // code of the output's hash; 0: none
  std::int64_t inputs = 0;    // text.id
  bool repeatable = true;     // its own repetitions gave the same bits
  std::int64_t software = 0;  // its class (results/read/software_classes.hpp); 0: not known
  std::uint64_t result = 0;
  std::string_view bound;  // its class by the roofs, once it was asked for; empty: not known

  double metric(ClaimMetric which) const { return metrics[static_cast<std::size_t>(which) - 1]; }
};

struct ClaimPoint : PointPlace {
  std::uint32_t spot = 0;         // the same for points that differ in nothing but the software
  bool several_software = false;  // there are such points
};

struct ClaimRows {
  std::vector<std::string> names;  // `variant`, then the columns of the sweep, derived ones too
  std::vector<char> derived;       // of each
  std::vector<ValueCodes> values;  // of each
  ValueCodes caches, hosts, hashes;
  std::vector<std::uint32_t> codes;      // point p, column c: codes[p * names.size() + c]
  std::vector<ClaimPoint> points;        // in the order met in the sweep
  std::vector<ClaimJob> jobs;            // in the order of the sweep
  std::uint32_t spots = 0;               // see ClaimPoint
  std::vector<Implausible> implausible;  // why jobs are graded X
  std::string no_bound;                  // of the claim at hand, why the first job without a class has none

  std::uint32_t code(std::size_t point, std::size_t column) const {
    return codes[point * names.size() + column];
  }
  const Value& value(std::size_t point, std::size_t column) const {
    return values[column].values()[code(point, column)];
  }
};

// Errors: the database cannot be read.
Result<ClaimRows> read_claim_rows(Reader& reader, const StoredSweep& sweep);

// Reads what the claim counts from the table `metric`, of less_memory the device's peak, as
// ClaimMetric::counted of each job. Nothing is read for other claims.
Status read_counted(Reader& reader, const Claim& claim, ClaimRows& rows);

}  // namespace kernsweep
