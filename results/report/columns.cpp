#include "results/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "results/read/value_codes.hpp"
#include "results/report/json.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"

static_assert(std::endian::native == std::endian::little);

namespace kernsweep {

namespace {

using Kind = sqlite::Cell::Kind;

constexpr std::size_t kPart = 8, kLine = 64;  // parts, and the line of JSON, end at multiples of these
constexpr auto kExact = static_cast<std::uint64_t>(kWholeDoubleMax);

// The values of one column: numbers until the first text, then codes.
class Column {
 public:
  void add(const sqlite::Cell& cell) {
    if (coded_ || (cell.kind == Kind::text)) return add_code(cell);
    if (cell.kind == Kind::blob) {
      blob_ = true;
      sizes_.resize(bits_.size(), -1);
      sizes_.push_back(static_cast<std::int64_t>(cell.text.size()));
      bytes_ += cell.text;
    } else if (blob_) {
      sizes_.push_back(-1);
    }
    seen_ |= 1U << static_cast<unsigned>(cell.kind);
    const auto whole = static_cast<std::int64_t>(cell.bits);
    if (cell.kind == Kind::integer && (whole < 0 ? 0 - cell.bits : cell.bits) > kExact) exact_ = false;
    bits_.push_back(cell.bits);
    kinds_.push_back(cell.kind);
  }

  // Decides the kind of the column; the other functions may be called only after it.
  void close() {
    const bool integers = seen(Kind::integer), reals = seen(Kind::real);
    const bool numbers = integers || reals;
    if (coded_) return close_codes();
    if ((!numbers && !blob_) || (numbers && blob_) || (integers && reals && !exact_)) {
      become_codes();
      return close_codes();
    }
    if (blob_) {
      description_ = R"("kind":"blob")";
      append(sizes_.data(), sizes_.size());
      part_ += bytes_;
    } else if (reals) {
      description_ = R"("kind":"real")";
      for (std::size_t row = 0; row < bits_.size(); ++row) {
        double number = std::numeric_limits<double>::quiet_NaN();
        if (kinds_[row] == Kind::real) number = std::bit_cast<double>(bits_[row]);
        if (kinds_[row] == Kind::integer)
          number = static_cast<double>(static_cast<std::int64_t>(bits_[row]));
        bits_[row] = std::bit_cast<std::uint64_t>(number);
      }
      append(bits_.data(), bits_.size());
    } else {
      description_ = fmt::format(R"("kind":"integer","nulls":{})", seen(Kind::null));
      append(bits_.data(), bits_.size());
      if (seen(Kind::null))
        for (const Kind kind : kinds_) part_.push_back(kind == Kind::null ? '\1' : '\0');
    }
  }
  const std::string& description() const { return description_; }
  const std::string& part() const { return part_; }

 private:
  bool seen(Kind kind) const { return (seen_ >> static_cast<unsigned>(kind) & 1U) != 0; }
  template <class T>
  void append(const T* values, std::size_t count) {
    if (count > 0) part_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
  }
  void add_code(const sqlite::Cell& cell) {
    become_codes();
    of_row_.push_back(cell.kind == Kind::null ? -1 : static_cast<std::int32_t>(codes_.of(cell)));
  }
  void become_codes() {
    if (coded_) return;
    coded_ = true;
    std::size_t at = 0;
    for (std::size_t row = 0; row < kinds_.size(); ++row) {
      sqlite::Cell cell{kinds_[row], bits_[row], {}};
      if (cell.kind == Kind::blob) {
        cell.text = std::string_view(bytes_).substr(at, static_cast<std::size_t>(sizes_[row]));
        at += cell.text.size();
      }
      of_row_.push_back(cell.kind == Kind::null ? -1 : static_cast<std::int32_t>(codes_.of(cell)));
    }
    bits_ = {};
    kinds_ = {};
    sizes_ = {};
    bytes_ = {};
  }
  template <class T>
  void append_codes() {
    const std::vector<T> narrow(of_row_.begin(), of_row_.end());
    append(narrow.data(), narrow.size());
  }
  void close_codes() {
    const std::size_t count = codes_.values().size();
    const int width = count <= 0x7f ? 1 : count <= 0x7fff ? 2 : 4;
    description_ = fmt::format(R"("kind":"codes","width":{},"values":[)", width);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) description_.push_back(',');
      append_json(codes_.values()[i], description_);
    }
    description_.push_back(']');
    if (width == 1) append_codes<std::int8_t>();
    if (width == 2) append_codes<std::int16_t>();
    if (width == 4) append(of_row_.data(), of_row_.size());
  }

  std::vector<std::uint64_t> bits_;
  std::vector<Kind> kinds_;
  std::vector<std::int64_t> sizes_;  // of blobs; -1: another kind
  std::string bytes_;                // of blobs
  std::vector<std::int32_t> of_row_;
  ValueCodes codes_;
  unsigned seen_ = 0;  // bit k: Kind k was seen
  bool coded_ = false, blob_ = false, exact_ = true;
  std::string description_, part_;
};

Status write(const Sink& sink, const std::vector<std::string>& names, std::vector<Column>& columns,
             std::uint64_t rows) {
  std::string list;
  std::size_t at = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].close();
    list += i > 0 ? R"(,{"name":)" : R"({"name":)";
    append_json(Value(names[i]), list);
    list += fmt::format(R"(,"at":{},{}}})", at, columns[i].description());
    at += (columns[i].part().size() + kPart - 1) / kPart * kPart;
  }
  std::string line =
      fmt::format(R"({{"columns_version":1,"rows":{},"bytes":{},"columns":[{}]}})", rows, at, list);
  line.append(kLine - 1 - line.size() % kLine, ' ');
  line.push_back('\n');
  KS_RETURN_IF_ERROR(sink(line));
  for (const Column& column : columns) {
    const std::size_t over = column.part().size() % kPart;
    KS_RETURN_IF_ERROR(sink(column.part()));
    if (over == 0) continue;
    KS_RETURN_IF_ERROR(sink(std::string(kPart - over, '\0')));
  }
  return Done{};
}

}  // namespace

Status export_columns(Reader& reader, const std::string& sql, const Sink& sink) {
  std::vector<std::string> names;
  std::vector<Column> columns;
  std::uint64_t rows = 0;
  KS_RETURN_IF_ERROR(reader.each_row(
      sql,
      [&](const std::vector<std::string>& found) {
        names = found;
        columns.resize(names.size());
      },
      [&](const sqlite::Row& row) {
        ++rows;
        for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(row.cell(i));
      }));
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      return failure(fmt::format(
          "two columns are called '{}'; give each its own name: select 1 as one, 2 as two", *name));
  return write(sink, names, columns, rows);
}

}  // namespace kernsweep
