// A picture of an answer, on the terminal or as a file of SVG.
#pragma once

#include <string>

#include "cli/grammar/options.hpp"
#include "results/plot/picture.hpp"
#include "results/plot/process_strips.hpp"

namespace kernsweep {

// Error: the name of the file (empty: no file) has another extension than .svg.
Status check_picture_name(const std::string& path);

// The options for the picture of an answer: --plot and -o.
class PictureOptions {
 public:
  // For a command whose answer is a table first.
  void declare(Options& to);
  // For a command whose answer is the picture: without --plot.
  void declare_always(Options& to);
  bool wanted() const { return plot_ || !path_.empty(); }
  Status check() const { return check_picture_name(path_); }
  struct Answer {
    std::string table, left_out;  // `left_out`: the lines below the table
    std::string json;             // empty: not requested
  };
  // Prints the answer, below the picture if that is requested; or writes the file, and prints its name and
  // what was left out. `picture` is null if there is nothing to draw; then it prints that no file was
  // written. Returns the exit status.
  int print(const Picture* picture, const Answer& answer) const;

 private:
  bool plot_ = false;
  std::string path_;
};

// Writes it, and returns a line: "plot.svg: 2 plots of gflops"; "heat.svg: heat map of gflops, 4 rows and 2
// columns", which requires that the answer has rows; "samples.svg: samples of 24 processes".
Result<std::string> written_picture(const std::string& path, const Picture& picture);
Result<std::string> written_heat_map(const std::string& path, const PivotAnswer& answer);
Result<std::string> written_strips(const std::string& path, const StripPicture& picture);

}  // namespace kernsweep
