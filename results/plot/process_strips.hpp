// The samples of each process of the best settings, as SVG.
#pragma once

#include <string>
#include <vector>

#include "results/answer/pivot.hpp"
#include "results/answer/process_samples.hpp"

namespace kernsweep {

struct ProcessStrip {
  std::string label;       // of the setting; empty: that of the strip above
  double median_s = 0;     // of a call, as all times here
  SampleSpread samples;    // 0: not known
  bool disturbed = false;  // graded C or X
};

// The strips of one problem.
struct StripPlot {
  std::string title;  // "m=8 label=cube"; empty: there is only one problem
  std::vector<ProcessStrip> strips;
  std::size_t settings_left = 0;  // beyond the limit, which are not drawn
};

struct StripPicture {
  std::string sweep;
  std::string everywhere;        // the part of the problem that is equal in all plots; may be empty
  std::vector<StripPlot> plots;  // none: the database has no spread of samples
  std::size_t plots_left = 0;    // problems beyond the limit, which are not drawn
  std::string left_out;          // how many jobs; may be empty
};

// The points in the cells of a table of times, problem by problem, best first; all processes of each, also
// those graded C. After 100 processes no further setting is drawn, and no further problem. Error: the
// database cannot be read.
Result<StripPicture> process_strips(Reader& reader, const PivotAnswer& answer);

std::string svg_of(const StripPicture& picture);

}  // namespace kernsweep
