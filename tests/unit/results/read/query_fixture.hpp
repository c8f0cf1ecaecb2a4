// A store that is filled job by job and then asked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "results/read/reader.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::test {

struct QueryTest : testing::Test {
  Folder folder;
  std::string path = folder.file("r.db");
  Store store = good(Store::open_for_writing(path));
  SweepId sweep;
  std::uint64_t next = 0;

  void begin(const std::string& name, std::vector<std::string> columns) {
    sweep = good(store.begin_sweep(sweep_named(name, std::move(columns)))).id;
    next = 0;
  }
  Job job(std::vector<Value> values, double median) {
    return Job(sweep, next++, std::move(values), median);
  }
  void put(Job made) { good(store.record(made.ready())); }
  void put(std::vector<Value> values, double median) { put(job(std::move(values), median)); }
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
};

}  // namespace kernsweep::test
