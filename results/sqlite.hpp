// The one door to SQLite (through SQLiteCpp): connections, prepared statements, errors as values.
//
// Statements bind and step through SQLite's C interface, because the writer steps two of them for each job
// and every exception, copy and string on that path is paid 100,000 times a second. Texts and blobs are
// bound without a copy: they must live until the next step() has returned.
//
// A connection and its statements belong to one thread at a time; statements must not outlive their
// connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "shared/result.hpp"
#include "shared/value.hpp"

struct sqlite3_stmt;

namespace kernsweep::sqlite {

class Connection;

enum class Step : std::uint8_t { row = 1, done, constraint, failed };

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
  void append_key(int at, std::string& out) const;  // bytes that differ when the values differ

  bool only_reads() const;
  // Why the last step failed, in SQLite's words.
  std::string why() const;

 private:
  friend class Connection;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_ = nullptr;
};

class Connection {
 public:
  enum class Mode : std::uint8_t { create = 1, read, read_unchanging };
  // `read_unchanging`: for a medium that nobody can write; no locks, no other files.
  static Result<Connection> open(const std::string& path, Mode mode);
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  Status execute(const std::string& sql);
  // One statement. Empty text, or text after the first statement: an error.
  Result<Statement> prepare(std::string_view sql);
  // The single integer that `sql` answers; 0 when it answers no row or NULL.
  Result<std::int64_t> integer(std::string_view sql);

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
