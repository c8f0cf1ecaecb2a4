// A store of points with several processes, and comparisons of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/answer/compare/compare.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep::test {

inline Side side(const std::string& text) {
  return good(parse_side(text, [](const std::string&) { return false; }));
}

struct CompareTest : QueryTest {
  // Five processes of one point, 0.1 % apart. `change` may alter each record before it is stored.
  void put_point(const std::vector<Value>& values, double median,
                 const std::function<void(AttemptRecord&)>& change = nullptr, std::uint32_t processes = 5) {
    const std::uint64_t point = next;
    for (std::uint32_t p = 0; p < processes; ++p) {
      Job made = job(values, median * (1 + 0.001 * p));
      made.record.point = point;
      made.record.process = p;
      made.record.variant = "only";
      if (change) change(made.record);
      put(made);
    }
  }
  CompareAnswer compared(const std::string& a, const std::string& b,
                         const std::function<void(CompareQuestion&)>& change = nullptr) {
    Reader r = reader();
    CompareQuestion question{.a = side(a), .b = side(b)};
    if (change) change(question);
    return good(compare(r, r, question));
  }
  std::string refused(const std::string& a, const std::string& b) {
    Reader r = reader();
    return why(compare(r, r, {.a = side(a), .b = side(b)}));
  }
};

}  // namespace kernsweep::test
