#include "tests/kernels/pack_harness.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>

#include "tests/kernels/pack_arrays.hpp"
#include "tests/kernels/pack_memory.hpp"

namespace kernsweep::testing {
namespace {

[[noreturn]] void give_up(const std::string& reason) {
  fmt::print(stderr, "{}\n", reason);
  std::abort();
}

// The folder of the installation that this program belongs to, else of the build tree.
std::string pack_folder() {
  const auto tests = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const bool installed = tests.parent_path().filename() == "kernsweep";
  const auto top = installed ? tests / "../../.." : tests.parent_path();
  return (top / "lib/kernsweep/packs").string();
}

struct Reason {
  char text[512] = "";
  ks_why why{text, sizeof text};
};

// The ks_params of a point, with defaults; keeps the texts alive.
class Completed {
 public:
  Completed(const ks_family& family, const ks_variant* variant, const Settings& set) : values_(set) {
    add_defaults(family.params, family.param_count);
    if (variant != nullptr) add_defaults(variant->params, variant->param_count);
    for (const auto& [name, value] : values_) items_.push_back(param(name, value));
    params_ = {items_.size(), items_.data()};
  }
  Completed(const Completed&) = delete;
  Completed& operator=(const Completed&) = delete;

  const ks_params* get() const { return &params_; }

 private:
  void add_defaults(const ks_param_doc* docs, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const ks_param_doc& doc = docs[i];
      if (doc.fallback == nullptr || *doc.fallback == '\0') continue;
      values_.emplace(doc.name, parsed(doc));
    }
  }

  static Setting parsed(const ks_param_doc& doc) {
    const std::string text = doc.fallback;
    if (doc.kind == KS_INTEGER) return static_cast<std::int64_t>(std::stoll(text));
    if (doc.kind == KS_FLOAT) return std::stod(text);
    if (doc.kind == KS_BOOLEAN) return text == "true";
    return text;
  }

  static ks_param param(const std::string& name, const Setting& value) {
    ks_param made{};
    made.name = name.c_str();
    made.text = "";
    if (const auto* boolean = std::get_if<bool>(&value)) {
      made.kind = KS_BOOLEAN;
      made.integer = *boolean ? 1 : 0;
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      made.kind = KS_INTEGER;
      made.integer = *integer;
      made.real = static_cast<double>(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      made.kind = KS_FLOAT;
      made.real = *real;
    } else {
      made.kind = KS_TEXT;
      made.text = std::get<std::string>(value).c_str();
    }
    return made;
  }

  Settings values_;
  std::vector<ks_param> items_;
  ks_params params_{};
};

Measured refused(ks_status status, const char* where, const std::string& why) {
  Measured measured;
  measured.status = status;
  measured.failed_in = where;
  measured.why = why;
  return measured;
}

// Memory that also records calls: the rest of ks_context.
struct ListeningMemory : GuardedMemory {
  using GuardedMemory::GuardedMemory;
  std::string explained;
  std::optional<ks_work> work;

  static ListeningMemory& of(void* host) {
    return *static_cast<ListeningMemory*>(static_cast<GuardedMemory*>(host));
  }
  static void explain(void* host, const char* reason) { of(host).explained = reason; }
  static void report_work(void* host, const ks_work* work) { of(host).work = *work; }
};

void read_metrics(const ks_variant& variant, void* state, Measured& measured) {
  ks_metric metrics[16];
  ks_declared_metric declared[16] = {};
  std::size_t count = 0;
  if (variant.declared_metrics != nullptr) {
    if (variant.declared_metrics(state, declared, std::size(declared), &count) == KS_OK)
      for (std::size_t i = 0; i < count; ++i) measured.metrics[declared[i].name] = declared[i].value;
    return;
  }
  if (variant.metrics == nullptr || variant.metrics(state, metrics, std::size(metrics), &count) != KS_OK)
    return;
  for (std::size_t i = 0; i < count; ++i) measured.metrics[metrics[i].name] = metrics[i].value;
}

Measured run_prepared(const ks_variant& variant, void* state, const HostOptions& options,
                      const ListeningMemory& host) {
  Measured measured;
  ks_tensor view{};
  for (int i = 0; i < options.runs; ++i) {
    if (options.overwritten && i == options.runs - 1) {
      if (const ks_status status = variant.output(state, &view); status != KS_OK)
        return refused(status, "output", host.explained);
      overwrite(view);
    }
    if (options.cold && variant.evict != nullptr) {
      if (const ks_status status = variant.evict(state); status != KS_OK)
        return refused(status, "evict", host.explained);
    }
    if (const ks_status status = variant.run(state); status != KS_OK)
      return refused(status, "run", host.explained);
  }
  if (options.queued > 0 && variant.run_many != nullptr) {
    if (const ks_status status = variant.run_many(state, options.queued); status != KS_OK)
      return refused(status, "run_many", host.explained);
  }
  if (const ks_status status = variant.output(state, &view); status != KS_OK)
    return refused(status, "output", host.explained);
  measured.work = host.work;
  if (variant.elapsed != nullptr) measured.elapsed = variant.elapsed(state);
  if (variant.waited != nullptr) measured.waited = variant.waited(state);
  read_view(view, measured);
  read_metrics(variant, state, measured);
  if (variant.runtime != nullptr) measured.runtime = variant.runtime(state);
  return measured;
}

}  // namespace

Settings with(Settings base, std::initializer_list<std::pair<const char*, Literal>> literals) {
  for (const auto& [name, literal] : literals) base.insert_or_assign(name, literal.setting);
  return base;
}

Settings settings(std::initializer_list<std::pair<const char*, Literal>> literals) {
  return with({}, literals);
}

const ks_pack* open_pack_as(const std::string& name, std::uint32_t host_major, std::uint32_t host_minor) {
  const bool is_path = name.find('/') != std::string::npos;
  const std::string path = is_path ? name : fmt::format("{}/{}.so", pack_folder(), name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) give_up(dlerror());
  const auto entry =
      reinterpret_cast<const ks_pack* (*)(std::uint32_t, std::uint32_t)>(dlsym(library, "kernsweep_pack"));
  if (entry == nullptr) give_up(path + " exports no kernsweep_pack");
  return entry(host_major, host_minor);
}

const ks_pack& open_pack(const std::string& name) {
  const ks_pack* pack = open_pack_as(name, KS_API_MAJOR, KS_API_MINOR);
  if (pack == nullptr) give_up(name + " refuses this version of the interface");
  return *pack;
}

std::vector<std::string> names_in(const char* list) {
  std::vector<std::string> names;
  std::istringstream text(list == nullptr ? "" : list);
  for (std::string name; std::getline(text, name, '|');) names.push_back(name);
  return names;
}

namespace {

void check_declared(const char* list, const ks_param_doc* params, std::size_t count) {
  for (const std::string& name : names_in(list))
    if (std::none_of(params, params + count, [&](const ks_param_doc& doc) { return name == doc.name; }))
      give_up("there is no parameter " + name + " of those in " + list);
}

}  // namespace

const ks_family& family_of(const ks_pack& pack, const std::string& name) {
  for (std::size_t i = 0; i < pack.family_count; ++i) {
    const ks_family& family = *pack.families[i];
    if (name != family.name) continue;
    check_declared(family.settings, family.params, family.param_count);
    for (std::size_t v = 0; v < family.variant_count; ++v)
      check_declared(family.variants[v]->problem_params, family.variants[v]->params,
                     family.variants[v]->param_count);
    return family;
  }
  give_up("no family " + name);
}

const ks_variant& variant_of(const ks_family& family, const std::string& name) {
  for (std::size_t i = 0; i < family.variant_count; ++i)
    if (name == family.variants[i]->name) return *family.variants[i];
  give_up("no variant " + name);
}

std::vector<std::string> names_of_variants(const ks_family& family) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < family.variant_count; ++i) names.emplace_back(family.variants[i]->name);
  return names;
}

ks_status can_run(const ks_family& family, const std::string& variant, const Settings& set,
                  std::string& why) {
  const ks_variant& chosen = variant_of(family, variant);
  const Completed params(family, &chosen, set);
  Reason reason;
  const ks_status status = chosen.can_run(params.get(), reason.why);
  why = reason.text;
  return status;
}

ks_status inputs_of(const ks_family& family, const Settings& set, std::vector<ks_input>& inputs,
                    std::string& why) {
  const Completed params(family, nullptr, set);
  Reason reason;
  inputs.assign(KS_INPUTS_MAX, ks_input{});
  std::size_t count = 0;
  const ks_status status = family.inputs(params.get(), inputs.data(), inputs.size(), &count, reason.why);
  inputs.resize(status == KS_OK ? count : 0);
  why = reason.text;
  return status;
}

ks_work work_of(const ks_family& family, const Settings& set) {
  const Completed params(family, nullptr, set);
  Reason reason;
  ks_work work{};
  if (family.work(params.get(), &work, reason.why) != KS_OK) give_up(fmt::format("work: {}", reason.text));
  return work;
}

ks_tolerance tolerance_of(const ks_family& family, const Settings& set) {
  const Completed params(family, nullptr, set);
  ks_tolerance tolerance{};
  if (family.tolerance(params.get(), &tolerance) != KS_OK) give_up("tolerance refused");
  return tolerance;
}

Measured measure(const ks_family& family, const std::string& variant, const Settings& set,
                 const HostOptions& options) {
  const ks_variant& chosen = variant_of(family, variant);
  const Completed params(family, &chosen, set);
  std::vector<ks_input> inputs;
  std::string why;
  if (const ks_status status = inputs_of(family, set, inputs, why); status != KS_OK)
    return refused(status, "inputs", why);
  Reason reason;
  if (const ks_status status = chosen.can_run(params.get(), reason.why);
      status != KS_OK && !options.skip_can_run)
    return refused(status, "can_run", reason.text);

  GuardedMemory input_memory(-1);
  ListeningMemory output_memory(options.bytes_max);
  const std::vector<ks_tensor> tensors = make_inputs(inputs, input_memory, options);
  ks_context context{};
  context.size = sizeof context;
  context.threads = options.threads;
  context.seed = options.seed;
  context.allocate = &GuardedMemory::allocate_for;
  context.host = static_cast<GuardedMemory*>(&output_memory);
  context.explain = &ListeningMemory::explain;
  context.report_work = &ListeningMemory::report_work;
  void* state = nullptr;
  const ks_status prepared =
      chosen.prepare(params.get(), &context, tensors.data(), tensors.size(), &state, reason.why);
  if (prepared != KS_OK) return refused(prepared, "prepare", reason.text);
  if (options.prepared) options.prepared();
  Measured measured = run_prepared(chosen, state, options, output_memory);
  chosen.release(state);
  return measured;
}

std::vector<std::vector<double>> inputs_as_doubles(const ks_family& family, const Settings& set,
                                                   const HostOptions& options) {
  std::vector<ks_input> inputs;
  std::string why;
  if (inputs_of(family, set, inputs, why) != KS_OK) give_up(why);
  GuardedMemory memory(-1);
  std::vector<std::vector<double>> all;
  for (const ks_tensor& tensor : make_inputs(inputs, memory, options)) {
    Measured dense;
    read_view(tensor, dense);
    all.push_back(std::move(dense.values));
  }
  return all;
}

std::string difference(const Measured& x, const Measured& reference, const ks_tolerance& tolerance) {
  if (x.shape != reference.shape)
    return fmt::format("shape [{}] instead of [{}]", fmt::join(x.shape, ","),
                       fmt::join(reference.shape, ","));
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  std::size_t slice = 1;  // elements that share a scale
  for (std::int64_t d = 0; d < rank; ++d)
    if (tolerance.scale_dims <= 0 || d >= rank - tolerance.scale_dims)
      slice *= static_cast<std::size_t>(x.shape[static_cast<std::size_t>(d)]);
  double allowed = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (i % slice == 0) {
      double scale = 0;
      for (std::size_t s = i; s < i + slice; ++s) scale = std::max(scale, std::abs(reference.values[s]));
      allowed = tolerance.absolute + tolerance.relative * scale;
    }
    const double apart = std::abs(x.values[i] - reference.values[i]);
    if (!(apart <= allowed))  // a NaN is not within anything
      return fmt::format("element {} is {} instead of {}: apart {} > allowed {}", i, x.values[i],
                         reference.values[i], apart, allowed);
  }
  return "";
}

bool same_bits(const Measured& a, const Measured& b) {
  return a.values.size() == b.values.size() &&
         (a.values.empty() ||
          std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

std::string mismatch_with_reference(const ks_family& family, const std::string& variant,
                                    const Settings& set, const HostOptions& options) {
  const Measured reference = measure(family, family.reference, set, options);
  if (reference.status != KS_OK) return fmt::format("reference {}: {}", reference.failed_in, reference.why);
  const Measured x = measure(family, variant, set, options);
  if (x.status != KS_OK) return fmt::format("{} refused in {}: {}", variant, x.failed_in, x.why);
  return difference(x, reference, tolerance_of(family, set));
}

std::map<std::string, std::string> told_in(const std::string& runtime) {
  std::map<std::string, std::string> told;
  std::istringstream words(runtime);
  for (std::string word; words >> word;)
    if (const auto at = word.find('='); at != std::string::npos)
      told[word.substr(0, at)] = word.substr(at + 1);
  return told;
}

std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) give_up("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) give_up("no child");
  if (child == 0) {
    close(ends[0]);
    // An exception ends the child: GoogleTest would catch it, and run the other tests here too.
    const std::string text = [&]() noexcept { return body(); }();
    const bool whole = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return fmt::format("died: {}", strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fmt::format("died: exit {}", WEXITSTATUS(status));
  return text;
}

}  // namespace kernsweep::testing
