// The command `try`: verifies and measures the variants of a pack at one point, without a database.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/commands/again/job_by_hand.hpp"
#include "cli/commands/run/tried_pack.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "coordinator/net/catalogue.hpp"
#include "language/check/catalogue_check.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/suggest.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

// A sweep with one process for each variant, in their order.
std::string sweep_over(const std::string& family, const std::vector<std::string>& variants) {
  JsonTree sweep = JsonTree::object();
  sweep.add("sweep", Value(std::int64_t{1}));
  sweep.add("name", Value("try"));
  sweep.add("kernel", Value(family));
  JsonTree& axis = sweep.add("axes", JsonTree::object()).add("variant", JsonTree::list());
  for (const std::string& variant : variants) axis.add(Value(variant));
  JsonTree& measure = sweep.add("measure", JsonTree::object());
  measure.add("processes", Value(std::int64_t{1}));
  measure.add("order", Value("sequential"));
  return text_of(sweep);
}

// A message of the sweep language, without the + that the user has not typed.
std::string as_typed(std::string message) {
  if (const auto at = message.find("-a '+"); at != std::string::npos) message.erase(at + 4, 1);
  return message;
}

// The first cores of this machine.
Result<std::vector<std::uint32_t>> first_cores(const Topology& topology, const SingleJob& job) {
  if (job.cores() > topology.cores.size())
    return failure((job.copies > 1 ? "copies is " + std::to_string(job.copies) + " and " : std::string()) +
                   "threads is " + std::to_string(job.threads) + ", but this machine has only " +
                   counted(topology.cores.size(), "core", "cores"));
  std::vector<std::uint32_t> cores;
  for (const HostCore& core : topology.cores) cores.push_back(core.cpu);
  cores.resize(job.cores());
  return cores;
}

double number_in(const JsonTree& answer, const char* name) {
  const JsonTree* const found = answer.find(name);
  return found == nullptr ? NAN : found->scalar.number().value_or(NAN);
}

std::string text_in(const JsonTree& answer, const char* name) {
  const JsonTree* const found = answer.find(name);
  return found != nullptr && found->is_text() ? *found->scalar.text() : "";
}

// "loop       ok  812 ns (810 ns to 815 ns), 2.46 GFLOP/s, 14.8 GB/s"
std::string line_of(const std::string& variant, std::size_t width, const Tried& tried) {
  std::string line = variant + std::string(width - variant.size() + 2, ' ') + tried.outcome;
  const double median = number_in(tried.answer, "median_s");
  if (std::isfinite(median))
    line += "  " + text_of_seconds(median) + " (" + text_of_seconds(number_in(tried.answer, "q1_s")) +
            " to " + text_of_seconds(number_in(tried.answer, "q3_s")) + ")";
  for (const auto& [name, unit] : {std::pair("gflops", " GFLOP/s"), std::pair("gbps", " GB/s")})
    if (const double rate = number_in(tried.answer, name); std::isfinite(rate))
      line += ", " + text_of_number(rate) + unit;
  if (const std::string reason = text_in(tried.answer, "reason"); !reason.empty()) line += ": " + reason;
  const JsonTree* const doubts = tried.answer.find("grade_reasons");
  if (text_in(tried.answer, "grade") == "C" && doubts != nullptr && !doubts->members.empty())
    line += "; grade C: " + doubts->members.front().second.scalar.to_text();
  return line + "\n";
}

class TryCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("pack", pack_, "The .so of a pack").required();
    to.option("-a,--axis", values_,
              "Value of a parameter: -a n=1000; also -a threads=2, -a env.NAME=value");
    to.option("--variant", variant_, "Only this variant (default: all)");
    to.option("--family", family_, "Which family, where the pack has several");
    to.option("--timeout", limit_s_, "Seconds for each variant (default: 60)")
        .range(std::int64_t{1}, std::int64_t{86400});
    to.flag("--quick", quick_, "A first look: few samples");
    add_json(to, json_);
  }
  int run(const Invocation& given) override;

 private:
  Result<std::vector<std::string>> axes() const;
  Result<Expansion> expand(const wire::Family& family) const;
  Status choose(const wire::Family& family);

  std::string pack_, variant_, family_;
  std::vector<std::string> values_;
  std::uint32_t limit_s_ = 60;
  bool quick_ = false, json_ = false;

  std::vector<std::string> variants_;  // to be tried
};

Status TryCommand::choose(const wire::Family& family) {
  std::vector<std::string> names;
  for (const auto& variant : family.variants()) names.push_back(variant.name());
  variants_ = variant_.empty() ? names : std::vector<std::string>{variant_};
  if (variants_.empty()) return failure("the family '" + family.name() + "' has no variant");
  if (std::ranges::find(names, variants_.front()) != names.end()) return Done{};
  return failure("the family '" + family.name() + "' has no variant '" + variant_ + "'" +
                 did_you_mean(variant_, names));
}

// The values as the axes of a sweep, "+n=1000".
Result<std::vector<std::string>> TryCommand::axes() const {
  std::vector<std::string> axes, names;
  for (const std::string& value : values_) {
    const auto equals = value.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
      return failure("-a " + value + ": write NAME=VALUE, such as -a n=1000");
    const std::string name = value.substr(0, equals);
    if (name == "variant") return failure("-a " + value + ": write --variant instead");
    if (std::ranges::find(names, name) != names.end())
      return failure("-a " + value + ": '" + name + "' is given twice");
    names.push_back(name);
    axes.push_back("+" + value);
  }
  return axes;
}

// The jobs of the sweep are those of `variants_`.
Result<Expansion> TryCommand::expand(const wire::Family& family) const {
  Replacements replacements;
  replacements.quick = quick_;
  KS_ASSIGN_OR_RETURN(replacements.axes, axes());
  auto expansion = Expansion::parse(sweep_over(family.name(), variants_), "", replacements);
  if (!expansion) return tl::unexpected(Error{as_typed(expansion.error().message)});
  if (expansion->raw_points() != variants_.size())
    return failure(
        "one point is tried: give each parameter one value, and sweep over several by "
        "`kernsweep run`");
  wire::Catalogue only;
  *only.add_families() = family;
  Catalogue known = catalogue_of(only);
  std::vector<CatalogueParameter> required;
  const auto take_required = [&](std::vector<CatalogueParameter>& params) {
    for (CatalogueParameter& param : params)
      if (std::exchange(param.required, false)) required.push_back(param);
  };
  take_required(known.families.front().parameters);
  for (auto& variant : known.families.front().variants) {
    variant.device = "";  // each job gets the device of its variant
    if (std::ranges::find(variants_, variant.name) != variants_.end()) take_required(variant.parameters);
  }
  if (const Status good = check_against(expansion->sweep(), *expansion, known); !good)
    return tl::unexpected(Error{as_typed(good.error().message)});
  for (const CatalogueParameter& param : required) {
    const bool is_set = std::ranges::any_of(
        expansion->sweep().columns, [&](const Column& column) { return column.name == param.name; });
    if (!is_set)
      return failure("the family '" + family.name() + "' needs the parameter '" + param.name + "' (" +
                     param.kind + "); give -a " + param.name + "=VALUE");
  }
  return expansion;
}

int TryCommand::run(const Invocation&) {
  const auto family = tried_family(pack_, family_);
  if (!family) return report_error(family.error().message);
  if (const Status chosen = choose(*family); !chosen) return report_error(chosen.error().message);
  const auto expansion = expand(*family);
  if (!expansion) return report_error(expansion.error().message);

  const auto topology = read_topology();
  if (!topology) return report_error(topology.error().message);
  std::size_t width = 0;
  for (const std::string& variant : variants_) width = std::max(width, variant.size());
  JsonTree answer = JsonTree::object();
  answer.add("pack", Value(std::filesystem::absolute(pack_).string()));
  answer.add("family", Value(family->name()));
  if (!family->reference().empty()) answer.add("reference", Value(family->reference()));
  JsonTree& tries = answer.add("variants", JsonTree::list());
  std::size_t good = 0, wrong = 0;
  for (std::uint64_t number = 0; number < variants_.size(); ++number) {
    SingleJob job = job_by_hand(*expansion, SweepId{1}, number);
    job.pack = std::filesystem::absolute(pack_).string();
    for (const auto& variant : family->variants())
      if (variant.name() == variant_of(job) && variant.device() == "gpu")
        job.values.emplace_back("device", Value("gpu"));
    const auto cores = first_cores(*topology, job);
    if (!cores) return report_error(cores.error().message);
    const auto tried =
        try_job(job, *cores, {std::chrono::seconds(limit_s_), topology->memory_bytes / 5 * 4});
    if (!tried) return report_error(tried.error().message);
    if (tried->bad_parameter) return report_error(text_in(tried->answer, "reason"));
    if (tried->outcome == "ok") ++good;
    if (tried->outcome != "ok" && tried->outcome != "unsupported") ++wrong;
    if (!json_) print_answer(line_of(variant_of(job), width, *tried));
    tries.add(tried->answer);
  }
  const int status = wrong > 0 || good == 0 ? kExitSomeWithout : kExitAllAccepted;
  if (json_) return print_as_it_is(text_of(answer, 2) + "\n", status);
  if (family->reference().empty())
    return print_answer("The family has no reference, so the outputs are not verified.\n", status);
  return flushed(status);
}

}  // namespace

CommandEntry try_command() {
  return {"try", "Verify and measure the kernels of one pack, once each, without a database",
          "docs/guides/own-pack.md shows it.\n"
          "Exit status: 0 all are right, 1 a variant is wrong or failed, or none could be measured, 2 bad "
          "input or usage.",
          std::make_unique<TryCommand>()};
}

}  // namespace kernsweep
