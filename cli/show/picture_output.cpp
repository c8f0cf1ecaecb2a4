#include "cli/show/picture_output.hpp"

#include <filesystem>

#include "cli/exit_status.hpp"
#include "cli/show/output.hpp"
#include "cli/show/whole_file.hpp"
#include "results/plot/heat_map.hpp"
#include "results/plot/plot_svg.hpp"
#include "results/plot/plot_text.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

// Writes the file, and returns a line about its content.
Result<std::string> write_svg(const std::string& path, const std::string& svg, const std::string& what) {
  KS_RETURN_IF_ERROR(write_whole_file(path, svg));
  return path + ": " + what + "\n";
}

}  // namespace

void PictureOptions::declare(Options& to) {
  to.flag("--plot", plot_, "Draw it above the table");
  to.option("-o,--output", path_, "Write the picture as SVG, such as plot.svg, in place of the table");
}

void PictureOptions::declare_always(Options& to) {
  plot_ = true;
  to.option("-o,--output", path_, "Write the picture as SVG, such as plot.svg");
}

Status check_picture_name(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending.empty() || ending == ".svg") return Done{};
  return failure("--output '" + path + "': the picture is SVG; give a name that ends in .svg");
}

int PictureOptions::print(const Picture* picture, const Answer& answer) const {
  const bool writes = !path_.empty() && picture;
  std::string written;
  if (writes) {
    auto done = written_picture(path_, *picture);
    if (!done) return report_error(done.error().message);
    written = std::move(*done);
  } else if (!path_.empty()) {
    report_error(path_ + " is not written, because there is nothing to draw");
  }
  const int status = path_.empty() || writes ? kExitAllAccepted : kExitBadInput;
  if (!answer.json.empty()) return print_as_it_is(answer.json + "\n", status);
  if (writes) return print_answer(written + answer.left_out);
  if (!plot_ || !picture) return print_answer(answer.table + answer.left_out, status);
  // Not by print_answer(), which would remove the colours; names are cleaned in the layout.
  return print_as_it_is(text_of(*picture, screen_of_stdout()) + (answer.table.empty() ? "" : "\n") +
                        for_terminal(answer.table + answer.left_out));
}

Result<std::string> written_picture(const std::string& path, const Picture& picture) {
  return write_svg(path, svg_of(picture),
                   counted(picture.plots.size(), "plot", "plots") + " of " + picture.y_name);
}

Result<std::string> written_heat_map(const std::string& path, const PivotAnswer& answer) {
  const bool drawn_whole = answer.table.size() <= kHeatRowsMax && answer.values.size() <= kHeatColumnsMax;
  return write_svg(path, heat_map_of(answer),
                   "heat map of " + answer.about.metric + ", " +
                       counted(answer.table.size(), "row", "rows") + " and " +
                       counted(answer.values.size(), "column", "columns") +
                       (drawn_whole ? "" : ", and only the first of each are drawn"));
}

Result<std::string> written_strips(const std::string& path, const StripPicture& picture) {
  std::size_t processes = 0;
  for (const StripPlot& plot : picture.plots) processes += plot.strips.size();
  return write_svg(path, svg_of(picture), "samples of " + counted(processes, "process", "processes"));
}

}  // namespace kernsweep
