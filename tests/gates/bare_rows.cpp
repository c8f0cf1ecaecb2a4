#include "tests/gates/bare_rows.hpp"

#include "results/sqlite/sqlite.hpp"
#include "shared/base/instant.hpp"

namespace kernsweep::gates {
namespace {

constexpr int kColumns = 21;
constexpr std::uint64_t kRowsTogether = 1000;

// Kinds as in a stored job: numbers of sweep, job, host and attempt, a status, a grade, times, a key.
void bind_row(sqlite::Statement& insert, std::uint64_t row) {
  for (int column = 1; column <= kColumns; ++column) {
    if (column == 7 || column == 14) {
      insert.bind(column, column == 7 ? "ok" : "hot");
    } else if (column == 20) {
      insert.bind_blob(column, "0123456789abcdef");
    } else if (column >= 9 && column <= 11) {
      insert.bind(column, static_cast<double>(row) * 1.1e-6);
    } else {
      insert.bind(column, row + static_cast<std::uint64_t>(column));
    }
  }
}

}  // namespace

double bare_rows_per_s(const std::string& file, std::uint64_t rows) {
  auto database = sqlite::Connection::open(file, sqlite::Connection::Mode::create).value();
  database.execute("pragma journal_mode = wal; pragma synchronous = full").value();
  std::string columns = "c1";
  std::string marks = "?";
  for (int column = 2; column <= kColumns; ++column) {
    columns += ", c" + std::to_string(column);
    marks += ", ?";
  }
  database.execute("create table bare (" + columns + ")").value();
  auto begin = database.prepare("begin").value();
  auto commit = database.prepare("commit").value();
  auto insert = database.prepare("insert into bare values (" + marks + ")").value();
  const Instant start = monotonic_now();
  for (std::uint64_t row = 0; row < rows;) {
    begin.run().value();
    for (std::uint64_t i = 0; i < kRowsTogether && row < rows; ++i, ++row) {
      bind_row(insert, row);
      insert.run().value();
    }
    commit.run().value();
  }
  return static_cast<double>(rows) / seconds(monotonic_now() - start);
}

}  // namespace kernsweep::gates
