// The command `report`: a sweep as one HTML file.
#include <filesystem>

#include "cli/commands/again/stored_point.hpp"
#include "cli/commands/ask/claims_of_sweep.hpp"
#include "cli/commands/ask/report_pictures.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "cli/show/whole_file.hpp"
#include "language/check/rejections.hpp"
#include "language/file/text_file.hpp"
#include "results/page/html_page.hpp"
#include "results/report/json_object.hpp"
#include "results/text/units.hpp"
#include "shared/base/installation.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kPageBytesMax = std::size_t{8} << 20;

Result<std::string> page_that_came_along() {
  const std::string path = installation_folder() + "/share/kernsweep/report/page.html";
  auto page = read_text_file(path, kPageBytesMax);
  if (page) return page;
  return failure(
      "this build has no page for reports (" + path + ": " + page.error().message +
      "). It is made where the chart library is: as root, `apt-get install node-d3-axis node-d3-scale "
      "node-d3-selection node-d3-shape`, then build Kernsweep again; `kernsweep best` and `kernsweep "
      "export` answer without it");
}

// How many points the sweep's own rules rejected, and by which. Counting stops after two seconds.
std::string rejected_of(Reader& reader, const std::string& sweep) {
  const auto stored = reader.find_sweep(sweep);
  if (!stored) return "";
  const auto task = task_of(*stored);
  if (!task) return "";
  const CheckReport report = check_report(task->expansion, {.time = std::chrono::seconds(2)});
  return text_of(rejections_of(report), task->expansion, "were");
}

class ReportCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, sweep_);
    to.option("-o,--output", output_, "The file to write (default: report.html)");
    to.option("--svg", pictures_,
              "Write the charts as SVG files into this folder, for papers; the HTML file only with -o");
    to.option("--against", against_,
              "Compare with this as well: a sweep, tag:KEY=VALUE or commit:PREFIX of the same database "
              "(default: the sweep of the same name before)");
  }
  int run(const Invocation&) override;

 private:
  int write_page(Reader& reader) const;

  std::string database_, sweep_, output_, pictures_, against_;
};

int ReportCommand::run(const Invocation&) {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  if (!pictures_.empty()) {
    const auto written = write_report_pictures(*reader, sweep_, pictures_);
    if (!written) return report_error(written.error().message);
    if (const int status = print_answer(*written); status != 0 || output_.empty()) return status;
  }
  return write_page(*reader);
}

int ReportCommand::write_page(Reader& reader) const {
  const std::string output = output_.empty() ? "report.html" : output_;
  const auto page = page_that_came_along();
  if (!page) return report_error(page.error().message);
  ClaimsQuestion claimed;
  claimed.sweep = sweep_;
  const auto claims = claims_of_sweep(reader, claimed);
  ReportParts parts;
  if (!claims)
    parts.claims = JsonObject().add("error", claims.error().message).text();
  else if (*claims)
    parts.claims = to_json(**claims);
  parts.rejected = rejected_of(reader, sweep_);
  const ReportQuestion question{sweep_, std::filesystem::path(database_).filename().string(), against_};
  const auto data = report_data(reader, question, parts);
  if (!data) return report_error(data.error().message);
  const auto html = html_page(*page, *data);
  if (!html) return report_error(html.error().message);
  if (const Status done = write_whole_file(output, *html); !done) return report_error(done.error().message);
  return print_answer(output + ": " + data->title + ", " +
                      text_of_bytes(static_cast<double>(html->size())) +
                      "; open it in a browser, also without a network\n");
}

}  // namespace

CommandEntry report_command() {
  return {"report", "A sweep as one HTML file: the answer, charts, filters, what failed, where it ran",
          "The file needs no network and no other file. An existing one is replaced when the new one is "
          "whole.\n"
          "Exit status: 0 written, 2 bad input or usage.",
          std::make_unique<ReportCommand>()};
}

}  // namespace kernsweep
