#include "cli/commands/run/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "language/sweep.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNameMax = 4096;  // of a file with weights
constexpr int kDepthMax = 64;             // of graphs within graphs

// The messages of onnx.proto through which the way to a tensor leads.
enum class Part { none, model, graph, node, attribute, tensor, sparse, function, entry };

Part part_at(Part within, std::uint64_t field) {
  switch (within) {
    case Part::model:
      return field == 7 ? Part::graph : field == 25 ? Part::function : Part::none;
    case Part::graph:
      return field == 1 ? Part::node : field == 5 ? Part::tensor : field == 15 ? Part::sparse : Part::none;
    case Part::function:
      return field == 7 ? Part::node : Part::none;
    case Part::node:
      return field == 5 ? Part::attribute : Part::none;
    case Part::attribute:
      if (field == 5 || field == 10) return Part::tensor;
      if (field == 6 || field == 11) return Part::graph;
      return field == 22 || field == 23 ? Part::sparse : Part::none;
    case Part::sparse:
      return field == 1 || field == 2 ? Part::tensor : Part::none;
    case Part::tensor:
      return field == 13 ? Part::entry : Part::none;
    case Part::none:
    case Part::entry:
      break;
  }
  return Part::none;
}

// Walks through the messages of a file of protobuf, past all that are no way to a tensor.
class ModelWalk {
 public:
  explicit ModelWalk(std::istream& file) : file_(file) {}

  // Whether the outermost fields are those of a message that ends with the file, a graph among them.
  bool is_model(std::uint64_t size) { return walk(Part::model, size, 0) && has_graph_; }

  // How many bytes the files with weights must have, by location.
  const std::map<std::string, std::uint64_t>& outside() const { return outside_; }

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int bits = 0; bits < 64; bits += 7) {
      const int byte = file_.get();
      if (byte == std::istream::traits_type::eof()) return std::nullopt;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << bits;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::uint64_t here() { return static_cast<std::uint64_t>(file_.tellg()); }

  // False: these bytes are no such message. What is malformed further inside is left to the engines.
  bool walk(Part part, std::uint64_t end, int depth) {
    std::map<std::string, std::string> entries;
    bool is_outside = false;
    while (here() < end) {
      const auto tag = varint();
      if (!tag || *tag >> 3 == 0) return false;
      const auto kind = *tag & 7;
      const auto number = kind == 0 || kind == 2 ? varint() : std::optional<std::uint64_t>(8);
      if (!number || kind == 3 || kind == 4 || kind > 5) return false;
      const std::uint64_t length = kind == 0 ? 0 : kind == 5 ? 4 : *number;
      const std::uint64_t at = here();
      if (at > end || length > end - at) return false;
      const Part inner = kind == 2 ? part_at(part, *tag >> 3) : Part::none;
      if (inner == Part::entry) {
        read_entry(at + length, entries);
      } else if (inner != Part::none && depth < kDepthMax) {
        (void)walk(inner, at + length, depth + 1);
      }
      is_outside = is_outside || (part == Part::tensor && *tag == (14 << 3 | 0) && *number == 1);
      has_graph_ = has_graph_ || inner == Part::graph;
      file_.clear();
      file_.seekg(static_cast<std::streamoff>(at + length));
    }
    if (is_outside) add(entries);
    return true;
  }

  void read_entry(std::uint64_t end, std::map<std::string, std::string>& entries) {
    std::string texts[2];
    while (here() < end) {
      const auto tag = varint(), length = varint();
      if (!tag || !length || *length > kNameMax || (*tag != 10 && *tag != 18)) return;
      std::string& text = texts[*tag == 10 ? 0 : 1];
      text.resize(*length);
      if (!file_.read(text.data(), static_cast<std::streamsize>(*length))) return;
    }
    entries[texts[0]] = texts[1];
  }

  void add(const std::map<std::string, std::string>& entries) {
    const auto number = [&](const char* name) {
      std::uint64_t value = 0;
      if (const auto found = entries.find(name); found != entries.end())
        (void)std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
      return value;
    };
    if (const auto location = entries.find("location"); location != entries.end()) {
      std::uint64_t& bytes = outside_[location->second];
      bytes = std::max(bytes, number("offset") + number("length"));
    }
  }

  std::istream& file_;
  bool has_graph_ = false;
  std::map<std::string, std::uint64_t> outside_;
};

std::string complaint_of_git_lfs(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(19, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == "version https://git" ? path + " is what Git LFS has in its place: git lfs pull" : "";
}

std::string complaint_about_weights(const std::string& model, const std::string& path,
                                    std::uint64_t bytes) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return fmt::format("{}: its weights are in {}, which is not there; put that file beside the model",
                       model, path);
  if (std::string complaint = complaint_of_git_lfs(path); !complaint.empty()) return complaint;
  if (!std::ifstream(path)) return path + ": cannot be read";
  const std::uint64_t has = fs::file_size(path, error);
  return has >= bytes ? ""
                      : fmt::format(
                            "{} has {} bytes, and the weights of {} need {}: it is not the whole "
                            "file, or that of another model",
                            path, has, model, bytes);
}

}  // namespace

Result<std::vector<std::string>> files_of_model(const std::string& model) {
  std::error_code error;
  if (!fs::exists(model, error)) return failure(model + ": no such file");
  if (!fs::is_regular_file(model, error))
    return failure(model + " is no file; bench takes a model of ONNX");
  std::ifstream file(model, std::ios::binary);
  if (!file) return failure(model + ": cannot be read");
  const std::uint64_t size = fs::file_size(model, error);
  if (size == 0) return failure(model + " is empty");
  if (const std::string complaint = complaint_of_git_lfs(model); !complaint.empty())
    return failure(complaint);
  ModelWalk walk(file);
  if (!walk.is_model(size)) return failure(model + " is no model of ONNX, or not the whole of one");
  std::vector<std::string> files{model};
  for (const auto& [location, bytes] : walk.outside()) {
    std::string path = (fs::path(model).parent_path() / location).lexically_normal().string();
    if (const std::string complaint = complaint_about_weights(model, path, bytes); !complaint.empty())
      return failure(complaint);
    if (std::ranges::find(files, path) == files.end()) files.push_back(std::move(path));
  }
  if (files.size() > kDependsMax)
    return failure(
        fmt::format("{} has weights in {}, at most {} are possible; save them as one file "
                    "(onnx.save with save_as_external_data and all_tensors_to_one_file)",
                    model, counted(files.size() - 1, "file", "files"), kDependsMax - 1));
  return files;
}

}  // namespace kernsweep
