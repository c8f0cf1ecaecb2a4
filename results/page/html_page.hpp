// Puts the data of a report into the page of the installation (share/kernsweep/report/page.html).
#pragma once

#include <string>
#include <string_view>

#include "results/page/report_data.hpp"

namespace kernsweep {

// Returns a whole document. `page` has places for the title, the data, the answer as text and the nonce of
// its scripts (kPagePlaces). No text of the data can end its element or begin another: in JSON `<`, `>` and
// `&` become \u003c and so on, elsewhere they are references. The page's Content-Security-Policy prevents
// scripts without the nonce, which follows from the data, and all fetches. Error: `page` lacks one of the
// places.
Result<std::string> html_page(std::string_view page, const SweepReport& data);

}  // namespace kernsweep
