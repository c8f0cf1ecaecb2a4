#include "kernels/cpu/spmm/market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "kernels/api/pack.hpp"

namespace kernsweep::spmm {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kRowsMost = std::int64_t{1} << 28;  // 1 GiB of positions, for any entries

struct Entry {
  std::int32_t row, column;
  float value;
};

// Reads a file line by line, and reports the position if something is wrong.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    // Rejects pipes and devices, which may not end.
    std::error_code error;
    if (std::filesystem::is_regular_file(path_, error)) in_.open(path_);
    if (!in_.is_open())
      throw pack::Refused(
          KS_BAD_PARAMETER,
          fmt::format("matrix: {} is not a file that can be opened; give a path that this host has",
                      path_));
    read_head();
  }

  const MarketSize& size() const { return size_; }

  // The next entry of the file, 0-based; nothing at the end.
  std::optional<Entry> next() {
    std::vector<std::string_view> words;
    do {
      if (!read_line()) return std::nullopt;
      words = words_of(line_);
    } while (words.empty());
    if (words.size() != (is_pattern_ ? 2U : 3U))
      fail(is_pattern_ ? "an entry is a row and a column" : "an entry is a row, a column and a number");
    const std::int64_t row = whole(words[0], 1, size_.rows, "row");
    const std::int64_t column = whole(words[1], 1, size_.cols, "column");
    double value = 1;
    if (!is_pattern_) {
      const std::string_view number = words[2].substr(words[2].starts_with('+') ? 1 : 0);
      const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
      if ((read.ec != std::errc() && read.ec != std::errc::result_out_of_range) ||
          read.ptr != number.data() + number.size())
        fail(fmt::format("'{}' is not a number", words[2]));
      if (read.ec != std::errc() || !(std::abs(value) <= std::numeric_limits<float>::max()))
        fail(fmt::format("'{}' is not a number that f32 can hold", words[2]));
    }
    return Entry{static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1),
                 static_cast<float>(value)};
  }

  // The factor of the entry on the other side of the diagonal; 0: there is none.
  int mirrored() const { return mirrored_; }

  [[noreturn]] void fail(const std::string& what) const {
    throw pack::Refused(KS_BAD_PARAMETER, fmt::format("matrix: {}:{}: {}", path_, number_, what));
  }

 private:
  static std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    std::vector<std::string_view> words;
    while (true) {
      const auto begin = line.find_first_not_of(kBlank);
      if (begin == std::string_view::npos) return words;
      const auto end = std::min(line.find_first_of(kBlank, begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      line.remove_prefix(end);
    }
  }

  bool read_line() {
    ++number_;
    return static_cast<bool>(std::getline(in_, line_));
  }

  std::int64_t whole(std::string_view word, std::int64_t least, std::int64_t most, const char* what) const {
    std::int64_t number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || number < least || number > most)
      fail(fmt::format("'{}' is not a {}, which is {} to {}", word, what, least, most));
    return number;
  }

  void read_head() {
    read_line();
    std::transform(line_.begin(), line_.end(), line_.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::vector<std::string_view> head = words_of(line_);
    if (head.size() != 5 || head[0] != "%%matrixmarket" || head[1] != "matrix")
      fail(
          "this is not a Matrix Market file; its first line is `%%MatrixMarket matrix coordinate real "
          "general`");
    if (head[2] != "coordinate") fail("the matrix is dense (array); write its coordinates");
    is_pattern_ = head[3] == "pattern";
    if (!is_pattern_ && head[3] != "real" && head[3] != "integer")
      fail(fmt::format("elements are '{}'; real, integer and pattern can be read", head[3]));
    if (head[4] == "symmetric") mirrored_ = 1;
    if (head[4] == "skew-symmetric") mirrored_ = -1;
    if (mirrored_ == 0 && head[4] != "general")
      fail(fmt::format("the matrix is '{}'; general, symmetric and skew-symmetric can be read", head[4]));
    std::vector<std::string_view> words;
    do {
      if (!read_line()) fail("the file ends before its line of sizes");
      words = words_of(line_);
    } while (words.empty() || words[0].starts_with('%'));
    if (words.size() != 3) fail("the line of sizes has rows, columns and entries");
    size_ = {whole(words[0], 0, kRowsMost, "number of rows"),
             whole(words[1], 0, kMost, "number of columns"),
             whole(words[2], 0, kMost, "number of entries")};
    if (mirrored_ != 0 && size_.rows != size_.cols) fail("a symmetric matrix has as many rows as columns");
  }

  std::string path_, line_;
  std::ifstream in_;
  std::int64_t number_ = 0;
  MarketSize size_;
  bool is_pattern_ = false;
  int mirrored_ = 0;
};

// Converts entries in any order to rows sorted by column; entries at one place are added up.
Csr sorted_rows(std::vector<Entry>& entries, std::int64_t rows) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  Csr out;
  out.begins.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_same =
        i > 0 && entries[i].row == entries[i - 1].row && entries[i].column == entries[i - 1].column;
    if (is_same) {
      out.values.back() += entries[i].value;
      continue;
    }
    out.columns.push_back(entries[i].column);
    out.values.push_back(entries[i].value);
    ++out.begins[static_cast<std::size_t>(entries[i].row) + 1];
  }
  std::partial_sum(out.begins.begin(), out.begins.end(), out.begins.begin());
  return out;
}

}  // namespace

MarketSize market_size(const std::string& path) {
  return Reader(path).size();
}

Csr read_market(const std::string& path, const MarketSize& size) {
  Reader reader(path);
  if (reader.size() != size) reader.fail("the file has changed since it was looked at");
  std::vector<Entry> entries;
  std::int64_t lines = 0;
  while (const std::optional<Entry> entry = reader.next()) {
    if (++lines > reader.size().entries)
      reader.fail(fmt::format("the file has more than its {} entries", reader.size().entries));
    entries.push_back(*entry);
    if (reader.mirrored() != 0 && entry->row != entry->column)
      entries.push_back({entry->column, entry->row, static_cast<float>(reader.mirrored()) * entry->value});
    if (static_cast<std::int64_t>(entries.size()) > kMost)
      reader.fail("there are more than 2^31 - 1 entries");
  }
  if (lines < reader.size().entries)
    reader.fail(fmt::format("the file ends after {} of its {} entries", lines, reader.size().entries));
  return sorted_rows(entries, reader.size().rows);
}

}  // namespace kernsweep::spmm
