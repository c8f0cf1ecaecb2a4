// A store that is filled job by job and then asked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "results/read/reader.hpp"
#include "results/report/best_table.hpp"
#include "results/report/compare_text.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::test {

// How often `text` has `part`.
inline std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct QueryTest : testing::Test {
  Folder folder;
  std::string path = folder.file("r.db");
  Store store = good(Store::open_for_writing(path));
  SweepId sweep;
  std::uint64_t next = 0;
  std::vector<std::vector<Value>> known_points;  // of point_of()

  void begin(const SweepRecord& record) {
    sweep = good(store.begin_sweep(record)).id;
    next = 0;
  }
  void begin(const std::string& name, std::vector<std::string> columns) {
    begin(sweep_named(name, std::move(columns)));
  }
  // `problem`: whether each column is part of the problem.
  void begin_with(std::vector<std::string> columns, std::vector<std::optional<bool>> problem) {
    SweepRecord record = sweep_named("s", std::move(columns));
    record.problem = std::move(problem);
    begin(record);
  }
  Job job(std::vector<Value> values, double median) {
    return Job(sweep, next++, std::move(values), median);
  }
  // The position of the point that has these values: those that are asked for are numbered from 0.
  std::uint64_t point_of(const std::vector<Value>& values) {
    const auto known =
        static_cast<std::size_t>(std::ranges::find(known_points, values) - known_points.begin());
    if (known == known_points.size()) known_points.push_back(values);
    return known;
  }
  void put(Job made) { good(store.record(made.ready())); }
  void put(std::vector<Value> values, double median) { put(job(std::move(values), median)); }
  // A job of that many operations.
  void put_work(std::vector<Value> values, double median, double operations) {
    Job made = job(std::move(values), median);
    made.record.gflops = 1e-9 * operations / median;
    put(made);
  }
  Reader reader() {
    good(store.commit());
    return good(Reader::open(path));
  }
  // A cell of the first row of an answer.
  static Value cell(const RowSet& rows, const std::string& column, std::size_t row = 0) {
    const auto at = std::ranges::find(rows.columns, column);
    if (at == rows.columns.end() || row >= rows.rows.size()) return "no such cell";
    return rows.rows[row][static_cast<std::size_t>(at - rows.columns.begin())];
  }
  static Value cell(const BestAnswer& answer, const std::string& column, std::size_t row = 0) {
    return cell(table_of(answer.rows, columns_of(answer)), column, row);
  }
  static Value cell(const CompareAnswer& answer, const std::string& column, std::size_t row = 0) {
    return cell(table_of(answer, true), column, row);
  }
};

}  // namespace kernsweep::test
