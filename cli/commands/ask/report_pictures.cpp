#include "cli/commands/ask/report_pictures.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/show/picture_output.hpp"
#include "results/answer/scaling.hpp"
#include "results/plot/roofline_picture.hpp"
#include "results/plot/scaling_picture.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// The name of a column as part of a file name.
std::string in_file_name(std::string name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  for (char& c : name)
    if (!fits(c)) c = '_';
  return name.substr(0, 60);
}

class ReportPictures {
 public:
  ReportPictures(Reader& reader, const std::string& sweep, const std::string& folder)
      : reader_(reader), sweep_(sweep), folder_(folder) {}

  Result<std::string> written() {
    KS_ASSIGN_OR_RETURN(const auto stored, reader_.find_sweep(sweep_));
    KS_ASSIGN_OR_RETURN(const auto columns, reader_.columns(stored.id));
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (!std::filesystem::is_directory(folder_, error))
      return failure(folder_ + ": is not a folder, and none can be made there");
    KS_RETURN_IF_ERROR(add_table("best.svg", "variant", true));
    for (const SweepColumn& column : columns) {
      if (column.derived || column.stored == "variant") continue;
      // Names that differ only in characters that a file name cannot have get a number.
      std::string name = "over-" + in_file_name(column.name);
      while (std::ranges::find(names_, name + ".svg") != names_.end()) name += "-2";
      KS_RETURN_IF_ERROR(add_table(name + ".svg", column.name, false));
    }
    PivotQuestion question;  // its table is a heat map, its cells have the processes that are drawn
    question.of.sweep = sweep_;
    KS_ASSIGN_OR_RETURN(const auto table, pivot(reader_, question));
    KS_RETURN_IF_ERROR(add_heat_map(table));
    KS_RETURN_IF_ERROR(add_scaling(columns));
    KS_RETURN_IF_ERROR(add_roofline());
    KS_RETURN_IF_ERROR(add_strips(table));
    if (text_.empty())
      return failure("there is nothing to draw: no job of the sweep has a result that counts");
    return text_;
  }

 private:
  // Bars of each value of x; or lines; no file if x does not have two numbers, or has values that may be
  // booleans.
  Status add_table(const std::string& name, const std::string& x, bool bars) {
    PivotQuestion question;
    question.of.sweep = sweep_;
    if (bars)
      question.columns = x;
    else
      question.rows = {x};
    KS_ASSIGN_OR_RETURN(const auto answer, pivot(reader_, question));
    if (answer.table.empty()) return Done{};
    KS_ASSIGN_OR_RETURN(const auto picture, picture_of(answer, {.x = x}));
    const auto is_truth = [](const PlotTick& tick) { return tick.at == 0 || tick.at == 1; };
    const auto is_lines = [&](const Plot& plot) {
      return !plot.bars && !std::ranges::all_of(plot.x.ticks, is_truth);
    };
    if (picture.plots.empty() || (!bars && std::ranges::none_of(picture.plots, is_lines))) return Done{};
    return add(name, picture);
  }

  // A table of problems over the first setting; if it has one row or column, best.svg shows it.
  Status add_heat_map(const PivotAnswer& answer) {
    if (answer.table.size() < 2 || answer.values.size() < 2) return Done{};
    return noted("heat.svg", written_heat_map(path_of("heat.svg"), answer));
  }

  Status add_strips(const PivotAnswer& answer) {
    KS_ASSIGN_OR_RETURN(const auto strips, process_strips(reader_, answer));
    if (strips.plots.empty()) return Done{};  // imported: other tools need not have samples
    return noted("samples.svg", written_strips(path_of("samples.svg"), strips));
  }

  Status add_scaling(const std::vector<SweepColumn>& columns) {
    if (std::ranges::find(columns, "threads", &SweepColumn::name) == columns.end()) return Done{};
    ScalingQuestion question;
    question.of.sweep = sweep_;
    const auto answer = scaling(reader_, question);
    if (!answer || answer->series.empty()) return Done{};  // an axis of that name need not have numbers
    return add("scaling.svg", picture_of(*answer));
  }

  Status add_roofline() {
    KS_ASSIGN_OR_RETURN(const auto roofs, read_roofs(reader_));
    if (roofs.empty()) return Done{};
    KS_ASSIGN_OR_RETURN(const auto shares, shares_of_sweep(reader_, sweep_, roofs, ""));
    const RooflinePoints points = roofline_points(shares, roofs);
    return points.hosts.empty() ? Status(Done{}) : add("roofline.svg", picture_of(points, shares.best));
  }

  Status add(const std::string& name, const Picture& picture) {
    return noted(name, written_picture(path_of(name), picture));
  }

  std::string path_of(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
  }

  Status noted(const std::string& name, const Result<std::string>& written) {
    KS_RETURN_IF_ERROR(written);
    names_.push_back(name);
    text_ += *written;
    return Done{};
  }

  Reader& reader_;
  const std::string& sweep_;
  const std::string& folder_;
  std::vector<std::string> names_;
  std::string text_;
};

}  // namespace

Result<std::string> write_report_pictures(Reader& reader, const std::string& sweep,
                                          const std::string& folder) {
  return ReportPictures(reader, sweep, folder).written();
}

}  // namespace kernsweep
