#include "tests/bench/end_to_end/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kernsweep::bench {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

const Figures::Figure* Figures::find(const std::string& name) const {
  for (const Figure& figure : figures_) {
    if (figure.name == name) return &figure;
  }
  return nullptr;
}

void Figures::add(const std::string& name, const std::string& unit, double value) {
  if (!find(name)) figures_.push_back({name, unit, {}});
  for (Figure& figure : figures_) {
    if (figure.name == name) figure.values.push_back(value);
  }
}

double Figures::median(const std::string& name) const {
  const Figure* const figure = find(name);
  if (!figure) throw std::runtime_error("no figure '" + name + "'");
  return median_of(figure->values);
}

std::string Figures::table() const {
  std::string text =
      fmt::format("{:<52} {:>12} {:>12} {:>12}  unit\n", "figure", "median", "least", "most");
  for (const Figure& figure : figures_) {
    const auto [least, most] = std::minmax_element(figure.values.begin(), figure.values.end());
    text += fmt::format("{:<52} {:>12.5g} {:>12.5g} {:>12.5g}  {}\n", figure.name, median_of(figure.values),
                        *least, *most, figure.unit);
  }
  return text;
}

std::string Figures::json(const std::map<std::string, std::string>& about) const {
  nlohmann::ordered_json answer;
  for (const auto& [name, value] : about) answer["about"][name] = value;
  for (const Figure& figure : figures_) {
    answer["figures"][figure.name] = {
        {"unit", figure.unit}, {"median", median_of(figure.values)}, {"rounds", figure.values}};
  }
  return answer.dump(2);
}

}  // namespace kernsweep::bench
