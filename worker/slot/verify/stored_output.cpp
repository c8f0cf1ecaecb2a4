// A reference output as bytes: the length of a JSON header, the header, and the elements; or a text.
#include <cstring>
#include <utility>

#include "shared/base/try.hpp"
#include "shared/wire/json_tree.hpp"
#include "worker/slot/verify/reference_output.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kAligned = 64;

JsonTree head_of(const ReferenceOutput& output) {
  JsonTree head = JsonTree::object();
  head.add("values", JsonTree::natural(output.values.size()));
  head.add("dtype", Value(std::int64_t{static_cast<std::int32_t>(output.values.dtype())}));
  head.add("is_in_parts", Value(output.values.is_in_parts()));
  head.add("is_text", Value(output.text.has_value()));
  head.add("keys", Value(output.keys));
  if (output.shape) {
    JsonTree& shape = head.add("shape", JsonTree::list());
    for (const std::int64_t extent : *output.shape) shape.add(Value(extent));
  }
  JsonTree& parts = head.add("parts", JsonTree::list());
  for (const OutputPart& part : output.parts) {
    JsonTree& one = parts.add(JsonTree::list());
    one.add(JsonTree::natural(part.elements));
    for (const std::int64_t number : {std::int64_t{static_cast<std::int32_t>(part.dtype)},
                                      std::int64_t{part.is_unsigned}, std::int64_t{part.scale}})
      one.add(Value(number));
  }
  JsonTree& sources = head.add("sources", JsonTree::list());
  for (const auto& source : output.sources) {
    JsonTree& one = sources.add(JsonTree::list());
    for (const std::string* text : {&source.role, &source.name, &source.path, &source.hash})
      one.add(Value(*text));
  }
  return head;
}

void read_shape(const JsonTree& head, ReferenceOutput& out) {
  const JsonTree* const shape = head.find("shape");
  if (!shape) return;
  out.shape.emplace();
  for (const auto& [name, extent] : shape->members)
    out.shape->push_back(static_cast<std::int64_t>(extent.whole().value_or(0)));
}

bool read_parts(const JsonTree& head, ReferenceOutput& out) {
  const JsonTree* const parts = head.find("parts");
  if (!parts) return true;
  for (const auto& [name, one] : parts->members) {
    if (one.members.size() != 4) return false;
    const auto number = [&fields = one.members](std::size_t i) {
      return fields[i].second.whole().value_or(0);
    };
    const auto dtype = dtype_numbered(static_cast<std::int64_t>(number(1)));
    if (!dtype) return false;
    out.parts.push_back({number(0), *dtype, number(2) != 0, static_cast<std::int32_t>(number(3))});
  }
  return true;
}

bool read_sources(const JsonTree& head, ReferenceOutput& out) {
  const JsonTree* const sources = head.find("sources");
  if (!sources) return true;
  for (const auto& [name, one] : sources->members) {
    if (one.members.size() != 4) return false;
    const auto text = [&fields = one.members](std::size_t i) { return fields[i].second.scalar.to_text(); };
    out.sources.push_back({text(0), text(1), text(2), text(3)});
  }
  return true;
}

bool have_as_many(const std::vector<OutputPart>& parts, std::uint64_t elements) {
  std::uint64_t count = 0;
  for (const OutputPart& part : parts)
    if (__builtin_add_overflow(count, part.elements, &count)) return false;
  return count == elements;
}

// Takes the elements from the front of `bytes`.
bool read_elements(const JsonTree& head, std::span<const std::byte>& bytes,
                   std::shared_ptr<const void> keeper, ReferenceOutput& out) {
  const JsonTree* const values = head.find("values");
  const JsonTree* const type = head.find("dtype");
  const JsonTree* const is_in_parts = head.find("is_in_parts");
  if (!values || !type || !is_in_parts) return false;
  const auto dtype = dtype_numbered(static_cast<std::int64_t>(type->whole().value_or(0)));
  const std::uint64_t count = values->whole().value_or(0);
  if (!dtype || count > bytes.size() / size_of(*dtype)) return false;
  const bool* const in_parts = is_in_parts->scalar.boolean();
  if (!in_parts || (*in_parts && (*dtype != Dtype::s64 || !have_as_many(out.parts, count)))) return false;
  if (count > 0)
    out.values =
        Elements({bytes.data(), static_cast<ks_dtype>(*dtype), 1, {static_cast<std::int64_t>(count)}, {1}},
                 *in_parts ? out.parts : std::vector<OutputPart>(), std::move(keeper));
  bytes = bytes.subspan(count * size_of(*dtype));
  return true;
}

}  // namespace

StoredOutput::StoredOutput(const ReferenceOutput& output)
    : output_(output), head_(text_of(head_of(output))) {
  const std::size_t before = sizeof(std::uint64_t) + head_.size();
  head_.append((kAligned - before % kAligned) % kAligned, ' ');
}

std::size_t StoredOutput::bytes() const {
  return sizeof(std::uint64_t) + head_.size() + output_.values.bytes() +
         (output_.text ? output_.text->size() : 0);
}

void StoredOutput::write(std::byte* to) const {
  const std::uint64_t length = head_.size();
  std::memcpy(to, &length, sizeof length);
  to += sizeof length;
  std::memcpy(to, head_.data(), head_.size());
  to += head_.size();
  output_.values.store(to);
  to += output_.values.bytes();
  if (output_.text && !output_.text->empty()) std::memcpy(to, output_.text->data(), output_.text->size());
}

std::string bytes_of(const ReferenceOutput& output) {
  const StoredOutput stored(output);
  std::string out(stored.bytes(), '\0');
  stored.write(reinterpret_cast<std::byte*>(out.data()));
  return out;
}

Result<ReferenceOutput> reference_output_from(std::span<const std::byte> bytes,
                                              std::shared_ptr<const void> keeper) {
  const auto broken = failure("a reference output cannot be read");
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return broken;
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes = bytes.subspan(sizeof length);
  if (length > bytes.size()) return broken;
  const auto head = json_tree_of({reinterpret_cast<const char*>(bytes.data()), length});
  bytes = bytes.subspan(length);
  ReferenceOutput out;
  if (head) read_shape(*head, out);
  if (!head || !read_parts(*head, out) || !read_sources(*head, out) ||
      !read_elements(*head, bytes, std::move(keeper), out))
    return broken;
  if (const JsonTree* keys = head->find("keys")) out.keys = keys->scalar.to_text();
  const JsonTree* const is_text = head->find("is_text");
  if (!is_text || !is_text->scalar.boolean()) return broken;
  if (*is_text->scalar.boolean())
    out.text = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

Result<ReferenceOutput> reference_output_from(std::string bytes) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  return reference_output_from(std::as_bytes(std::span(*kept)), kept);
}

}  // namespace kernsweep
