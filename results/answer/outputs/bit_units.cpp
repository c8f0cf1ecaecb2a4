#include "results/answer/outputs/bit_units.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared/base/try.hpp"

namespace kernsweep {

Result<OutputsOfResults> read_output_bits(Reader& reader, const StoredSweep& sweep) {
  OutputsOfResults outputs;
  ValueCodes hashes;
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      {"o.result", "o.output_hash", "r.inputs", "r.repeatable is 0"},
      fmt::format("from outcome o left join attempt_row r on r.result = o.result where o.sweep_id = {}",
                  sweep.id.value),
      [&](const sqlite::Row& row) {
        if (row.text(1).empty()) return;
        outputs[static_cast<std::uint64_t>(row.integer(0))] = {
            .hash = hashes.of(row.cell(1)), .inputs = row.integer(2), .repeatable = row.integer(3) == 0};
      }));
  return outputs;
}

void BitUnits::add(const SweepRows::Job& job, const OutputBits& output) {
  const std::uint64_t point = std::uint64_t{job.point} << 16;
  const auto [at, added] = unit_at_.try_emplace(point | job.place, units_.size());
  if (!added && !each_job_) {
    BitUnit& unit = units_[at->second];
    ++unit.processes;
    const bool same = output.hash == unit.output.hash;
    unit.output.repeatable = unit.output.repeatable && output.repeatable && same;
    if (!same && unit.other_hashes++ == 0) unit.other_result = job.result;
    return;
  }
  const SweepRows::Place& place = rows_.places[job.place];
  const auto software = static_cast<std::uint32_t>(place.software_class) + 1;
  for (std::size_t c = 0; c < rows_.columns.size(); ++c) codes_.push_back(rows_.code(job.point, c));
  codes_.push_back(place.cache_code);
  codes_.push_back(static_cast<std::uint32_t>(place.host_kind));
  codes_.push_back(job.process);
  codes_.push_back(software);
  const auto [other, alone] = unit_in_spot_.try_emplace(point | place.spot, units_.size());
  codes_.push_back(alone && !each_job_ ? 0 : software);
  if (!alone) {
    std::uint32_t* const known = &codes_[other->second * width()];
    known[width() - 1] = known[column_of(kSoftware)];
  }
  units_.push_back({.point = job.point, .place = job.place, .result = job.result, .output = output});
}

Value BitUnits::value(const BitUnit& unit, std::size_t column) const {
  if (column < rows_.columns.size()) return rows_.value(unit.point, column);
  const SweepRows::Place& place = rows_.places[unit.place];
  if (column == column_of(kCache)) return place.cache;
  return column == column_of(kHost) ? place.host_id : place.software_class;
}

bool BitUnits::is_constant(std::size_t column) const {
  for (std::size_t at = column; at < codes_.size(); at += width())
    if (codes_[at] != codes_[column]) return false;
  return true;
}

std::vector<char> BitUnits::dependent_on(const std::vector<std::size_t>& columns) const {
  const std::size_t count = rows_.columns.size();
  std::vector<char> dependent(count, 0);
  for (const std::size_t column : columns) {
    if (column >= count) continue;
    std::vector<char> is_set(rows_.values[column].values().size() * count, 0), seen(is_set.size(), 0);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const std::size_t first = codes_[u * width() + column] * count;
      for (std::size_t c = 0; c < count; ++c) {
        seen[first + c] = 1;
        if (!rows_.value(units_[u].point, c).is_null()) is_set[first + c] = 1;
      }
    }
    for (std::size_t c = 0; c < count; ++c) {
      bool some = false, none = false;
      for (std::size_t at = c; at < is_set.size(); at += count)
        if (seen[at]) (is_set[at] ? some : none) = true;
      if (some && none) dependent[c] = 1;
    }
  }
  return dependent;
}

BitUnits::LeftOut BitUnits::compare(const std::vector<std::size_t>& columns,
                                    const std::function<void(const BitUnit&, const BitUnit&)>& use) const {
  const auto is_named = [&](std::size_t column) {
    return std::ranges::find(columns, column) != columns.end();
  };
  const std::vector<char> dependent = dependent_on(columns);
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < rows_.columns.size(); ++c)
    if (!rows_.columns[c].derived && !dependent[c] && !is_named(c)) others.push_back(c);
  for (const Place place : {kCache, kHost})
    if (!is_named(column_of(place))) others.push_back(column_of(place));
  if (!is_named(column_of(kSoftware))) others.push_back(width() - 1);
  RowNumbers groups(std::move(others));
  std::vector<std::size_t> first;  // unit of each group
  LeftOut left;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    if (!units_[u].output.repeatable && !each_job_) {
      ++left.not_repeatable;
      continue;
    }
    const std::uint32_t group = groups.number(&codes_[u * width()]);
    if (group == first.size()) {
      first.push_back(u);
      continue;
    }
    const std::size_t base = first[group];
    const auto differs = [&](std::size_t c) {
      return codes_[u * width() + c] != codes_[base * width() + c];
    };
    if (std::ranges::none_of(columns, differs)) continue;
    if (units_[u].output.inputs != units_[base].output.inputs)
      ++left.other_inputs;
    else
      use(units_[base], units_[u]);
  }
  return left;
}

}  // namespace kernsweep
