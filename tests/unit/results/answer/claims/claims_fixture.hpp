// Claims by hand, about a store that is filled point by point.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/report/claims_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep::test {

inline ClaimChoice is(const std::string& axis, const std::vector<std::string>& values) {
  ClaimChoice choice{axis, {}};
  for (const std::string& value : values) choice.values.push_back({value, false});
  return choice;
}

struct ClaimsTest : QueryTest {
  // Jobs of equal values are of one point.
  Job job(const std::vector<Value>& values, double median) {
    Job made = QueryTest::job(values, median);
    made.record.point = point_of(values);
    return made;
  }
  void put(Job made) { QueryTest::put(std::move(made)); }
  void put(const std::vector<Value>& values, double median) { put(job(values, median)); }
  // Three processes around `seconds`, 0.1 % apart.
  void put_point(
      const std::vector<Value>& values, double seconds,
      const std::function<void(Job&)>& change = [](Job&) {}) {
    for (std::uint32_t process = 0; process < 3; ++process) {
      Job made = job(values, seconds * (1 + 0.001 * (static_cast<double>(process) - 1)));
      made.record.process = process;
      change(made);
      put(made);
    }
  }
  static ClaimTask faster(std::vector<ClaimChoice> side, std::vector<ClaimChoice> than) {
    ClaimTask task;
    task.claim.name = "c";
    task.claim.side = std::move(side);
    task.claim.than = std::move(than);
    return task;
  }
  static ClaimTask of_kind(ClaimKind kind, double bound, const std::string& metric = "median_s") {
    ClaimTask task;
    task.claim.name = "c";
    task.claim.kind = kind;
    task.claim.bound = bound;
    task.claim.metric = metric;
    return task;
  }
  static ClaimTask equal_bits(std::vector<ClaimChoice> axes) {
    ClaimTask task = of_kind(ClaimKind::equal_bits, 0);
    task.claim.side = std::move(axes);
    return task;
  }
  JudgedClaim judged(const ClaimTask& task, ClaimsQuestion question = {}) {
    Reader r = reader();
    ClaimsAnswer answer = good(judge(r, {task}, question));
    text = text_of(answer, question);
    json = to_json(answer);
    return std::move(answer.claims.front());
  }
  std::string text, json;
};

}  // namespace kernsweep::test
