// Puts the data of a report into the page that came along (share/kernsweep/report/page.html).
#pragma once

#include <string>
#include <string_view>

#include "results/page/report_data.hpp"

namespace kernsweep {

// A whole document. `page` names the places of the title, the data, the answer as text and the nonce of its
// scripts (kPagePlaces). No text of the data can end its element or begin another: in JSON `<`, `>` and `&`
// become \u003c and so on, elsewhere they are references. Scripts without the nonce, which follows from the
// data, do not run, and nothing is fetched: the page says so to the browser (Content-Security-Policy).
// Error: `page` lacks one of the places.
Result<std::string> html_page(std::string_view page, const SweepReport& data);

}  // namespace kernsweep
