#include "shared/wire/single_job.hpp"

#include <algorithm>

#include "shared/base/rules.hpp"
#include "shared/base/try.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"
#include "shared/wire/json_tree.hpp"
#include "shared/wire/rule_json.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kProcessMax = 999;

template <class Number>
Status read_whole(const std::string& name, const JsonTree& from, std::uint64_t least, std::uint64_t most,
                  Number& target) {
  const auto number = from.whole();
  const auto* const below = from.scalar.integer();
  if (!number && below != nullptr && *below < 0)
    return failure(name + " goes from " + std::to_string(least) + " to " + std::to_string(most) + ", not " +
                   std::to_string(*below));
  if (!number) return wrong_kind(name, "a whole number", from);
  if (*number < least || *number > most)
    return failure(name + " goes from " + std::to_string(least) + " to " + std::to_string(most) + ", not " +
                   std::to_string(*number));
  target = static_cast<Number>(*number);
  return Done{};
}

Status read_text(const std::string& name, const JsonTree& from, std::string& target) {
  if (!from.is_text()) return wrong_kind(name, "text", from);
  target = *from.scalar.text();
  return Done{};
}

Status read_cache(const JsonTree& from, Cache& cache) {
  static const std::vector<std::string> kCaches = {"hot", "cold"};
  if (!from.is_text()) return wrong_kind("cache", "hot or cold", from);
  const std::string& word = *from.scalar.text();
  if (word != "hot" && word != "cold")
    return failure("cache cannot be '" + word + "'" + did_you_mean(word, kCaches));
  cache = word == "hot" ? Cache::hot : Cache::cold;
  return Done{};
}

Status read_values(const JsonTree& from, SingleJob& job) {
  if (!from.is_object()) return wrong_kind("values", "a mapping from columns to values", from);
  for (const auto& [name, tree] : from.members) {
    if (name == "threads" || name == "copies")
      return failure("values." + name + ": write \"" + name + "\" next to \"values\" instead");
    if (is_environment(name))
      return failure("values." + name + ": write \"" + std::string(environment_variable_of(name)) +
                     "\" in \"environment\" instead");
    if (tree.kind != JsonTree::Kind::scalar)
      return wrong_kind("values." + name, "a number, text, true or false", tree);
    if (tree.large) return failure("values." + name + " does not fit into 64 bits with a sign");
    if (!tree.scalar.is_null()) job.values.emplace_back(name, tree.scalar);
  }
  return Done{};
}

Status read_environment(const JsonTree& from, SingleJob& job) {
  if (!from.is_object()) return wrong_kind("environment", "a mapping from names to text", from);
  for (const auto& [name, tree] : from.members) {
    if (name.empty() || name.find('=') != std::string::npos)
      return failure("environment: '" + name + "' is not a valid name of a variable");
    KS_RETURN_IF_ERROR(read_text("environment." + name, tree, job.environment[name]));
  }
  return Done{};
}

Status read_quick(const JsonTree& from, bool& quick) {
  if (!from.scalar.boolean()) return wrong_kind("quick", "true or false", from);
  quick = *from.scalar.boolean();
  return Done{};
}

Status read_member(const std::string& name, const JsonTree& tree, SingleJob& job) {
  static const std::vector<std::string> kKeys = {"pack",    "family",  "seed",    "threads", "copies",
                                                 "cache",   "process", "quick",   "values",  "environment",
                                                 "measure", "verify",  "timeout", "built"};
  if (name == "pack") return read_text(name, tree, job.pack);
  if (name == "family") return read_text(name, tree, job.family);
  if (name == "seed") return read_whole(name, tree, 0, UINT64_MAX, job.seed);
  if (name == "threads") return read_whole(name, tree, 1, kThreadsOfJobMax, job.threads);
  if (name == "copies") return read_whole(name, tree, 1, kCopiesOfJobMax, job.copies);
  if (name == "cache") return read_cache(tree, job.cache);
  if (name == "process") return read_whole(name, tree, 0, kProcessMax, job.process);
  if (name == "quick") return read_quick(tree, job.rules.measure.quick);
  if (name == "values") return read_values(tree, job);
  if (name == "environment") return read_environment(tree, job);
  if (name == "built") return read_text(name, tree, job.built);
  if (name == "measure" || name == "verify" || name == "timeout") return read_rules(tree, name, job.rules);
  return failure("a job has no key '" + name + "'" + did_you_mean(name, kKeys));
}

}  // namespace

JsonTree tree_of(const SingleJob& job) {
  JsonTree out = JsonTree::object();
  if (!job.pack.empty()) out.add("pack", Value(job.pack));
  out.add("family", Value(job.family));
  out.add("seed", JsonTree::natural(job.seed));
  out.add("threads", JsonTree::natural(job.threads));
  if (job.copies > 0) out.add("copies", JsonTree::natural(job.copies));
  out.add("cache", Value(job.cache == Cache::cold ? "cold" : "hot"));
  if (job.process > 0) out.add("process", JsonTree::natural(job.process));
  if (job.rules.measure.quick) out.add("quick", Value(true));
  JsonTree& values = out.add("values", JsonTree::object());
  for (const auto& [name, value] : job.values)
    if (!value.is_null()) values.add(name, value);
  if (!job.environment.empty()) {
    JsonTree& environment = out.add("environment", JsonTree::object());
    for (const auto& [name, value] : job.environment) environment.add(name, Value(value));
  }
  if (!job.built.empty()) out.add("built", Value(job.built));
  add_rules(job.rules, out);
  return out;
}

std::string text_of(const SingleJob& job) {
  return text_of(tree_of(job));
}

Result<SingleJob> single_job_of(std::string_view text) {
  KS_ASSIGN_OR_RETURN(const auto tree, json_tree_of(text));
  if (!tree.is_object())
    return failure("a job is a mapping such as {\"family\":\"gemm\",...}, not " + std::string(tree.what()));
  SingleJob job;
  for (const auto& [name, member] : tree.members) KS_RETURN_IF_ERROR(read_member(name, member, job));
  if (job.family.empty()) return failure("the job names no family: \"family\":\"gemm\"");
  KS_RETURN_IF_ERROR(check_rules(job.rules));
  return job;
}

}  // namespace kernsweep
