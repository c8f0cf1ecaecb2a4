#include "results/recovery/page_rows.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace kernsweep {

namespace {

using Bytes = std::span<const std::uint8_t>;
using Kind = sqlite::Cell::Kind;

constexpr std::uint8_t kInnerIndex = 2, kInnerTable = 5, kLeafIndex = 10, kLeafTable = 13;
constexpr std::uint64_t kRowBytesMax = 1'000'000'000;  // SQLite's own default limit
constexpr std::size_t kSector = 512;

// Reads SQLite's variable-length integer: 1 to 9 bytes, 7 bits in each but the ninth. Moves `at` past it.
std::optional<std::uint64_t> varint(Bytes bytes, std::size_t& at) {
  std::uint64_t number = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    const std::uint8_t byte = bytes[at++];
    if (i == 8) return number << 8 | byte;
    number = number << 7 | (byte & 0x7F);
    if ((byte & 0x80) == 0) return number;
  }
  return std::nullopt;
}

std::size_t bytes_of_type(std::uint64_t type) {
  constexpr std::size_t kFixed[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < 12 ? kFixed[type] : static_cast<std::size_t>((type - 12) / 2);
}

StoredField field_of(std::uint64_t type, Bytes body) {
  StoredField field;
  if (type >= 12) {
    field.kind = type % 2 == 0 ? Kind::blob : Kind::text;
    field.bytes.assign(body.begin(), body.end());
    return field;
  }
  if (type == 0) return field;
  field.kind = type == 7 ? Kind::real : Kind::integer;
  if (type >= 8) {
    field.integer = type == 9 ? 1 : 0;
    return field;
  }
  std::uint64_t bits = (body[0] & 0x80) != 0 && type != 7 ? ~std::uint64_t{0} : 0;
  for (const std::uint8_t byte : body) bits = bits << 8 | byte;
  field.integer = static_cast<std::int64_t>(bits);
  if (type == 7) field.real = std::bit_cast<double>(bits);
  return field;
}

bool parse_row(Bytes payload, std::vector<StoredField>& fields) {
  fields.clear();
  std::size_t at = 0;
  const auto head = varint(payload, at);
  if (!head || *head > payload.size() || *head < at) return false;
  std::size_t body = *head;
  while (at < *head) {
    const auto type = varint(payload.first(*head), at);
    if (!type || *type == 10 || *type == 11 || *type > 2 * kRowBytesMax) return false;
    const std::size_t bytes = bytes_of_type(*type);
    if (bytes > payload.size() - body) return false;
    fields.push_back(field_of(*type, payload.subspan(body, bytes)));
    body += bytes;
  }
  return body == payload.size() && !fields.empty();
}

// Sectors that a device lost are read as zeros. No row of Kernsweep contains 512 zero bytes in sequence.
bool touches_zeros(const PageBytes& page, std::size_t from, std::size_t to) {
  for (std::size_t sector = from / kSector * kSector; sector < to; sector += kSector) {
    const auto begin = page.begin() + static_cast<std::ptrdiff_t>(sector);
    if (std::all_of(begin, begin + kSector, [](std::uint8_t byte) { return byte == 0; })) return true;
  }
  return false;
}

class PageReader {
 public:
  PageReader(const PageFile& file, std::uint32_t number, PageContent& content)
      : file_(file), content_(content) {
    readable_ = file.read(number, page_);
    if (!readable_) return;
    head_ = number == 1 ? 100 : 0;
    type_ = page_[head_];
    const bool inner = type_ == kInnerIndex || type_ == kInnerTable;
    content_.tree = inner || type_ == kLeafIndex || type_ == kLeafTable;
    cells_at_ = head_ + (inner ? 12 : 8);
    cells_ = big_endian(page_, head_ + 3, 2);
    if (cells_at_ + 2 * cells_ > file.usable_bytes()) content_.tree = false;
  }

  void read(const std::function<void(const StoredRow&)>& each) {
    if (!readable_ || !content_.tree) return;
    if (type_ == kInnerIndex || type_ == kInnerTable)
      content_.children.push_back(big_endian(page_, head_ + 8, 4));
    StoredRow row;
    row.numbered = type_ == kLeafTable;
    for (std::size_t i = 0; i < cells_; ++i) {
      const std::size_t at = big_endian(page_, cells_at_ + 2 * i, 2);
      if (at < cells_at_ + 2 * cells_ || at + 4 > file_.usable_bytes()) {
        ++content_.unreadable;
        continue;
      }
      if (type_ == kInnerIndex || type_ == kInnerTable)
        content_.children.push_back(big_endian(page_, at, 4));
      if (type_ == kInnerTable) continue;
      if (!read_cell(at, row)) {
        ++content_.unreadable;
        continue;
      }
      ++content_.rows;
      each(row);
    }
  }

 private:
  // How many bytes of a row of `payload` bytes are stored on the page itself (the file format's formula).
  std::size_t local_bytes(std::uint64_t payload) const {
    const std::size_t usable = file_.usable_bytes();
    const std::size_t most = type_ == kLeafTable ? usable - 35 : (usable - 12) * 64 / 255 - 23;
    if (payload <= most) return static_cast<std::size_t>(payload);
    const std::size_t least = (usable - 12) * 32 / 255 - 23;
    const std::size_t wish = least + static_cast<std::size_t>((payload - least) % (usable - 4));
    return wish <= most ? wish : least;
  }

  bool read_cell(std::size_t at, StoredRow& row) {
    const Bytes usable = Bytes(page_).first(file_.usable_bytes());
    const std::size_t start = at;
    if (type_ == kInnerIndex) at += 4;
    const auto length = varint(usable, at);
    if (!length || *length == 0 || *length > kRowBytesMax) return false;
    if (row.numbered) {
      const auto number = varint(usable, at);
      if (!number) return false;
      row.number = static_cast<std::int64_t>(*number);
    }
    const std::size_t here = local_bytes(*length);
    const bool more = here < *length;
    if (here + (more ? 4 : 0) > usable.size() - at || touches_zeros(page_, start, at + here)) return false;
    if (!more) return parse_row(usable.subspan(at, here), row.fields);
    row_.assign(usable.begin() + static_cast<std::ptrdiff_t>(at),
                usable.begin() + static_cast<std::ptrdiff_t>(at + here));
    return read_overflow(big_endian(page_, at + here, 4), *length) && parse_row(row_, row.fields);
  }

  bool read_overflow(std::uint32_t next, std::uint64_t length) {
    const std::size_t each = file_.usable_bytes() - 4;
    // It would need more pages than the file has, so the length is damaged.
    if ((length - row_.size()) / each > file_.pages()) return false;
    while (row_.size() < length) {
      if (!file_.read(next, further_)) return false;
      content_.overflow.push_back(next);
      const std::size_t bytes = std::min<std::uint64_t>(each, length - row_.size());
      if (touches_zeros(further_, 0, bytes + 4)) return false;
      row_.insert(row_.end(), further_.begin() + 4,
                  further_.begin() + 4 + static_cast<std::ptrdiff_t>(bytes));
      next = big_endian(further_, 0, 4);
    }
    return next == 0;  // the last overflow page of a row has no successor
  }

  const PageFile& file_;
  PageContent& content_;
  PageBytes page_, further_, row_;
  bool readable_ = false;
  std::size_t head_ = 0, cells_at_ = 0, cells_ = 0;
  std::uint8_t type_ = 0;
};

}  // namespace

PageContent read_page_rows(const PageFile& file, std::uint32_t number,
                           const std::function<void(const StoredRow&)>& each) {
  PageContent content;
  PageReader(file, number, content).read(each);
  return content;
}

}  // namespace kernsweep
