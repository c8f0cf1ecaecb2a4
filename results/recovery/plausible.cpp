#include "results/recovery/plausible.hpp"

#include "results/store/events.hpp"
#include "results/store/records.hpp"

namespace kernsweep {

namespace {

using Kind = sqlite::Cell::Kind;

bool is_integer_of(std::string_view column, std::int64_t number) {
  if (column == "seed" || column == "priority" || column == "job_host") return true;
  for (const std::string_view flag : {"quick", "reused", "final", "repeatable", "has_null", "problem"})
    if (column == flag) return number == 0 || number == 1;
  if (column == "derived") return number >= 0 && number <= 4;
  if (column == "storage" && number > static_cast<std::int64_t>(schema::kColumnsMax)) return false;
  return number >= (column == "id" ? 1 : 0);
}

bool is_text_of(std::string_view column, std::string_view text) {
  if (column == "status") return outcome_named(text).has_value();
  if (column == "state") return sweep_state_named(text).has_value();
  if (column == "what") return event_kind_named(text).has_value();
  if (column == "cache") return text == "hot" || text == "cold";
  if (column == "grade") return text.size() == 1 && std::string_view("ABCX").find(text) != text.npos;
  return true;
}

}  // namespace

bool is_plausible(const schema::ColumnText& column, const sqlite::Cell& cell) {
  const auto is = [&column](std::string_view type) { return column.type.starts_with(type); };
  // Lost sectors are read as zeros.
  static const std::string lost_sector(512, '\0');
  if (cell.text.find(lost_sector) != std::string_view::npos) return false;
  if (column.type.empty()) return cell.kind != Kind::blob;
  switch (cell.kind) {
    case Kind::null:
      return column.type.find("not null") == std::string_view::npos && !is("integer primary");
    case Kind::integer:
      return is("real") ||
             (is("integer") && is_integer_of(column.name, static_cast<std::int64_t>(cell.bits)));
    case Kind::real:
      return is("real");
    case Kind::text:
      return is("text") && is_text_of(column.name, cell.text);
    default:
      // Every hash has 16 bytes, samples are float64.
      return is("blob") && (column.name == "seconds" ? cell.text.size() % 8 == 0 : cell.text.size() == 16);
  }
}

}  // namespace kernsweep
