// The only interface to SQLite (through SQLiteCpp): connections, prepared statements, errors as values.
//
// Statements bind and step through SQLite's C interface, because the writer steps two of them for each job
// and every exception, copy and string on that path is paid 100,000 times a second. Texts and blobs are
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

// One value of the current row, looked at in place.
struct Cell {
  enum class Kind : std::uint8_t { null, integer, real, text, blob };
  Kind kind = Kind::null;
  std::uint64_t bits = 0;  // of an integer (two's complement) or a real (binary64)
  std::string_view text;   // of a text or a blob; ends with the next step
};

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Parameters count from 1.
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
  void bind_null(int at);

  // The next row; after anything else but a row the statement is reset and can be bound and stepped again.
  Step step();
  // Steps a statement that returns no row; a violated constraint is a failure here.
  Status run();
  void reset();

  // Columns of the current row count from 0. Texts are views that end with the next step.
  int columns() const;
  std::string column_name(int at) const;
  bool is_null(int at) const;
  std::int64_t integer(int at) const;
  double real(int at) const;            // NaN for NULL
  std::string_view text(int at) const;  // bytes of a blob too
  // A blob comes as text in lower-case hexadecimal digits.
  Value value(int at) const;
  Cell cell(int at) const;

  bool only_reads() const;
  // Why the last step failed, in SQLite's words.
  std::string why() const;

 private:
  friend class Connection;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_ = nullptr;
};

// A row of Connection::each_row; ends with the call that it was given to.
class Row {
 public:
  explicit Row(std::span<sqlite3_value* const> values) : values_(values) {}
  std::int64_t integer(std::size_t at) const;
  double real(std::size_t at) const;            // NaN for NULL
  std::string_view text(std::size_t at) const;  // bytes of a blob too
  Cell cell(std::size_t at) const;

 private:
  std::span<sqlite3_value* const> values_;
};

class Connection {
 public:
  enum class Mode : std::uint8_t { create = 1, read, read_unchanging };
  // `read`: no statement is run that writes. Yet the file is opened for writing where that is allowed:
  // SQLite lets only such a connection clear away the files of the log when it was the last one.
  // `read_unchanging`: for a medium that nobody can write; no locks, no other files.
  // `while_locked`: none: a call waits for a lock for 5 s, where it only reads for 2 s.
  static Result<Connection> open(const std::string& path, Mode mode, WhileLocked while_locked = {});
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  Status execute(const std::string& sql);
  // One statement. Empty text, or text after the first statement: an error.
  Result<Statement> prepare(std::string_view sql);
  // The single integer that `sql` answers; 0 when it answers no row or NULL.
  Result<std::int64_t> integer(std::string_view sql);

  // "select <columns> <rest>" for millions of rows: `rest` is a `from` and a `where`. They come in the
  // order in which they lie in the table, or are sorted by the expressions of `order` first. The rows are
  // arguments of an aggregate function, which takes half the time of stepping from row to row and asking
  // for each value.
  Status each_row(const std::vector<std::string>& columns, const std::string& rest,
                  const std::function<void(const Row&)>& use, const std::string& order = "");

  // True: a log that lies beside the file stays there when the connection is closed, instead of being
  // copied into the file.
  void keep_log(bool keep);

  // From now on, instead of what was given to open().
  void while_locked(WhileLocked asked);

  std::int64_t changed_rows() const;  // by the last statement
  bool in_transaction() const;
  const std::string& path() const;

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// While it lives, several statements see one state of the database, and locks are taken once instead of for
// each. Within another one, or a batch, it does nothing.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection* connection_ = nullptr;  // none: nothing to end
};

}  // namespace kernsweep::sqlite
