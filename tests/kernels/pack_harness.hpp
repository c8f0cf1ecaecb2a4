// A tiny host for packs: what a slot does with one, without processes, leases or clocks.
//
// It opens a built pack, completes parameters with their documented defaults, makes inputs from a seed,
// prepares, runs, and reads the output through its strides as a dense array of doubles. Nothing of the slot
// is used, so that an error of the slot cannot hide one of a pack, nor the other way round.
//
// Inputs are sealed against writing. Memory that a kernel gets from `allocate` ends at a page that cannot
// be touched: writing past it is a crash.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep::testing {

using Setting = std::variant<bool, std::int64_t, double, std::string>;
using Settings = std::map<std::string, Setting>;  // parameters of a point that are set

// Whole literals without suffixes: settings({{"m", 3}, {"dtype", "f32"}}).
struct Literal {
  Literal(const char* text) : setting(std::string(text)) {}          // NOLINT: conversion is the point
  Literal(const std::string& text) : setting(text) {}                // NOLINT
  Literal(int value) : setting(static_cast<std::int64_t>(value)) {}  // NOLINT
  Literal(std::int64_t value) : setting(value) {}                    // NOLINT
  Literal(double value) : setting(value) {}                          // NOLINT
  Literal(bool value) : setting(value) {}                            // NOLINT
  Setting setting;
};
Settings settings(std::initializer_list<std::pair<const char*, Literal>> literals);
Settings with(Settings base, std::initializer_list<std::pair<const char*, Literal>> literals);

// Opens lib/kernsweep/packs/<name>.so of the build tree, or of the package that this program is a part of;
// `name` itself when it is a path. Aborts the test program with the loader's words when that fails: nothing
// can be tested then. Never closed.
const ks_pack& open_pack(const std::string& name);
// The pack's answer to a host of that version; null if it rejects the host.
const ks_pack* open_pack_as(const std::string& name, std::uint32_t host_major, std::uint32_t host_minor);
// Aborts as well if the family or one of its variants declares something of a parameter that it has not.
const ks_family& family_of(const ks_pack& pack, const std::string& name);
// The names in ks_family::settings or ks_variant::problem_params.
std::vector<std::string> names_in(const char* list);
const ks_variant& variant_of(const ks_family& family, const std::string& name);
std::vector<std::string> names_of_variants(const ks_family& family);

struct HostOptions {
  int threads = 1;
  std::uint64_t seed = 1;
  int runs = 2;                    // the output must not depend on it
  std::uint64_t queued = 0;        // runs after those, by run_many, where the variant has it
  std::int64_t bytes_max = -1;     // `allocate` answers NULL beyond; negative: no limit
  bool cold = false;               // empties the caches of the variant's device before each run
  bool overwritten = false;        // the output, whose elements lie together, by NaN before the last run
  bool skip_can_run = false;       // calls prepare even when can_run has said no
  std::function<void()> prepared;  // called after prepare, before the first run
  // Replaces the elements of an input after they were made: (name, index) -> value, rounded to its type.
  std::function<double(const std::string& input, std::int64_t index)> element;
};

struct Measured {
  ks_status status = KS_OK;  // of the first call that said no
  std::string failed_in;     // "inputs", "can_run", "prepare", "run", "output"; empty when all went well
  std::string why;
  ks_dtype dtype = KS_F32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::vector<double> values;  // dense, row-major
  std::string runtime;
  std::optional<ks_work> work;    // as the last run reported it
  std::optional<double> elapsed;  // of the last run, where the variant has a clock
  std::optional<double> waited;   // in the last run, where the variant says it
  std::map<std::string, double> metrics;
};

// The whole life of a measurement of one point.
Measured measure(const ks_family& family, const std::string& variant, const Settings& set,
                 const HostOptions& options = {});

// What `runtime` says as NAME=VALUE, between blanks: "oneDNN 2.6.3 isa=avx2 threads=1" -> isa, threads.
std::map<std::string, std::string> told_in(const std::string& runtime);

// Only the questions.
ks_status can_run(const ks_family& family, const std::string& variant, const Settings& set,
                  std::string& why);
ks_status inputs_of(const ks_family& family, const Settings& set, std::vector<ks_input>& inputs,
                    std::string& why);
ks_work work_of(const ks_family& family, const Settings& set);
ks_tolerance tolerance_of(const ks_family& family, const Settings& set);

// The inputs of a point as doubles, the very elements that `measure` gives to the kernel.
std::vector<std::vector<double>> inputs_as_doubles(const ks_family& family, const Settings& set,
                                                   const HostOptions& options = {});

// Empty when `x` is near enough to `reference` by the rule of ks_tolerance and of the same shape and free
// of NaN; otherwise where and by how much it is not.
std::string difference(const Measured& x, const Measured& reference, const ks_tolerance& tolerance);

// Whether both have as many elements, with the same bits.
bool same_bits(const Measured& a, const Measured& b);

// Measures the variant and the family's reference and compares. Empty when right, else a text for the
// test's output.
std::string mismatch_with_reference(const ks_family& family, const std::string& variant,
                                    const Settings& set, const HostOptions& options = {});

// Runs `body` in a child process and returns the text that it returned; "died: ..." when it was killed. For
// libraries that read their settings when they load, and for BLAS libraries, two of which must not share a
// process.
std::string in_child(const std::function<std::string()>& body);

}  // namespace kernsweep::testing
