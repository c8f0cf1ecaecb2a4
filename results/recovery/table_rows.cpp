#include "results/recovery/table_rows.hpp"

#include <fmt/format.h>

#include "results/recovery/plausible.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Rows that are not new: in sequence, which a page has fewer of, and of a table.
constexpr int kStaleMax = 1'000, kStaleOfTableMax = 1'000'000;
constexpr std::int64_t kBeforeFirst = -1, kKeysMax = std::int64_t{1} << 61;
constexpr const char* kBehindLast = "\U0010FFFF";  // SQLite sorts numbers before texts

// True if SQLite puts the key `one` before the key `other`; both have as many values.
bool is_before(const std::vector<Value>& one, const std::vector<Value>& other) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    const std::int64_t *a = one[i].integer(), *b = other[i].integer();
    if (a != nullptr && b != nullptr) return *a < *b;
    if (a != nullptr || b != nullptr) return a != nullptr;
    return one[i].to_text() < other[i].to_text();
  }
  return false;
}

}  // namespace

TableRows::TableRows(sqlite::Connection& database, const schema::TableText& table, std::size_t values)
    : columns_(table.columns.begin(), table.columns.end()) {
  for (const schema::ColumnText& column : table.columns) names_.emplace_back(column.name);
  for (std::size_t n = 1; n <= values && table.name == "outcome"; ++n)
    names_.push_back(fmt::format("a{}", n));
  columns_.resize(names_.size());
  std::vector<std::string_view> key = {"rowid"};
  // The other keys begin with the first two columns; the rest of a key is not needed.
  if (table.key.ends_with("without rowid")) key = {table.columns[0].name, table.columns[1].name};
  last_.assign(key.size(), Value(kBeforeFirst));
  const std::string start = fmt::format("select {}, \"{}\" from {} where ({})", fmt::join(key, ", "),
                                        fmt::join(names_, "\", \""), table.name, fmt::join(key, ", "));
  const std::string_view marks = key.size() == 1 ? "(?)" : "(?, ?)";
  auto forward = database.prepare(fmt::format("{} >= {} order by {}", start, marks, fmt::join(key, ", ")));
  auto backward =
      database.prepare(fmt::format("{} < {} order by {} desc", start, marks, fmt::join(key, " desc, ")));
  if (forward) forward_ = *std::move(forward);
  if (backward) backward_ = *std::move(backward);
}

bool TableRows::is_plausible_row(const sqlite::Statement& row, int first) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!is_plausible(columns_[i], row.cell(first + static_cast<int>(i)))) return ++senseless_, false;
  return true;
}

Result<TableRows::End> TableRows::read_from(const std::vector<Value>& start, sqlite::Statement& rows) {
  const int keys = static_cast<int>(start.size());
  for (int i = 0; i < keys; ++i) rows.bind(i + 1, start[static_cast<std::size_t>(i)]);
  sqlite::Step step = sqlite::Step::failed;
  bool any = false, in_order = true;
  int stale = 0;
  std::vector<Value> key(start.size()), before;
  while (stale < kStaleMax && stale_ < kStaleOfTableMax && (step = rows.step()) == sqlite::Step::row) {
    for (int i = 0; i < keys; ++i) key[static_cast<std::size_t>(i)] = rows.value(i);
    // An inner page that leads to a wrong page is damage that SQLite does not report.
    in_order = in_order && (before.empty() || &rows != &forward_ || !is_before(key, before));
    before = key;
    bool is_new = false;
    if (is_plausible_row(rows, keys)) {
      KS_ASSIGN_OR_RETURN(is_new, (*use_)(rows, keys));
    }
    stale = is_new ? 0 : stale + 1;
    stale_ += is_new ? 0 : 1;
    any = any || is_new;
    if (is_new) last_ = key;
  }
  if (!in_order) ++disordered_;
  if (step == sqlite::Step::row) rows.reset();
  if (step == sqlite::Step::done) return End::whole;
  return any ? End::broken : End::nothing;
}

// Tries to read on behind `last_`, nearest first; of keys of two columns, behind each value of the first
// one.
Result<TableRows::End> TableRows::skip(std::size_t level) {
  const std::vector<Value> base = last_;
  const bool deepest = level + 1 == base.size();
  const std::int64_t* from = base[level].integer();          // no text is followed by a next one
  if (from != nullptr && *from < -kKeysMax) from = nullptr;  // no key of ours is
  for (std::int64_t far = deepest ? 1 : 0; far == 0 || (from && far < kKeysMax - *from);
       far += 1 + far / 4) {
    last_ = base;
    if (far > 0) last_[level] = Value(*from + far);
    if (far > 0 && !deepest) last_.back() = Value(kBeforeFirst);
    End end = End::nothing;
    if (deepest) {
      const std::vector<Value> start = last_;
      KS_ASSIGN_OR_RETURN(end, read_from(start, forward_));
      if (end == End::nothing) continue;
      const std::vector<Value> reached = last_;
      KS_RETURN_IF_ERROR(read_from(start, backward_));
      last_ = reached;
    } else {
      KS_ASSIGN_OR_RETURN(end, skip(level + 1));
    }
    if (end != End::nothing) return end;
  }
  return End::nothing;
}

Status TableRows::read(const Use& use) {
  use_ = &use;
  const std::vector<Value> start = last_;
  KS_ASSIGN_OR_RETURN(End end, read_from(start, forward_));
  for (; end == End::broken || (end == End::nothing && gaps_ == 0); ++gaps_) {
    KS_ASSIGN_OR_RETURN(end, skip(0));
  }
  if (end == End::nothing)
    KS_RETURN_IF_ERROR(read_from(std::vector<Value>(start.size(), Value(kBehindLast)), backward_));
  return Done{};
}

}  // namespace kernsweep
