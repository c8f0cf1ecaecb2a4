// `kernsweep-slot --reference FOLDER`: computes one reference (outside_reference.hpp).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "shared/base/dtype.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/try.hpp"
#include "shared/text/choices.hpp"
#include "shared/text/source_call.hpp"
#include "tensors/mapping.hpp"
#include "tensors/spec.hpp"
#include "worker/host/programs.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/job/in_place.hpp"
#include "worker/slot/job/operands.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/pack/pack_search.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/verify/outside_reference.hpp"

namespace kernsweep {
namespace {

constexpr Duration kCheapToRepeat = std::chrono::seconds(1);

// The operands that the function may overwrite, as the sweep declares them.
std::vector<std::string> in_place_of(const OutsideTask& task) {
  std::vector<std::string> out;
  for (const auto& [name, value] : task.values) {
    if (!name.starts_with(kOperandColumn) || !value.text()) continue;
    const auto read = operand_of_text(*value.text());
    if (read && read->role == OperandRole::in_place) out.push_back(name.substr(kOperandColumn.size()));
  }
  return out;
}

// The functions that the variant may call: ks_context::host.
struct ReferenceHost {
  GuardedMemory memory;
  std::string explained;
  std::vector<ReferenceOutput::Source> sources;
  std::optional<std::vector<std::string>> reads;  // names of parameters

  static void* allocate(void* host, std::size_t bytes) {
    return static_cast<ReferenceHost*>(host)->memory.allocate(bytes);
  }
  static void explain(void* host, const char* reason) {
    static_cast<ReferenceHost*>(host)->explained = reason ? reason : "";
  }
  static void report_source(void* host, const char* role, const char* name, const char* path) {
    if (role && name && std::string_view(role) == "reads")
      static_cast<ReferenceHost*>(host)->reads = split_choices(name);
    if (!role || !name || !path || *path == '\0') return;
    auto& known = static_cast<ReferenceHost*>(host)->sources;
    const ReferenceOutput::Source source{role, name, path, ""};
    if (std::ranges::find(known, source) == known.end()) known.push_back(source);
  }
};

// An operand as bytes, in types that programs and Python can read: f16, bf16 and f8 become f32, which has
// all of their numbers.
struct ReadOperand {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

bool is_plain(Dtype dtype) {
  return dtype != Dtype::f16 && dtype != Dtype::bf16 && dtype != Dtype::f8e4m3 && dtype != Dtype::f8e5m2;
}

// `as_it_is`: also f16 and its like, for the code that the job itself calls.
Result<ReadOperand> read_operand(const OutsideTask::Operand& operand, bool as_it_is) {
  const auto dtype = dtype_numbered(operand.dtype);
  const auto mapping = TensorMapping::open(operand.path, operand.bytes);
  if (!dtype) return failure("the operand '" + operand.name + "' has an unknown dtype");
  KS_RETURN_IF_ERROR(mapping);
  const auto from = mapping->bytes();
  ReadOperand out{operand.name, *dtype, operand.shape, {from.begin(), from.end()}};
  if (as_it_is || is_plain(*dtype)) return out;
  const std::size_t count = from.size() / size_of(*dtype);
  out.dtype = Dtype::f32;
  out.bytes.resize(count * sizeof(float));
  for (std::size_t i = 0; i < count; ++i) {
    const auto value =
        static_cast<float>(element_as_double(*dtype, from.data(), static_cast<std::int64_t>(i)));
    std::memcpy(out.bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return out;
}

std::string npy_of(const ReadOperand& operand) {
  std::string kind = "<f" + std::to_string(size_of(operand.dtype));
  if (operand.dtype == Dtype::s8) kind = "|i1";
  if (operand.dtype == Dtype::u8) kind = "|u1";
  if (operand.dtype == Dtype::s32) kind = "<i4";
  if (operand.dtype == Dtype::s64) kind = "<i8";
  std::string head = "{'descr': '" + kind + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : operand.shape) head += std::to_string(extent) + ", ";
  head += "), }";
  constexpr std::size_t kAligned = 64, kBefore = 10;
  head += std::string((kAligned - (kBefore + head.size() + 1) % kAligned) % kAligned, ' ') + "\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(head.size() & 0xFF);
  out += static_cast<char>(head.size() >> 8);
  out += head;
  out.append(reinterpret_cast<const char*>(operand.bytes.data()), operand.bytes.size());
  return out;
}

bool write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return !file.fail();
}

ks_param param_of(const std::string& name, const Value& value) {
  ks_param out{name.c_str(), KS_NULL, 0, 0, ""};
  if (const auto* truth = value.boolean()) {
    out.kind = KS_BOOLEAN;
    out.integer = *truth ? 1 : 0;
  } else if (const auto* whole = value.integer()) {
    out.kind = KS_INTEGER;
    out.integer = *whole;
    out.real = static_cast<double>(*whole);
  } else if (const auto* real = value.real()) {
    out.kind = KS_FLOAT;
    out.real = *real;
  } else if (const auto* text = value.text()) {
    out.kind = KS_TEXT;
    out.text = text->c_str();
  }
  return out;
}

struct Told {
  Outcome outcome = Outcome::ok;
  std::string reason;
};

Told failed_with(ks_status status, const std::string& doing, const std::string& why) {
  return {status == KS_OUT_OF_MEMORY ? Outcome::out_of_memory : Outcome::failed_setup,
          doing + (why.empty() ? " failed" : ": " + why)};
}

class ReferenceProcess {
 public:
  explicit ReferenceProcess(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Told run(OutsideTask task) {
    setenv("KERNSWEEP_SEED", std::to_string(task.seed).c_str(), 1);
    if (Told told = read_operands(task); told.outcome != Outcome::ok) return told;
    const auto file = pack_with_kernel(task.family, "");
    auto pack = file ? Pack::open(*file) : Result<Pack>(tl::unexpected(file.error()));
    if (!pack) return {Outcome::failed_setup, pack.error().message};
    if (needs_interpreter(pack->path()))
      for (const auto& [role, name, path] : interpreter_files())
        host_.sources.push_back({role, name, path, ""});
    const ks_family* const family = pack->family(task.family);
    if (!family || family->variant_count == 0)
      return {Outcome::failed_setup, "the pack " + *file + " has no family '" + task.family + "'"};
    pack_ = std::move(*pack);
    return compute(*family->variants[0], task);
  }

  // Files that the reference has reported so far.
  const std::vector<ReferenceOutput::Source>& sources() const { return host_.sources; }
  // As OutsideAnswer::reads.
  const std::optional<std::vector<std::string>>& reads() const { return host_.reads; }

 private:
  Told read_operands(OutsideTask& task) {
    for (const OutsideTask::Operand& operand : task.operands) {
      auto read = read_operand(operand, is_source_family(task.family));
      if (!read) return {Outcome::failed_setup, read.error().message};
      operands_.push_back(std::move(*read));
    }
    if (task.family == "command") return write_operands();
    for (std::size_t i = 0; i < operands_.size(); ++i)
      task.values.emplace_back("input." + operands_[i].name, static_cast<std::int64_t>(i));
    if (task.is_function) task.values.emplace_back("python.is_reference", true);
    return {};
  }

  Told write_operands() {
    if (operands_.empty()) return {};
    const std::filesystem::path inputs = folder_ / "inputs";
    std::error_code error;
    std::filesystem::create_directory(inputs, error);
    for (const ReadOperand& operand : operands_) {
      if (!write_bytes(inputs / (operand.name + ".npy"), npy_of(operand)))
        return {Outcome::failed_setup, "the operands cannot be written to " + inputs.string() +
                                           "; is it full? TMPDIR names another place"};
    }
    setenv("KERNSWEEP_INPUTS", inputs.c_str(), 1);
    return {};
  }

  Told compute(const ks_variant& variant, OutsideTask& task) {
    if (task.family == "command")
      task.values.emplace_back("command.keeps", static_cast<std::int64_t>(kReferenceTextMax));
    std::ranges::sort(task.values, {}, &std::pair<std::string, Value>::first);
    std::vector<ks_param> params;
    for (const auto& [name, value] : task.values) params.push_back(param_of(name, value));
    const ks_params view{params.size(), params.data()};
    std::vector<ks_tensor> tensors;
    std::vector<std::string> names;
    for (const ReadOperand& operand : operands_) {
      names.push_back(operand.name);
      tensors.push_back(
          dense_tensor(operand.bytes.data(), static_cast<ks_dtype>(operand.dtype), operand.shape));
    }
    const ks_context context{sizeof(ks_context),
                             static_cast<std::int32_t>(task.threads),
                             task.seed,
                             ReferenceHost::allocate,
                             &host_,
                             ReferenceHost::explain,
                             nullptr,
                             ReferenceHost::report_source};
    if (variant.can_run) {
      std::array<char, 512> why{};
      const ks_status can = variant.can_run(&view, {why.data(), why.size()});
      if (can != KS_OK) return failed_with(can, "it cannot be run", why.data());
    }
    InPlace in_place;
    if (const auto failed = in_place.place(in_place_of(task), names, host_.memory, tensors))
      return {failed->outcome, failed->reason};
    const Instant start = monotonic_now();
    in_place.restore();
    Told told = run_once(variant, view, context, tensors, "output");
    // Prepared again, because a function that returns its output itself has computed it then.
    in_place.restore();
    if (told.outcome == Outcome::ok && monotonic_now() - start < kCheapToRepeat)
      told = run_once(variant, view, context, tensors, "again");
    return told;
  }

  // Writes the output to the file `name`, unless it is equal to the first one.
  Told run_once(const ks_variant& variant, const ks_params& params, const ks_context& context,
                const std::vector<ks_tensor>& tensors, const char* name) {
    std::array<char, 512> why{};
    void* state = nullptr;
    const ks_status prepared = variant.prepare(&params, &context, tensors.data(), tensors.size(), &state,
                                               {why.data(), why.size()});
    if (prepared != KS_OK) return failed_with(prepared, "preparing it", why.data());
    const Told told = run_and_write(variant, state, name);
    variant.release(state);
    return told;
  }

  Told run_and_write(const ks_variant& variant, void* state, const char* name) {
    if (const ks_status ran = variant.run(state); ran != KS_OK)
      return failed_with(ran, "running it", host_.explained);
    ks_tensor view{};
    if (const ks_status shown = variant.output(state, &view); shown != KS_OK)
      return failed_with(shown, "its output", host_.explained);
    auto output =
        reference_output_of(view, std::string_view(variant.name) == "command",
                            pack_->parts_of(variant, state, view), pack_->keys_of(variant, state));
    if (!output) return {Outcome::failed_setup, output.error().message};
    const bool has_text = output->text && output->text->find_first_not_of(" \t\r\n") != std::string::npos;
    if (!has_text && output->values.empty())
      return {Outcome::failed_setup, "it has no output, so there is nothing to compare with"};
    if (output->values.size() * sizeof(double) > kReferenceBytesMax)
      return {Outcome::failed_setup, "its output has more than 4 GiB as numbers of 8 bytes"};
    const Digest hash = output_hash(view);
    output->sources = host_.sources;
    if (hash != hash_ && !write_bytes(folder_ / name, bytes_of(*output)))
      return {Outcome::failed_setup, "its output cannot be written to " + folder_.string()};
    hash_ = hash;
    return {};
  }

  std::filesystem::path folder_;
  std::optional<Pack> pack_;
  std::vector<ReadOperand> operands_;
  ReferenceHost host_;
  Digest hash_{};  // of the output that was written first
};

}  // namespace

int answer_reference(const std::string& folder) {
  std::ifstream file(std::filesystem::path(folder) / "task", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  auto task = outside_task_of(text.str());
  if (task) become_interpreter_for(task->family + ".so", {"--reference", folder});
  ReferenceProcess reference(folder);
  const Told told =
      task ? reference.run(std::move(*task)) : Told{Outcome::failed_setup, task.error().message};
  if (told.outcome !=
      Outcome::ok) {  // a job that failed because of it is retried when one of its files changes
    ReferenceOutput nothing;
    nothing.sources = reference.sources();
    write_bytes(std::filesystem::path(folder) / "output", bytes_of(nothing));
  }
  JsonTree answer = JsonTree::object();
  answer.add("outcome", Value(std::string(name_of(told.outcome))));
  answer.add("reason", Value(told.reason));
  if (reference.reads()) {
    JsonTree& names = answer.add("reads", JsonTree::list());
    for (const std::string& name : *reference.reads()) names.add(Value(name));
  }
  return write_bytes(std::filesystem::path(folder) / "answer", text_of(answer)) ? 0 : 1;
}

}  // namespace kernsweep
