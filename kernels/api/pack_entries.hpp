// The C entry points of a pack that is written in C++; included by pack.hpp only.
#pragma once

namespace kernsweep::pack {

namespace detail {

// Calls `call`; if it throws, calls `tell(reason)`.
template <class Call, class Tell>
ks_status guarded(Call&& call, Tell&& tell) {
  try {
    call();
    return KS_OK;
  } catch (const Refused& refused) {
    tell(refused.what());
    return refused.status() == KS_OK ? KS_FAILED : refused.status();
  } catch (const std::bad_alloc&) {
    tell("out of memory");
    return KS_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("the pack threw something that is not a std::exception");
  }
  return KS_FAILED;
}

template <class Problem>
struct FamilyEntries {
  static ks_status inputs(const ks_params* params, ks_input* out, std::size_t capacity, std::size_t* count,
                          ks_why why) {
    *count = 0;
    return guarded(
        [&] {
          Problem problem = read<Problem>(*params);
          if constexpr (requires { problem.inputs(); }) {
            const std::vector<Input> wanted = problem.inputs();
            if (wanted.size() > capacity) throw Refused(KS_FAILED, "the family has too many operands");
            for (const Input& each : wanted) write(each, out[(*count)++]);
          }
        },
        [&](const char* reason) { say(why, reason); });
  }

  static ks_status work(const ks_params* params, ks_work* out, ks_why why) {
    return guarded(
        [&] {
          Problem problem = read<Problem>(*params);
          if constexpr (requires { problem.work(); }) *out = problem.work();
        },
        [&](const char* reason) { say(why, reason); });
  }

  static ks_status tolerance(const ks_params* params, ks_tolerance* out) {
    return guarded(
        [&] {
          Problem problem = read<Problem>(*params);
          if constexpr (requires { problem.tolerance(); }) *out = problem.tolerance();
        },
        [](const char*) {});
  }

 private:
  static void write(const Input& from, ks_input& to) {
    to = ks_input{};
    if (from.name.size() >= sizeof to.name) throw Refused(KS_FAILED, from.name + ": the name is too long");
    if (from.shape.size() > KS_RANK_MAX) throw Refused(KS_FAILED, from.name + ": too many dimensions");
    from.name.copy(to.name, sizeof to.name - 1);
    to.dtype = from.dtype;
    to.rank = static_cast<std::int32_t>(from.shape.size());
    std::copy(from.shape.begin(), from.shape.end(), to.shape);
    to.distribution = from.distribution;
    to.a = from.a;
    to.b = from.b;
    to.fan_in = from.fan_in;
    to.fan_out = from.fan_out;
    to.density = from.density;
  }
};

template <class Kernel>
concept HasSettings = requires {
  typename Kernel::Settings;
};

template <class Problem, class Kernel>
struct VariantEntries {
  struct State {
    State(const ks_params& params, const ks_context& context, const ks_tensor* inputs, std::size_t count)
        : setup(context, inputs, count), kernel(make(params, setup)) {
      if constexpr (requires { kernel.runtime(); }) runtime = kernel.runtime();
    }
    static Kernel make(const ks_params& params, Setup& setup) {
      if constexpr (HasSettings<Kernel>)
        return Kernel(read<Problem>(params), read<typename Kernel::Settings>(params), setup);
      else
        return Kernel(read<Problem>(params), setup);
    }
    Setup setup;
    Kernel kernel;
    std::string runtime;
  };

  static ks_status can_run(const ks_params* params, ks_why why) {
    return guarded(
        [&] {
          Problem problem = read<Problem>(*params);
          constexpr bool exists = requires {
            &Kernel::can_run;
          };
          if constexpr (HasSettings<Kernel>) {
            const auto settings = read<typename Kernel::Settings>(*params);  // checks them, too
            if constexpr (requires { Kernel::can_run(problem, settings); })
              Kernel::can_run(problem, settings);
            else if constexpr (requires { Kernel::can_run(problem); })
              Kernel::can_run(problem);
            else
              static_assert(!exists, "can_run is static, and takes the problem, or problem and settings");
          } else if constexpr (requires { Kernel::can_run(problem); }) {
            Kernel::can_run(problem);
          } else {
            static_assert(!exists, "can_run is static, and takes the problem");
          }
        },
        [&](const char* reason) { say(why, reason); });
  }

  static ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                           std::size_t count, void** state, ks_why why) {
    *state = nullptr;
    return guarded([&] { *state = new State(*params, *context, inputs, count); },
                   [&](const char* reason) { say(why, reason); });
  }

  static ks_status run(void* opaque) {
    State& state = *static_cast<State*>(opaque);
    return guarded([&] { state.kernel.run(); }, [&](const char* reason) { state.setup.explain(reason); });
  }

  static ks_status output(void* opaque, ks_tensor* out) {
    State& state = *static_cast<State*>(opaque);
    return guarded(
        [&] {
          if constexpr (requires { state.kernel.output(); })
            *out = state.kernel.output();
          else
            *out = state.setup.shown();
        },
        [&](const char* reason) { state.setup.explain(reason); });
  }

  static void release(void* opaque) { delete static_cast<State*>(opaque); }
  static const char* runtime(void* opaque) { return static_cast<State*>(opaque)->runtime.c_str(); }

  static double elapsed(void* opaque) {
    double out = std::numeric_limits<double>::quiet_NaN();  // the host takes it as no time
    guarded([&] { out = static_cast<State*>(opaque)->kernel.elapsed(); }, [](const char*) {});
    return out;
  }
  static ks_status evict(void* opaque) {
    State& state = *static_cast<State*>(opaque);
    return guarded([&] { state.kernel.evict(); }, [&](const char* reason) { state.setup.explain(reason); });
  }

  static ks_status run_many(void* opaque, std::uint64_t runs) {
    State& state = *static_cast<State*>(opaque);
    return guarded([&] { state.kernel.run_many(runs); },
                   [&](const char* reason) { state.setup.explain(reason); });
  }

  static ks_status metrics(void* opaque, ks_declared_metric* out, std::size_t capacity,
                           std::size_t* count) {
    State& state = *static_cast<State*>(opaque);
    *count = 0;
    return guarded(
        [&] {
          for (const ks_declared_metric& each : state.kernel.metrics())
            if (*count < capacity) out[(*count)++] = each;
        },
        [](const char*) {});
  }
};

template <class Struct>
std::vector<ks_param_doc> docs_of() {
  std::vector<ks_param_doc> out;
  for (const auto& each : Struct::params())
    if (!each.text.of_variants) out.push_back(each.doc());
  return out;
}

// Names of the parameters that are settings, or that are not: "a|b"; empty: none.
template <class Struct>
std::string names_of(bool settings) {
  std::string out;
  for (const auto& each : Struct::params()) {
    if (each.text.setting != settings || each.text.of_variants) continue;
    if (!out.empty()) out += '|';
    out += each.text.name;
  }
  return out;
}

}  // namespace detail

// Texts of a family besides its name; they live as long as the process.
struct FamilyText {
  const char* reference = nullptr;  // the variant that is right by construction: f64, or s32 or s64
  const char* constants = nullptr;  // operands that are known long before a call, "b|bias" (ks_family)
  bool any_params = false;          // any other parameter is accepted
  const char* in_place = nullptr;   // operands that a call may overwrite, "x|y" (ks_family)
  const char* least = nullptr;  // parts of work() that each correct kernel needs, "flops|bytes" (ks_family)
};

// With all that its C form points to; empty if it was written in C.
struct Variant {
  ks_variant entries{};
  std::vector<ks_param_doc> docs;
  std::string problem_params;
};

// The result of variant<Kernel>(...): family() adds its problem.
template <class Kernel>
struct NamedVariant {
  const char* name;
  const char* summary;
  ks_status (*available)(ks_why why);

  template <class Problem>
  Variant of() const {
    using Entries = detail::VariantEntries<Problem, Kernel>;
    Variant out;
    if constexpr (detail::HasSettings<Kernel>) {
      out.docs = detail::docs_of<typename Kernel::Settings>();
      out.problem_params = detail::names_of<typename Kernel::Settings>(false);
    }
    out.entries = {.name = name,
                   .summary = summary,
                   .can_run = Entries::can_run,
                   .prepare = Entries::prepare,
                   .run = Entries::run,
                   .output = Entries::output,
                   .release = Entries::release,
                   .available = available};
    if constexpr (requires(Kernel & kernel) { kernel.runtime(); }) out.entries.runtime = Entries::runtime;
    if constexpr (requires(Kernel & kernel) { kernel.metrics(); })
      out.entries.declared_metrics = Entries::metrics;
    if constexpr (requires { Kernel::device; }) out.entries.device = Kernel::device;
    if constexpr (requires(Kernel & kernel) { kernel.elapsed(); }) out.entries.elapsed = Entries::elapsed;
    if constexpr (requires { Kernel::elapsed_resolution; })
      out.entries.elapsed_resolution = Kernel::elapsed_resolution;
    if constexpr (requires(Kernel & kernel) { kernel.run_many(1); }) {
      out.entries.run_many = Entries::run_many;
      out.entries.runs_max = Kernel::runs_max;
    }
    if constexpr (requires(Kernel & kernel) { kernel.evict(); }) out.entries.evict = Entries::evict;
    return out;
  }
};

// `available`: whether it can run on this host at all, whatever the point (ks_variant); nullptr: always.
template <class Kernel>
NamedVariant<Kernel> variant(const char* name, const char* summary,
                             ks_status (*available)(ks_why why) = nullptr) {
  return {name, summary, available};
}

// A family with all that its C form points to. Not moved after it is in its Pack.
class Family {
 public:
  void add(Variant made) { variants_.push_back(std::make_unique<Variant>(std::move(made))); }
  const ks_family& c_form() {
    pointers_.clear();
    for (const auto& each : variants_) {
      if (!each->docs.empty()) {
        each->entries.params = each->docs.data();
        each->entries.param_count = each->docs.size();
      }
      if (!each->problem_params.empty()) each->entries.problem_params = each->problem_params.c_str();
      pointers_.push_back(&each->entries);
    }
    entries.params = docs.data();
    entries.param_count = docs.size();
    entries.settings = settings.empty() ? nullptr : settings.c_str();
    entries.variants = pointers_.data();
    entries.variant_count = pointers_.size();
    return entries;
  }

  ks_family entries{};
  std::vector<ks_param_doc> docs;
  std::string settings;

 private:
  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<const ks_variant*> pointers_;
};

namespace detail {
template <class Problem, class Kernel>
Variant variant_of(const NamedVariant<Kernel>& variant) {
  return variant.template of<Problem>();
}
template <class>
Variant variant_of(const Variant& made) {
  return made;
}
}  // namespace detail

// `variants`: results of variant<...>(), or a Variant, such as {a_ks_variant}, from another file.
template <class Problem, class... Variants>
Family family(const char* name, const char* summary, const FamilyText& text, const Variants&... variants) {
  using Entries = detail::FamilyEntries<Problem>;
  Family out;
  out.docs = detail::docs_of<Problem>();
  out.settings = detail::names_of<Problem>(true);
  out.entries.name = name;
  out.entries.summary = summary;
  out.entries.any_params = text.any_params ? 1 : 0;
  out.entries.reference = text.reference;
  out.entries.constants = text.constants;
  out.entries.in_place = text.in_place;
  out.entries.least = text.least;
  out.entries.inputs = Entries::inputs;
  out.entries.work = Entries::work;
  if (text.reference != nullptr || requires(Problem & problem) { problem.tolerance(); })
    out.entries.tolerance = Entries::tolerance;
  (out.add(detail::variant_of<Problem>(variants)), ...);
  return out;
}

class Pack {
 public:
  // `families`: results of family<...>(), or a const ks_family*.
  template <class... Families>
  Pack(const char* name, const char* version, const char* build, Families... families) {
    (add(std::move(families)), ...);
    c_form_ = {KS_API_MAJOR, KS_API_MINOR, name, version, build, pointers_.data(), pointers_.size()};
  }
  const ks_pack& c_form() const { return c_form_; }

 private:
  void add(Family made) {
    families_.push_back(std::make_unique<Family>(std::move(made)));
    pointers_.push_back(&families_.back()->c_form());
  }
  void add(const ks_family* made) { pointers_.push_back(made); }

  std::vector<std::unique_ptr<Family>> families_;
  std::vector<const ks_family*> pointers_;
  ks_pack c_form_{};
};

// The result of kernsweep_pack(). `made` makes the pack once: its memory belongs to the pack's own file,
// because a static variable of an inline function would be shared by all packs of a process. NULL: another
// version of the interface, or the pack cannot be made.
inline const ks_pack* open(std::uint32_t host_major, const Pack& (*made)()) {
  if (host_major != KS_API_MAJOR) return nullptr;
  try {
    return &made().c_form();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "this pack cannot be made: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace kernsweep::pack
