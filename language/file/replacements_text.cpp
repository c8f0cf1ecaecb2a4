#include "language/file/replacements_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace kernsweep {

std::string text_of(const Replacements& replacements) {
  std::string text;
  for (const auto& axis : replacements.axes) text += "axis " + axis + "\n";
  for (const auto& setting : replacements.settings) text += "set " + setting + "\n";
  for (const auto& [rule, why] : replacements.left_out) text += "left_out " + rule + "\t" + why + "\n";
  if (!replacements.only.empty()) text += "only " + replacements.only + "\n";
  if (!replacements.sample.empty()) text += "sample " + replacements.sample + "\n";
  if (replacements.quick) text += "quick\n";
  if (replacements.decide) text += "decide\n";
  if (replacements.point) text += "point " + std::to_string(*replacements.point) + "\n";
  if (replacements.default_order == Order::shuffle) text += "order shuffle\n";
  if (replacements.small_sweeps) text += "small_sweeps\n";
  if (replacements.decide_small) text += "decide_small\n";
  if (replacements.order_seed != 0) text += "order_seed " + std::to_string(replacements.order_seed) + "\n";
  return text;
}

std::string as_asked(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("order_seed ") && line != "small_sweeps" && line != "decide_small")
      out += line + "\n";
  return out;
}

Replacements replacements_of(const std::string& text) {
  Replacements out;
  out.default_order = Order::interleave;
  out.small_sweeps = out.decide_small = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    const std::string kind = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (kind == "axis") out.axes.push_back(rest);
    if (kind == "set") out.settings.push_back(rest);
    if (kind == "left_out")
      out.left_out.push_back(
          {rest.substr(0, rest.find('\t')), rest.substr(std::min(rest.find('\t'), rest.size() - 1) + 1)});
    if (kind == "only") out.only = rest;
    if (kind == "sample") out.sample = rest;
    if (kind == "quick") out.quick = true;
    if (kind == "decide") out.decide = true;
    if (kind == "point") out.point = std::strtoull(rest.c_str(), nullptr, 10);
    if (line == "small_sweeps") out.small_sweeps = true;
    if (line == "decide_small") out.decide_small = true;
    if (kind == "order_seed") out.order_seed = std::strtoull(rest.c_str(), nullptr, 10);
    if (line == "order shuffle") out.default_order = Order::shuffle;
  }
  return out;
}

}  // namespace kernsweep
