#include "results/read/show.hpp"

#include <fmt/format.h>

#include <cstring>

#include "results/read/stored_job.hpp"
#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/input_list.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

// Adds the first row of a query as a section; NULL values are left out, an empty section is not added.
Status add_section(Reader& reader, Shown& shown, const std::string& title, const std::string& sql) {
  KS_ASSIGN_OR_RETURN(auto row, reader.connection().prepare(sql));
  const Step step = row.step();
  if (step == Step::failed) return failure(row.why());
  if (step != Step::row) return Done{};
  Shown::Section section{title, {}};
  for (int i = 0; i < row.columns(); ++i)
    if (!row.is_null(i)) section.entries.emplace_back(row.column_name(i), row.value(i));
  if (!section.entries.empty()) shown.sections.push_back(std::move(section));
  return Done{};
}

// Adds one section per input, with the title "input <operand>".
Status add_inputs(Reader& reader, Shown& shown) {
  std::string inputs;
  for (const Shown::Section& section : shown.sections)
    for (const auto& [name, value] : section.entries)
      if (section.title == "process" && name == "inputs") inputs = value.to_text();
  Status done = Done{};
  each_input(inputs, [&](const std::string& operand, const Digest& content) {
    // The column `name` is not shown: it names the operand for which this content was first stored.
    const std::string sql =
        "select hash, dtype, shape, source, generator, seed, bytes, identity from input where hash = " +
        schema::literal(content.hex());
    if (done) done = add_section(reader, shown, "input " + operand, sql);
  });
  return done;
}

Status add_metrics(Reader& reader, Shown& shown, std::uint64_t result) {
  // The key of `metric` is (name, result), so each name is looked up with the result. There are few names.
  KS_ASSIGN_OR_RETURN(auto row,
                      reader.connection().prepare(
                          "with recursive names(name) as (select min(name) from metric union all "
                          "select (select min(m.name) from metric m where m.name > names.name) from names "
                          "where names.name is not null) "
                          "select name, value from names join metric using (name) where result = ?"));
  row.bind(1, result);
  Shown::Section section{"metrics", {}};
  Step step = Step::done;
  while ((step = row.step()) == Step::row) section.entries.emplace_back(row.text(0), Value(row.real(1)));
  if (step == Step::failed) return failure(row.why());
  if (!section.entries.empty()) shown.sections.push_back(std::move(section));
  return Done{};
}

Status add_samples(Reader& reader, Shown& shown, std::uint64_t result) {
  KS_ASSIGN_OR_RETURN(auto row, reader.connection().prepare("select seconds from sample where result = ?"));
  row.bind(1, result);
  const Step step = row.step();
  if (step == Step::failed) return failure(row.why());
  if (step != Step::row) return Done{};
  const std::string_view bytes = row.text(0);
  shown.samples.resize(bytes.size() / sizeof(double));
  if (!shown.samples.empty())
    std::memcpy(shown.samples.data(), bytes.data(), shown.samples.size() * sizeof(double));
  return Done{};
}

}  // namespace

Result<Shown> show(Reader& reader, const std::string& which) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto number, result_number(reader, which));
  const std::string one = fmt::format("result = {}", number);
  KS_ASSIGN_OR_RETURN(auto place, reader.connection().prepare(
                                      "select sweep_id, job, job_host from attempt_row where " + one));
  const Step step = place.step();
  if (step == Step::failed) return failure(place.why());
  if (step != Step::row) return failure(no_such_result(reader, number));
  const SweepId sweep{static_cast<std::uint32_t>(place.integer(0))};
  const std::string job = fmt::format("sweep_id = {} and job = {} and job_host = {}", sweep.value,
                                      place.integer(1), place.integer(2));
  place.reset();
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep));
  std::string values;
  for (const SweepColumn& column : columns)
    values += fmt::format("{}{} as \"{}\"", values.empty() ? "" : ", ", column.stored,
                          // SQL writes a quote within a quoted name as two quotes.
                          [&] {
                            std::string name;
                            for (const char c : column.name) name.append(c == '"' ? 2 : 1, c);
                            return name;
                          }());
  const std::pair<const char*, std::string> sections[] = {
      {"result",
       "select a.result, s.name as sweep, a.sweep_id, a.job, a.attempt, a.final, s.kernel, a.status, "
       "a.reason, a.stderr, a.verified_by from attempt a join sweep s on s.id = a.sweep_id where a." +
           one},
      {"outcome",
       "select point, variant, cache, process, grade, gflops, gbps, output_hash, quick, lower(hex(key)) as "
       "key from outcome where " +
           job + " and " + one},
      {"point", values.empty() ? "select 1 where 0" : "select " + values + " from outcome where " + job},
      {"measured",
       "select samples, min_s, q1_s, median_s, q3_s, max_s, mean_s, stdev_s, mad_s, warmup_runs, "
       "warmup_s, first_call_s, calls_per_sample, noise, stopped_by, flops, bytes, error, tolerance, "
       "repeatable, grade_reasons, notes, output_sample from result where " +
           one},
      {"distrust",
       "select distrust ->> 'secret' as secret, distrust ->> 'calls' as calls, distrust ->> 'checked' as "
       "checked, distrust ->> 'operands' as operands, distrust ->> 'isolation' as isolation, "
       "distrust ->> 'handing_over_s' as handing_over_s, distrust ->> 'least' as least "
       "from attempt where distrust is not null and " +
           one},
      {"conditions", "select * from conditions where " + one},
      {"process",
       "select a.order_index, a.finished_unix_s, a.queue_s, a.setup_s, a.inputs_s, a.reference_s, "
       "a.verify_s, a.lease_wait_s, a.run_s, a.check_s, a.start_s, a.slot, r.runtime, r.affinity, r.gpus, "
       "r.environment, r.thread_environment, r.inputs from attempt a left join "
       "result r using (result) where a." +
           one},
      {"host", "select h.* from host h join attempt_row a on a.host_id = h.id where a." + one},
      {"software", "select s.* from software s join attempt_row a on a.software_id = s.id where a." + one},
  };
  Shown shown;
  for (const auto& [title, sql] : sections) KS_RETURN_IF_ERROR(add_section(reader, shown, title, sql));
  KS_RETURN_IF_ERROR(add_metrics(reader, shown, number));
  KS_RETURN_IF_ERROR(add_inputs(reader, shown));
  KS_RETURN_IF_ERROR(add_samples(reader, shown, number));
  return shown;
}

std::uint64_t result_of(const Shown& shown) {
  for (const Shown::Section& section : shown.sections)
    for (const auto& [name, value] : section.entries)
      if (section.title == "result" && name == "result" && value.integer() != nullptr)
        return static_cast<std::uint64_t>(*value.integer());
  return 0;
}

Result<std::optional<StoredSweep>> newest_sweep_of(const Shown& shown, Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto sweep,
                      reader.connection().integer(fmt::format(
                          "select max(sweep_id) from outcome where result = {}", result_of(shown))));
  if (sweep == 0) return std::nullopt;
  KS_ASSIGN_OR_RETURN(auto stored, reader.find_sweep(std::to_string(sweep)));
  return stored;
}

void lower_grade(Shown& shown, char grade, const std::string& reason) {
  for (Shown::Section& section : shown.sections) {
    for (auto& [name, value] : section.entries) {
      if (section.title == "outcome" && name == "grade" && value.to_text() < std::string(1, grade))
        value = Value(std::string(1, grade));
      if (section.title != "measured" || name != "grade_reasons") continue;
      const std::string before = value.to_text();
      value = Value(before + (before.empty() ? "" : "\n") + reason);
      return;
    }
    if (section.title == "measured") section.entries.emplace_back("grade_reasons", Value(reason));
  }
}

}  // namespace kernsweep
