// The reasons of jobs without a result, and their points.
#include <fmt/format.h>

#include "results/report/answer_text.hpp"
#include "results/text/table.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kFailuresShown = 8;
constexpr std::size_t kReasonColumns = 84;
constexpr std::int64_t kPointsShown = 4;  // of a failure

}  // namespace

Result<std::string> text_of_failures(Reader& reader, SweepId sweep) {
  // The points of a reason, by the values in which points of the sweep differ.
  KS_ASSIGN_OR_RETURN(
      const auto rows,
      reader.query(fmt::format(
          "with differing as materialized (select key from (select distinct params as p from results where "
          "sweep_id = {0}), json_each(p) where key not like 'command.%' and key not like 'operand.%' "
          "and key not in ('source', 'opencl.options', 'opencl.global', 'opencl.local') "
          // Not a column that is a text with places, filled in.
          "and (key <> 'command' or p like '%\"command.line\"%' or not exists (select 1 from sweep "
          "where id = {0} and kernel like '%{{%')) "
          "group by key having count(distinct value) > 1), "
          "failed as (select status, reason, min(result) as first, params, count(*) as jobs, "
          "row_number() over (partition by status, reason order by point) as nth from results "
          "where sweep_id = {0} and status <> 'ok' group by status, reason, point) "
          "select status, sum(jobs) as jobs, reason, group_concat(case when nth <= {1} then "
          "coalesce((select group_concat(key || '=' || value, ' ') from json_each(params) "
          "where key in differing), '') || ' (result ' || first || ')' end, ', '), max(nth) "
          "from failed group by status, reason order by jobs desc, status, reason",
          sweep.value, kPointsShown)));
  NamedValues entries;
  for (const auto& row : rows.rows) {
    if (entries.size() == kFailuresShown) break;
    const std::string points = row[3].to_text();
    const std::int64_t* const count = row[4].integer();
    const std::string reason = (points.starts_with(' ') ? points.substr(1) : points) +
                               (count != nullptr && *count > kPointsShown ? ", ...: " : ": ") +
                               (row[2].is_null() ? "(no reason given)" : row[2].to_text());
    entries.emplace_back(fmt::format("{} {}", row[1].to_text(), row[0].to_text()),
                         Value(wrapped(reason, kReasonColumns)));
  }
  std::string text = text_list(entries, "  ");
  if (rows.rows.size() > kFailuresShown)
    text += fmt::format("  ... and {}; see kernsweep sql {} \"select status, reason from results\"\n",
                        counted(rows.rows.size() - kFailuresShown, "more reason", "more reasons"),
                        reader.connection().path());
  return text;
}

}  // namespace kernsweep
