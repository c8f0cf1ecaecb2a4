// Shared by the tests of this room: a folder that disappears, and records that need no explanation.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "results/read/reader.hpp"
#include "results/store/store.hpp"

namespace kernsweep::test {

class Folder {
 public:
  Folder() {
    path_ = (std::filesystem::temp_directory_path() / "kernsweep-test-XXXXXX").string();
    if (!mkdtemp(path_.data())) std::abort();
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Names of what lies in the folder, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The value of a Result, or a failed test.
template <class T>
T good(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(*result);
}

inline std::string why(const auto& result) {
  return result ? "no error" : result.error().message;
}

// The jobs that need no further attempt, as (host, first, last) of each run.
using Runs = std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>>;
inline Runs answered_runs(Store& store, SweepId id) {
  Runs runs;
  const auto earlier = good(store.earlier(
      id, [&](const Store::AnsweredRun& run) { runs.emplace_back(run.host, run.first, run.last); },
      [](auto&, bool) {}));
  std::uint64_t jobs = 0;
  for (const auto& [host, first, last] : runs) jobs += last - first + 1;
  EXPECT_EQ(earlier.answered, jobs);
  return runs;
}

inline SweepRecord sweep_named(const std::string& name, std::vector<std::string> columns) {
  SweepRecord sweep;
  sweep.name = name;
  sweep.kernel = "gemm";
  sweep.file = name + ".yaml";
  sweep.text = "sweep: 1";
  std::string all = name;
  for (const auto& column : columns) all += "," + column;
  sweep.identity = digest_of(all);
  sweep.columns = std::move(columns);
  return sweep;
}

// A job that was measured: its number is its point, its key comes from both.
struct Job {
  AttemptRecord record;
  std::vector<Value> values;
  std::vector<double> samples;

  Job(SweepId sweep, std::uint64_t index, std::vector<Value> given, double median = 1e-3)
      : values(std::move(given)), samples{median, median} {
    record.attempt = {{sweep, index, 0}, 1};
    record.point = index;
    record.key = digest_of(std::to_string(sweep.value) + ":" + std::to_string(index));
    record.summary = summarise(samples);
    record.gflops = 1e-9 / median;
    record.grade = 'A';
  }
  AttemptRecord& ready() {
    record.values = values;
    record.samples = record.summary ? std::span<const double>(samples) : std::span<const double>();
    return record;
  }
  Job& failed(Outcome outcome, std::string_view reason) {
    record.outcome = outcome;
    record.reason = reason;
    record.summary.reset();
    record.gflops = kUnknown;
    record.grade = 0;
    return *this;
  }
};

// The answer of one statement as text: cells by '|', rows by '\n'.
inline std::string asked(const std::string& path, const std::string& sql) {
  auto reader = good(Reader::open(path));
  const auto rows = reader.query(sql);
  if (!rows) return "error: " + rows.error().message;
  std::string text;
  for (const auto& row : rows->rows) {
    if (!text.empty()) text += "\n";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "|" : "") + row[i].to_text();
  }
  return text;
}

}  // namespace kernsweep::test
