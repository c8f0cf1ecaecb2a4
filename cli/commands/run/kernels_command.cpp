// The command `kernels`: lists the kernels that this machine can run.
#include <algorithm>
#include <cstdio>

#include "cli/commands/run/local_catalogue.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/json.hpp"
#include "cli/show/output.hpp"
#include "coordinator/net/catalogue.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"
#include "worker/catalogue.hpp"

namespace kernsweep {
namespace {

// `are_problem`: the default of the parameters; a parameter that differs from it is marked.
void print_params(const google::protobuf::RepeatedPtrField<wire::Param>& params, int indent,
                  bool are_problem) {
  for (const auto& param : params) {
    std::string kind = param.choices().empty() ? param.kind() : param.choices();
    if (param.required()) {
      kind += ", required";
    } else if (!param.fallback().empty()) {
      kind += ", default " + param.fallback();
    }
    if (param.has_problem() && param.problem() != are_problem)
      kind += param.problem() ? ", part of the problem" : ", a setting";
    std::printf("%*s%-12s %s (%s)\n", indent, "", param.name().c_str(), param.summary().c_str(),
                kind.c_str());
  }
}

void print_family(const wire::Family& family) {
  std::printf("%s: %s\n", family.name().c_str(), family.summary().c_str());
  print_params(family.params(), 4, true);
  if (family.any_params()) std::printf("    any other axis is accepted\n");
  for (const auto& variant : family.variants()) {
    const char* note = variant.name() == family.reference() ? " (reference)"
                       : variant.device() == "gpu"          ? " (on a GPU)"
                                                            : "";
    std::printf("  %s%s: %s\n", variant.name().c_str(), note, variant.summary().c_str());
    print_params(variant.params(), 6, false);
    if (!variant.unavailable().empty())
      std::printf("      cannot run here: %s\n", variant.unavailable().c_str());
  }
  std::printf("\n");
}

// A line for each family, in the order of their names.
void print_overview(const wire::Catalogue& catalogue) {
  std::vector<const wire::Family*> families;
  std::size_t width = 0;
  for (const auto& family : catalogue.families()) {
    families.push_back(&family);
    width = std::max(width, family.name().size());
  }
  std::ranges::sort(families, {}, [](const wire::Family* family) { return family->name(); });
  std::printf("%-*s  %-8s  %s\n", static_cast<int>(width), "family", "variants", "what it computes");
  for (const wire::Family* const family : families) {
    const auto runs_here = [](const auto& variant) { return variant.unavailable().empty(); };
    std::string variants = std::to_string(std::ranges::count_if(family->variants(), runs_here));
    if (variants != std::to_string(family->variants_size()))
      variants += " of " + std::to_string(family->variants_size());
    std::printf("%-*s  %-8s  %s\n", static_cast<int>(width), family->name().c_str(), variants.c_str(),
                family->summary().c_str());
  }
  std::printf(
      "\nvariants: how many can run here, of all. `kernsweep kernels FAMILY` lists them with their "
      "parameters, and why the others cannot run\n");
}

class KernelsCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("family", family_, "This family's variants and parameters");
    add_json(to, json_);
  }
  int run(const Invocation& given) override;

 private:
  std::string family_;
  bool json_ = false;
};

int KernelsCommand::run(const Invocation&) {
  const auto catalogue = read_catalogue(pack_folders(), true, family_);
  if (!catalogue) return report_error(catalogue.error().message);
  std::vector<std::string> names;
  bool found = family_.empty();
  for (const auto& family : catalogue->families()) {
    names.push_back(family.name());
    found = found || family.name() == family_;
  }
  if (!found) {
    return report_error("no family '" + family_ + "' here" + did_you_mean(family_, names));
  }
  if (json_) {
    std::printf("%s\n", catalogue_json(*catalogue, family_).c_str());
    return 0;
  }
  if (family_.empty()) print_overview(*catalogue);
  for (const auto& family : catalogue->families())
    if (family.name() == family_) print_family(family);
  for (const auto& broken : catalogue->broken()) std::printf("broken pack: %s\n", broken.c_str());
  return 0;
}

}  // namespace

Result<Catalogue> local_catalogue(bool probe, const std::string& family) {
  KS_ASSIGN_OR_RETURN(const auto kernels, read_catalogue(pack_folders(), probe, family));
  return catalogue_of(kernels);
}

CommandEntry kernels_command() {
  return {"kernels", "List kernels, variants and parameters, and what cannot run here", kAnswerFooter,
          std::make_unique<KernelsCommand>()};
}

}  // namespace kernsweep
