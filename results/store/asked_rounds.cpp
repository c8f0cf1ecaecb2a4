// The decisions of sweeps that request more processes if a comparison is not decided.
#include <fmt/format.h>

#include "results/sqlite/insertion.hpp"
#include "results/store/store.hpp"
#include "results/store/store_state.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {

namespace {

struct AskedRow {
  SweepId sweep;
  std::int64_t round;
  const AskedRound& asked;
  std::string points;
};
constexpr Field<AskedRow> kAsked[] = {
    {"sweep_id", stored<&AskedRow::sweep>},
    {"round", stored<&AskedRow::round>},
    {"process_from", [](Parameter to, const AskedRow& row) { to.set(row.asked.from); }},
    {"process_until", [](Parameter to, const AskedRow& row) { to.set(row.asked.until); }},
    {"points", stored<&AskedRow::points>},
    {"why", [](Parameter to, const AskedRow& row) { to.set(row.asked.why); }},
};

// The numbers of "[1,2]"; other text is skipped.
std::vector<std::uint64_t> positions_in(std::string_view text) {
  std::vector<std::uint64_t> positions;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("[],"), text.size());
    if (const auto position = number_of<std::uint64_t>(text.substr(0, end))) positions.push_back(*position);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return positions;
}

}  // namespace

Status Store::ask(SweepId id, const AskedRound& round) {
  State& state = *state_;
  KS_RETURN_IF_ERROR(commit());
  KS_ASSIGN_OR_RETURN(const auto last, state.database.integer(fmt::format(
                                           "select max(round) from asked where sweep_id = {}", id.value)));
  KS_RETURN_IF_ERROR(state.begin());
  const auto added = insert_one(state.database, "asked", kAsked,
                                {id, last + 1, round, fmt::format("[{}]", fmt::join(round.points, ","))});
  if (!added) return state.roll_back(added.error().message);
  return commit();
}

Result<std::vector<AskedRound>> Store::asked(SweepId id) {
  std::vector<AskedRound> rounds;
  KS_RETURN_IF_ERROR(state_->database.each_row(
      {"process_from", "process_until", "points", "why"},
      fmt::format("from asked where sweep_id = {} order by round", id.value), [&](const sqlite::Row& row) {
        rounds.push_back({static_cast<std::uint32_t>(row.integer(0)),
                          static_cast<std::uint32_t>(row.integer(1)), positions_in(row.text(2)),
                          std::string(row.text(3))});
      }));
  return rounds;
}

}  // namespace kernsweep
