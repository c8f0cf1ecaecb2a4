// The header of .safetensors, a JSON object, read with nlohmann-json; the only file of the room that
// includes it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "shared/base/try.hpp"
#include "tensors/file_layout.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {
namespace {

using nlohmann::json;

// Depth of name -> dtype, shape, offsets: a valid header has nothing deeper; __metadata__ has only texts.
constexpr int kDepthMax = 3;

struct BadHeader {
  std::string why;
};

// A parser callback that ends the parse by throwing, if a value is nested too deep or a name occurs twice:
// the parser would keep the last one without an error.
class Watch {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > kDepthMax) throw BadHeader{"nests deeper than a .safetensors header does"};
    if (event == json::parse_event_t::key && depth == 1 && !names_.insert(parsed.get<std::string>()).second)
      throw BadHeader{fmt::format("names \"{}\" twice", parsed.get<std::string>())};
    return true;
  }

 private:
  std::set<std::string> names_;
};

struct NamedDtype {
  std::string_view text;
  Dtype dtype;
};
constexpr NamedDtype kDtypes[] = {
    {"F64", Dtype::f64},        {"F32", Dtype::f32},       {"BF16", Dtype::bf16}, {"F16", Dtype::f16},
    {"I8", Dtype::s8},          {"U8", Dtype::u8},         {"I32", Dtype::s32},   {"I64", Dtype::s64},
    {"F8_E4M3", Dtype::f8e4m3}, {"F8_E5M2", Dtype::f8e5m2}};

std::optional<Dtype> dtype_of(std::string_view text) {
  for (const auto& named : kDtypes)
    if (named.text == text) return named.dtype;
  return std::nullopt;
}

std::uint64_t natural(const json& number, const std::string& name, std::string_view what) {
  if (!number.is_number_unsigned())
    throw BadHeader{fmt::format("gives \"{}\" {} that are not whole numbers", name, what)};
  return number.get<std::uint64_t>();
}

const json& member(const json& entry, const char* key, const std::string& name) {
  const auto at = entry.find(key);
  if (at == entry.end()) throw BadHeader{fmt::format("says nothing about the {} of \"{}\"", key, name)};
  return *at;
}

TensorInFile tensor_of(const std::string& name, const json& entry, std::uint64_t data_begin,
                       std::uint64_t data_bytes) {
  if (!entry.is_object())
    throw BadHeader{fmt::format("describes \"{}\" by something that is not an object", name)};
  const json& dtype = member(entry, "dtype", name);
  const json& shape = member(entry, "shape", name);
  const json& offsets = member(entry, "data_offsets", name);
  if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    throw BadHeader{
        fmt::format("describes \"{}\" in a form that is not dtype, shape and two data_offsets", name)};
  TensorInFile tensor;
  tensor.name = name;
  tensor.dtype_text = dtype.get<std::string>();
  tensor.dtype = dtype_of(tensor.dtype_text);
  for (const json& extent : shape) {
    const std::uint64_t value = natural(extent, name, "extents");
    if (value > static_cast<std::uint64_t>(INT64_MAX))
      throw BadHeader{fmt::format("gives \"{}\" an absurd shape", name)};
    tensor.shape.push_back(static_cast<std::int64_t>(value));
  }
  const std::uint64_t begin = natural(offsets[0], name, "offsets");
  const std::uint64_t end = natural(offsets[1], name, "offsets");
  if (begin > end || end > data_bytes)
    throw BadHeader{fmt::format("places \"{}\" at bytes {} to {} of {}; is the file complete?", name, begin,
                                end, data_bytes)};
  tensor.offset = data_begin + begin;
  tensor.bytes = end - begin;
  if (!tensor.dtype) return tensor;
  const auto bytes = bytes_of(*tensor.dtype, tensor.shape);
  if (!bytes) throw BadHeader{fmt::format("describes \"{}\": {}", name, bytes.error().message)};
  if (*bytes != tensor.bytes)
    throw BadHeader{
        fmt::format("gives \"{}\" {} bytes, but its shape needs {}", name, tensor.bytes, *bytes)};
  return tensor;
}

}  // namespace

Result<std::vector<TensorInFile>> safetensors_layout(std::span<const std::byte> header,
                                                     std::uint64_t file_bytes) {
  KS_ASSIGN_OR_RETURN(const auto length, header_bytes(TensorFormat::safetensors, header, file_bytes));
  if (length > header.size()) return failure("is cut off within its header");
  const char* const text = reinterpret_cast<const char*>(header.data()) + 8;
  try {
    Watch watch;
    const json root = json::parse(text, text + (length - 8),
                                  [&watch](int depth, json::parse_event_t event, json& parsed) {
                                    return watch(depth, event, parsed);
                                  });
    if (!root.is_object()) throw BadHeader{"is not a JSON object"};
    std::vector<TensorInFile> tensors;
    for (const auto& [name, entry] : root.items())
      if (name != "__metadata__") tensors.push_back(tensor_of(name, entry, length, file_bytes - length));
    return tensors;
  } catch (const BadHeader& bad) {
    return failure("is damaged: its header " + bad.why);
  } catch (const json::exception& error) {
    return failure(fmt::format("is damaged: its header is not valid JSON: {}", error.what()));
  }
}

}  // namespace kernsweep
