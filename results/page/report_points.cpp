#include "results/page/report_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "results/answer/process_samples.hpp"
#include "results/page/json_columns.hpp"
#include "results/read/software_classes.hpp"
#include "results/report/json_object.hpp"
#include "results/roofs/implausible.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// An axis of places: the code of each place.
struct PlaceAxis {
  const char* name;
  std::vector<Value> values;
  std::vector<std::uint64_t> codes;

  void add(const Value& value) {
    const auto found = std::ranges::find(values, value);
    codes.push_back(static_cast<std::uint64_t>(found - values.begin()));
    if (found == values.end()) values.push_back(value);
  }
};

class Columns {
 public:
  // `hosts`: their names.
  Columns(const SweepRows& rows, const SampleSpreads& spreads, const ComparedOutputs& outputs,
          std::map<std::int64_t, Value> hosts)
      : rows_(rows), spreads_(spreads), outputs_(outputs) {
    for (const SweepRows::Place& place : rows.places) {
      places_[0].add(place.cache);
      places_[1].add(hosts[place.host_id]);
      places_[2].add(Value(place.software_id));
    }
    codes_.resize(rows.columns.size() + places_.size());
  }

  void add_points(const std::vector<BestRow>& best) {
    JobsOfPoints jobs(rows_);
    for (const BestRow& row : best) {
      const std::uint32_t job = jobs.next_of(row.result);
      if (job == rows_.jobs.size()) continue;
      add_point(rows_.jobs[job], row);
      median_.add(row.median_s);
      low_.add(row.bounds.low != 0 ? row.bounds.low : NAN);
      high_.add(row.bounds.high);
      bool counted = false;
      jobs.each_beside(job, [&](const SweepRows::Job& each) { counted |= each.grade <= 'B'; });
      char worst = 0;
      std::uint64_t processes = 0;
      jobs.each_beside(job, [&](const SweepRows::Job& each) {
        add_process(each);
        if (each.grade > (counted ? 'B' : 'C')) return;
        worst = std::max(worst, grade_of(each));
        ++processes;
      });
      grades_ += worst == 0 ? '-' : worst;
      count_.add(processes);
      ++points_;
    }
  }

  std::string axes() const {
    std::string list = "[";
    const auto add = [&](const std::string& name, const char* kind, const std::vector<Value>& values) {
      if (list.size() > 1) list += ", ";
      list += JsonObject().add("name", name).add("kind", kind).add_raw("values", json_list(values)).text();
    };
    for (std::size_t c = 0; c < rows_.columns.size(); ++c)
      add(rows_.columns[c].name,
          rows_.columns[c].derived   ? "derived"
          : rows_.columns[c].problem ? "problem"
                                     : "setting",
          rows_.values[c].values());
    for (const PlaceAxis& axis : places_) add(axis.name, "place", axis.values);
    return list + "]";
  }

  std::string points() const {
    return JsonObject()
        .count("count", points_)
        .add_raw("codes", json_list(codes_, [](const JsonNumbers& each) { return each.text(); }))
        .add_raw("median_s", median_.text())
        .add_raw("low_s", low_.text())
        .add_raw("high_s", high_.text())
        .add_raw("gflops", gflops_.text())
        .add_raw("gbps", gbps_.text())
        .add_raw("flops", flops_.text())
        .add_raw("bytes", bytes_.text())
        .add_raw("processes", count_.text())
        .add_raw("result", result_.text())
        .add("grades", grades_)
        .text();
  }

  std::string processes() const {
    return JsonObject()
        .add_raw("point", point_of_.text())
        .add_raw("process", process_.text())
        .add_raw("result", process_result_.text())
        .add_raw("median_s", process_median_.text())
        .add_raw("min_s", min_.text())
        .add_raw("q1_s", q1_.text())
        .add_raw("q3_s", q3_.text())
        .add_raw("max_s", max_.text())
        .add_raw("samples", samples_.text())
        .add("grades", process_grades_)
        .text();
  }

 private:
  void add_point(const SweepRows::Job& job, const BestRow& row) {
    for (std::size_t c = 0; c < rows_.columns.size(); ++c)
      codes_[c].add(std::uint64_t{rows_.code(job.point, c)});
    for (std::size_t p = 0; p < places_.size(); ++p)
      codes_[rows_.columns.size() + p].add(places_[p].codes[job.place]);
    const SampleSpread& spread = spreads_.at(job.result);
    gflops_.add(row.gflops);
    gbps_.add(spread.bytes > 0 ? spread.bytes / row.median_s * 1e-9 : NAN);  // of the point, as gflops
    flops_.add(spread.flops);
    bytes_.add(spread.bytes);
    result_.add(job.result);
  }

  void add_process(const SweepRows::Job& job) {
    const SampleSpread& spread = spreads_.at(job.result);
    point_of_.add(points_);
    process_.add(spread.process);
    process_result_.add(job.result);
    process_median_.add(job.median_s);
    min_.add(spread.min_s);
    q1_.add(spread.q1_s);
    q3_.add(spread.q3_s);
    max_.add(spread.max_s);
    samples_.add(spread.samples);
    const char grade = grade_of(job);
    process_grades_ += grade == 0 ? '-' : grade;
  }

  char grade_of(const SweepRows::Job& job) const {
    return outputs_.warns_of(job.result) ? std::max(job.grade, 'B') : job.grade;
  }

  const SweepRows& rows_;
  const SampleSpreads& spreads_;
  const ComparedOutputs& outputs_;
  std::array<PlaceAxis, 3> places_{{{"cache", {}, {}}, {"host", {}, {}}, {"software", {}, {}}}};
  std::uint64_t points_ = 0;
  std::vector<JsonNumbers> codes_;
  JsonNumbers median_, low_, high_, gflops_, gbps_, flops_, bytes_, count_, result_;
  JsonNumbers point_of_, process_, process_result_, process_median_, min_, q1_, q3_, max_, samples_;
  std::string grades_, process_grades_;
};

}  // namespace

Result<ReportPoints> report_points(Reader& reader, const StoredSweep& sweep) {
  KS_ASSIGN_OR_RETURN(auto columns, reader.columns(sweep.id));
  KS_ASSIGN_OR_RETURN(const auto rows, read_graded_rows(reader, sweep, std::move(columns)));
  // Each point is a group of its own: `best` then returns its median and interval, and compares nothing.
  std::vector<SweepColumn> by;
  std::ranges::copy_if(rows.columns, std::back_inserter(by),
                       [](const SweepColumn& column) { return !column.derived; });
  KS_ASSIGN_OR_RETURN(const auto best, best_of(reader, sweep, rows, by, BestQuestion{}));
  KS_ASSIGN_OR_RETURN(const auto spreads, read_sample_spreads(reader, sweep));
  KS_ASSIGN_OR_RETURN(const auto hosts, host_names(reader));
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, sweep));
  Columns made(rows, spreads, outputs, hosts);
  made.add_points(best.rows);
  return ReportPoints{made.axes(), made.points(), made.processes()};
}

}  // namespace kernsweep
