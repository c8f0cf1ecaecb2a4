#include "results/answer/metric_direction.hpp"

#include <fmt/format.h>

#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

Result<Better> better_of_counted(Reader& reader, const std::string& name, const std::string& option) {
  KS_ASSIGN_OR_RETURN(
      const auto rows,
      reader.query("select better, min(result) from metric where better is not null and name = " +
                   schema::literal(name) + " group by better order by better"));
  if (rows.rows.size() > 1)
    return failure(fmt::format(
        "results declare both that a larger {0} is better (result {1}) and that a smaller one is "
        "(result {2}); say which with {3}",
        name, rows.rows[0][1].to_text(), rows.rows[1][1].to_text(), option));
  const Better better =
      rows.rows.empty() ? better_by_name(name) : better_named(rows.rows.front()[0].to_text());
  if (better != Better::unknown) return better;
  return failure(
      fmt::format("whether a larger or a smaller {0} is better is not known: say it with {1}, or let it be "
                  "declared: by a pack in ks_declared_metric, by a command as better.{0}=larger, by a name "
                  "that ends in its unit, as in {0}_per_second or {0}_bytes",
                  name, option));
}

}  // namespace kernsweep
