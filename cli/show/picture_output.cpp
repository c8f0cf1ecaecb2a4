#include "cli/show/picture_output.hpp"

#include <filesystem>

#include "cli/exit_status.hpp"
#include "cli/show/output.hpp"
#include "cli/show/whole_file.hpp"
#include "results/plot/plot_svg.hpp"
#include "results/plot/plot_text.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

void PictureOptions::declare(Options& to) {
  to.flag("--plot", plot_, "Draw it above the table");
  to.option("-o,--output", path_, "Write the picture as SVG, such as plot.svg, in place of the table");
}

void PictureOptions::declare_always(Options& to) {
  plot_ = true;
  to.option("-o,--output", path_, "Write the picture as SVG, such as plot.svg");
}

Status PictureOptions::check() const {
  const std::string ending = std::filesystem::path(path_).extension();
  if (ending.empty() || ending == ".svg") return Done{};
  return failure("--output '" + path_ + "': the picture is SVG; give a name that ends in .svg");
}

int PictureOptions::print(const Picture* picture, const Answer& answer) const {
  const bool writes = !path_.empty() && picture;
  std::string written;
  if (writes) {
    auto done = written_picture(path_, *picture);
    if (!done) return report_error(done.error().message);
    written = std::move(*done);
  } else if (!path_.empty()) {
    report_error(path_ + " is not written, for there is nothing to draw");
  }
  const int status = path_.empty() || writes ? kExitAllAccepted : kExitBadInput;
  if (!answer.json.empty()) return print_as_it_is(answer.json + "\n", status);
  if (writes) return print_answer(written + answer.left_out);
  if (!plot_ || !picture) return print_answer(answer.table + answer.left_out, status);
  // Not by print_answer(), which would take the colours out; names are cleaned where they are laid out.
  return print_as_it_is(text_of(*picture, screen_of_stdout()) + (answer.table.empty() ? "" : "\n") +
                        for_terminal(answer.table + answer.left_out));
}

Result<std::string> written_picture(const std::string& path, const Picture& picture) {
  if (const Status done = write_whole_file(path, svg_of(picture)); !done)
    return tl::unexpected(done.error());
  return path + ": " + counted(picture.plots.size(), "plot", "plots") + " of " + picture.y_name + "\n";
}

}  // namespace kernsweep
