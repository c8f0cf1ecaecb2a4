// The only interface to SQLite (through SQLiteCpp): connections, prepared statements, errors as values.
//
// Statements bind and step through SQLite's C interface, because the writer does this several times per
// job: exceptions, copies and strings would cost too much at 100,000 jobs per second. Texts and blobs are
// bound without a copy: they must live until the next step() has returned.
//
// A connection and its statements belong to one thread at a time; statements must not outlive their
// connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/sqlite/lock_wait.hpp"
#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

struct sqlite3_stmt;
struct sqlite3_value;

namespace kernsweep::sqlite {

class Connection;

enum class Step : std::uint8_t { row = 1, done, constraint, failed };

// One value of the current row, read without a copy.
struct Cell {
  enum class Kind : std::uint8_t { null, integer, real, text, blob };
  Kind kind = Kind::null;
  std::uint64_t bits = 0;  // of an integer (two's complement) or a real (binary64)
  std::string_view text;   // of a text or a blob; valid until the next step
};

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Parameters are numbered from 1.
  void bind(int at, std::int64_t number);
  void bind(int at, std::uint64_t number) { bind(at, static_cast<std::int64_t>(number)); }
  void bind(int at, std::uint32_t number) { bind(at, static_cast<std::int64_t>(number)); }
  void bind(int at, int number) { bind(at, static_cast<std::int64_t>(number)); }
  void bind(int at, double number);  // NaN becomes NULL
  void bind(int at, std::string_view text);
  void bind(int at, const char* text) { bind(at, std::string_view(text)); }
  void bind(int at, const std::string& text) { bind(at, std::string_view(text)); }
  void bind(int at, const Value& value);  // a boolean becomes 1 or 0
  void bind_blob(int at, std::string_view bytes);
  void bind(int at, const Statement& row, int column);  // a copy of the value of that current row
  void bind_null(int at);

  // Moves to the next row. If there is none (every result but Step::row), the statement is reset and can be
  // bound and stepped again.
  Step step();
  // Runs a statement that returns no rows. A violated constraint is an error.
  Status run();
  void reset();

  // Columns of the current row are numbered from 0. Texts are views that are valid until the next step.
  int columns() const;
  std::string column_name(int at) const;
  bool is_null(int at) const;
  std::int64_t integer(int at) const;
  double real(int at) const;            // NaN for NULL
  std::string_view text(int at) const;  // also the bytes of a blob
  // A blob becomes text in lower-case hexadecimal digits.
  Value value(int at) const;
  Cell cell(int at) const;

  bool only_reads() const;
  // The message for the error of the last step, with advice for the user.
  std::string why() const;

 private:
  friend class Connection;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_ = nullptr;
};

// A row of Connection::each_row; valid only during the call that receives it.
class Row {
 public:
  explicit Row(std::span<sqlite3_value* const> values) : values_(values) {}
  std::int64_t integer(std::size_t at) const;
  double real(std::size_t at) const;            // NaN for NULL
  std::string_view text(std::size_t at) const;  // also the bytes of a blob
  Cell cell(std::size_t at) const;

 private:
  std::span<sqlite3_value* const> values_;
};

class Connection {
 public:
  enum class Mode : std::uint8_t { create = 1, read, read_unchanging };
  // `read`: statements that write are rejected. The file is still opened for writing if that is allowed:
  // only such a connection removes the files of the log when it is the last one to close.
  // `read_unchanging`: for a file that no process can write; uses no locks and no other files.
  // `while_locked`: if it is empty, a call waits for a lock for 5 s (`create`) or 2 s (other modes).
  static Result<Connection> open(const std::string& path, Mode mode, WhileLocked while_locked = {});
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  Status execute(const std::string& sql);
  // Prepares one statement. Errors: the text has no statement, more than one, or an invalid one.
  Result<Statement> prepare(std::string_view sql);
  // The integer in the first row and column of the result; 0 if there is no row or it is NULL.
  Result<std::int64_t> integer(std::string_view sql);

  // Calls `use` for each row of "select <columns> <rest>", for millions of rows. `rest` is a `from` and a
  // `where`. The rows come in the order of the table, or sorted by the expressions of `order`. They are
  // passed as arguments of an aggregate function, which takes half the time of a loop over step().
  Status each_row(const std::vector<std::string>& columns, const std::string& rest,
                  const std::function<void(const Row&)>& use, const std::string& order = "");

  // True: when the connection is closed, the log is kept and not copied into the file.
  void keep_log(bool keep);

  // Replaces the function that was given to open().
  void while_locked(WhileLocked decide);

  std::int64_t changed_rows() const;  // by the last statement
  bool in_transaction() const;
  const std::string& path() const;

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A read transaction for the lifetime of this object: several statements see the same state of the
// database, and locks are taken only once. Has no effect within another transaction.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection* connection_ = nullptr;  // nullptr: no transaction was begun
};

}  // namespace kernsweep::sqlite
