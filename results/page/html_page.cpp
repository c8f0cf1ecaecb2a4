#include "results/page/html_page.hpp"

#include <array>
#include <utility>

#include "shared/base/digest.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::string_view kMark = "%%kernsweep:";

std::string escaped(std::string_view text, const std::array<std::string_view, 3>& less_more_and) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char each : text) {
    if (each == '<')
      out += less_more_and[0];
    else if (each == '>')
      out += less_more_and[1];
    else if (each == '&')
      out += less_more_and[2];
    else
      out += each;
  }
  return out;
}

std::string html_text(std::string_view text) {
  return escaped(for_terminal(text), {"&lt;", "&gt;", "&amp;"});
}

}  // namespace

Result<std::string> html_page(std::string_view page, const SweepReport& data) {
  // The nonce is a hash over all data, so the author of a part of it cannot predict it.
  struct Place {
    std::string name, text;
    bool met = false;
  };
  std::array<Place, 4> places = {{{"nonce", digest_of(data.json).hex()},
                                  {"title", html_text(data.title)},
                                  {"answer", html_text(data.answer)},
                                  {"data", escaped(data.json, {"\\u003c", "\\u003e", "\\u0026"})}}};
  std::string out;
  out.reserve(page.size() + places[3].text.size() + places[2].text.size() + 4096);
  while (true) {
    const std::size_t at = page.find(kMark);
    out += page.substr(0, at);
    if (at == std::string_view::npos) break;
    page.remove_prefix(at + kMark.size());
    const std::size_t end = page.find("%%");
    Place* found = nullptr;
    for (Place& place : places)
      if (page.substr(0, end) == place.name) found = &place;
    if (found == nullptr) return failure("the page of reports names a place that is not known");
    out += found->text;
    found->met = true;
    page.remove_prefix(end + 2);
  }
  for (const Place& place : places)
    if (!place.met) return failure("the page of reports has no place for the " + place.name);
  return out;
}

}  // namespace kernsweep
