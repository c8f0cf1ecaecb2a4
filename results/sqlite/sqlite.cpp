#include "results/sqlite/sqlite.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "results/sqlite/error_text.hpp"
#include "shared/base/try.hpp"

namespace kernsweep::sqlite {

namespace {

// How long a call waits for a lock, in seconds, if no WhileLocked was given.
constexpr double kWriteLimitS = 5, kReadLimitS = 2;

// Leaves a damaged file unchanged: closing the connection will not copy the log into it.
void keep_log_if_damaged(sqlite3* handle, int code) {
  if ((code & 0xFF) == SQLITE_CORRUPT || (code & 0xFF) == SQLITE_NOTADB)
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

// The errno of the failed call, if `errno` was 0 before it. SQLite keeps it only for some calls.
int errno_of(sqlite3* handle) {
  const int last = errno;
  const int kept = sqlite3_system_errno(handle);
  return kept != 0 ? kept : last;
}

}  // namespace

Statement::Statement(Statement&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::bind(int at, std::int64_t number) {
  sqlite3_bind_int64(statement_, at, number);
}
void Statement::bind(int at, double number) {
  sqlite3_bind_double(statement_, at, number);
}
void Statement::bind(int at, const Statement& row, int column) {
  sqlite3_bind_value(statement_, at, sqlite3_column_value(row.statement_, column));
}
void Statement::bind_null(int at) {
  sqlite3_bind_null(statement_, at);
}

void Statement::bind(int at, std::string_view text) {
  // The data pointer of an empty view may be null, which SQLite would store as NULL.
  const char* start = text.data() ? text.data() : "";
  sqlite3_bind_text64(statement_, at, start, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_blob(int at, std::string_view bytes) {
  const char* start = bytes.data() ? bytes.data() : "";
  sqlite3_bind_blob64(statement_, at, start, bytes.size(), SQLITE_STATIC);
}

void Statement::bind(int at, const Value& value) {
  if (const auto* number = value.integer()) return bind(at, *number);
  if (const auto* text = value.text()) return bind(at, std::string_view(*text));
  if (const auto* real_number = value.real()) return bind(at, *real_number);
  if (const auto* truth = value.boolean()) return bind(at, *truth ? 1 : 0);
  bind_null(at);
}

Step Statement::step() {
  errno = 0;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return Step::row;
  sqlite3_reset(statement_);
  if (code == SQLITE_DONE) return Step::done;
  return (code & 0xFF) == SQLITE_CONSTRAINT ? Step::constraint : Step::failed;
}

Status Statement::run() {
  const Step result = step();
  if (result == Step::row) reset();
  if (result == Step::failed || result == Step::constraint) return failure(why());
  return Done{};
}

void Statement::reset() {
  sqlite3_reset(statement_);
}
int Statement::columns() const {
  return sqlite3_column_count(statement_);
}
std::string Statement::column_name(int at) const {
  const char* name = sqlite3_column_name(statement_, at);
  return name ? name : "";
}
// Values are read in place, because queries over a million rows read ten million of them. This is safe: a
// statement belongs to one thread, so nothing changes the value meanwhile.
bool Statement::is_null(int at) const {
  return sqlite3_value_type(sqlite3_column_value(statement_, at)) == SQLITE_NULL;
}

std::int64_t Statement::integer(int at) const {
  return sqlite3_value_int64(sqlite3_column_value(statement_, at));
}

double Statement::real(int at) const {
  sqlite3_value* value = sqlite3_column_value(statement_, at);
  const int type = sqlite3_value_type(value);
  return type == SQLITE_NULL ? std::numeric_limits<double>::quiet_NaN() : sqlite3_value_double(value);
}

namespace {

std::string_view bytes_of(sqlite3_value* value) {
  const auto* start = static_cast<const char*>(sqlite3_value_blob(value));
  return {start ? start : "", static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

Cell cell_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return {Cell::Kind::integer, static_cast<std::uint64_t>(sqlite3_value_int64(value)), {}};
    case SQLITE_FLOAT:
      return {Cell::Kind::real, std::bit_cast<std::uint64_t>(sqlite3_value_double(value)), {}};
    case SQLITE_TEXT:
      return {Cell::Kind::text, 0, bytes_of(value)};
    case SQLITE_BLOB:
      return {Cell::Kind::blob, 0, bytes_of(value)};
    default:
      return {};
  }
}

}  // namespace

Cell Statement::cell(int at) const {
  return cell_of(sqlite3_column_value(statement_, at));
}

std::string_view Statement::text(int at) const {
  return bytes_of(sqlite3_column_value(statement_, at));
}

Value Statement::value(int at) const {
  sqlite3_value* value = sqlite3_column_value(statement_, at);
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return Value(static_cast<std::int64_t>(sqlite3_value_int64(value)));
    case SQLITE_FLOAT:
      return Value(sqlite3_value_double(value));
    case SQLITE_TEXT:
      return Value(std::string(bytes_of(value)));
    case SQLITE_BLOB: {
      std::string digits;
      for (unsigned char byte : bytes_of(value)) fmt::format_to(std::back_inserter(digits), "{:02x}", byte);
      return Value(std::move(digits));
    }
    default:
      return Value();
  }
}

std::int64_t Row::integer(std::size_t at) const {
  return sqlite3_value_int64(values_[at]);
}

double Row::real(std::size_t at) const {
  sqlite3_value* value = values_[at];
  return sqlite3_value_type(value) == SQLITE_NULL ? std::numeric_limits<double>::quiet_NaN()
                                                  : sqlite3_value_double(value);
}

std::string_view Row::text(std::size_t at) const {
  return bytes_of(values_[at]);
}

Cell Row::cell(std::size_t at) const {
  return cell_of(values_[at]);
}

bool Statement::only_reads() const {
  return sqlite3_stmt_readonly(statement_) != 0;
}

std::string Statement::why() const {
  sqlite3* handle = sqlite3_db_handle(statement_);
  const int system = errno_of(handle);
  const char* path = sqlite3_db_filename(handle, "main");
  keep_log_if_damaged(handle, sqlite3_errcode(handle));
  return explained(path ? path : "database", sqlite3_errcode(handle), sqlite3_errmsg(handle), system);
}

struct Connection::State {
  State(std::string where, const std::string& name, int flags, double limit_s, WhileLocked while_locked)
      : path(std::move(where)), lock_wait(limit_s, std::move(while_locked)), database(name, flags) {
    lock_wait.attach(database.getHandle());
  }
  std::string path;
  LockWait lock_wait;
  SQLite::Database database;
};

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Result<Connection> Connection::open(const std::string& path, Mode mode, WhileLocked while_locked) {
  int flags = SQLite::OPEN_NOMUTEX;
  flags |= mode == Mode::read_unchanging ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE;
  if (mode == Mode::create) flags |= SQLite::OPEN_CREATE;
  // SQLite reserves names such as :memory:, which do not name a file.
  const std::string file = path.starts_with(':') || path.starts_with("file:") ? "./" + path : path;
  std::string name = file;
  if (mode == Mode::read_unchanging) {
    flags |= SQLite::OPEN_URI;
    name = "file:";
    for (unsigned char c : file) {
      const bool plain = std::isalnum(c) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
      name += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
    }
    name += "?immutable=1";
  }
  try {
    auto state = std::make_unique<State>(
        path, name, flags, mode == Mode::create ? kWriteLimitS : kReadLimitS, std::move(while_locked));
    if (mode == Mode::read) state->database.exec("pragma query_only = on");
    return Connection(std::move(state));
  } catch (const SQLite::Exception& error) {
    return failure(explained(path, error.getErrorCode(), error.what()));
  }
}

Status Connection::execute(const std::string& sql) {
  try {
    errno = 0;
    state_->database.exec(sql);
    return Done{};
  } catch (const SQLite::Exception& error) {
    const int system = errno_of(state_->database.getHandle());
    keep_log_if_damaged(state_->database.getHandle(), error.getErrorCode());
    return failure(explained(state_->path, error.getErrorCode(), error.what(), system));
  }
}

void Connection::keep_log(bool keep) {
  sqlite3_db_config(state_->database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3* handle = state_->database.getHandle();
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v3(handle, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, &rest);
  if (code != SQLITE_OK) {
    keep_log_if_damaged(handle, code);
    return failure(explained(state_->path, code, sqlite3_errmsg(handle), sqlite3_system_errno(handle)));
  }
  Statement owned(statement);
  if (!statement)
    return failure("there is no statement in this text; write for example: select * from results");
  // Only white space and comments may follow: then preparing the rest gives no statement.
  sqlite3_stmt* next = nullptr;
  const auto left = static_cast<int>(sql.data() + sql.size() - rest);
  const int next_code = sqlite3_prepare_v2(handle, rest, left, &next, nullptr);
  const bool more = next_code != SQLITE_OK || next != nullptr;
  sqlite3_finalize(next);
  if (more) return failure("more than one statement; give them one at a time");
  return owned;
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
  KS_ASSIGN_OR_RETURN(auto statement, prepare(sql));
  const Step step = statement.step();
  if (step == Step::done) return 0;
  if (step != Step::row) return failure(statement.why());
  return statement.integer(0);
}

namespace {

using UseRow = std::function<void(const Row&)>;

void use_row(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto* use = static_cast<const UseRow*>(sqlite3_user_data(context));
  (*use)(Row({values, static_cast<std::size_t>(count)}));
}

void use_nothing(sqlite3_context*) {}

// SQL name of the aggregate function that each_row registers while it runs.
constexpr const char* kUse = "kernsweep_use_row";

}  // namespace

Status Connection::each_row(const std::vector<std::string>& columns, const std::string& rest,
                            const std::function<void(const Row&)>& use, const std::string& order) {
  if (!order.empty()) {
    // An aggregate gets its rows in the order of the subquery, if nothing is joined with it.
    std::vector<std::string> named, names;
    for (const std::string& column : columns) {
      names.push_back(fmt::format("c{}", names.size()));
      named.push_back(fmt::format("{} as {}", column, names.back()));
    }
    return each_row(
        names, fmt::format("from (select {} {} order by {})", fmt::join(named, ", "), rest, order), use);
  }
  sqlite3* handle = state_->database.getHandle();
  const std::string list = fmt::format("{}", fmt::join(columns, ", "));
  if (columns.size() > static_cast<std::size_t>(sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, -1))) {
    KS_ASSIGN_OR_RETURN(auto statement, prepare(fmt::format("select {} {}", list, rest)));
    std::vector<sqlite3_value*> values(columns.size());
    Step step;
    while ((step = statement.step()) == Step::row) {
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = sqlite3_column_value(statement.statement_, static_cast<int>(i));
      use(Row(values));
    }
    if (step != Step::done) return failure(statement.why());
    return Done{};
  }
  auto* data = const_cast<UseRow*>(&use);
  const int code = sqlite3_create_function_v2(handle, kUse, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, data,
                                              nullptr, use_row, use_nothing, nullptr);
  if (code != SQLITE_OK)
    return failure(explained(state_->path, code, sqlite3_errmsg(handle), sqlite3_system_errno(handle)));
  Status done = Done{};
  {
    auto statement = prepare(fmt::format("select {}({}) {}", kUse, list, rest));
    done = statement ? statement->run() : Status(tl::unexpected<Error>(statement.error()));
  }
  sqlite3_create_function_v2(handle, kUse, -1, SQLITE_UTF8, nullptr, nullptr, nullptr, nullptr, nullptr);
  return done;
}

void Connection::while_locked(WhileLocked decide) {
  state_->lock_wait.ask(std::move(decide));
}

std::int64_t Connection::changed_rows() const {
  return sqlite3_changes64(state_->database.getHandle());
}
bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(state_->database.getHandle()) == 0;
}
const std::string& Connection::path() const {
  return state_->path;
}

Snapshot::Snapshot(Connection& connection) {
  if (!connection.in_transaction() && connection.execute("begin")) connection_ = &connection;
}

Snapshot::~Snapshot() {
  if (connection_) (void)connection_->execute("rollback");
}

}  // namespace kernsweep::sqlite
