// Figures of several rounds: kept by name in the order of their first mention, printed as median and range.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernsweep::bench {

class Figures {
 public:
  void add(const std::string& name, const std::string& unit, double value);
  double median(const std::string& name) const;  // requires: added

  std::string table() const;                                                // for a person
  std::string json(const std::map<std::string, std::string>& about) const;  // for a script

 private:
  struct Figure {
    std::string name, unit;
    std::vector<double> values;
  };
  const Figure* find(const std::string& name) const;
  std::vector<Figure> figures_;
};

}  // namespace kernsweep::bench
