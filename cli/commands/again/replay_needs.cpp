#include "cli/commands/again/replay_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/run/local_catalogue.hpp"
#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/slot_question.hpp"
#include "language/file/yaml_tree.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/gpu_lines.hpp"
#include "shared/text/home_path.hpp"
#include "tensors/spec.hpp"
#include "worker/host/fingerprint.hpp"

namespace kernsweep {
namespace {

// Runs kernsweep-slot with these words and the job's environment. Returns the reason if it fails, else "".
std::string why_not(std::vector<std::string> words, const StoredJob& job) {
  auto asked = ask_slot(std::move(words), environment_of_point(job.values, visible_of_gpus(job.gpus)));
  const SlotAnswer answer = answer_of(asked);
  return answer.good ? "" : answer.reason;
}

std::string why_no_kernel(const StoredPoint& wanted) {
  const Sweep& sweep = wanted.expansion.sweep();
  const auto catalogue = local_catalogue(true, sweep.kernel);
  if (!catalogue) return catalogue.error().message;
  const auto family = std::ranges::find(catalogue->families, sweep.kernel, &CatalogueFamily::name);
  if (family == catalogue->families.end())
    return "the kernel '" + sweep.kernel + "': no pack here has it; see kernsweep kernels";
  for (const auto& [name, value] : wanted.job.values) {
    if (name != "variant" || value.is_null()) continue;
    const auto variant = std::ranges::find(family->variants, value.to_text(), &CatalogueVariant::name);
    if (variant == family->variants.end())
      return fmt::format("the variant '{}' of {}: the pack here does not have it", value.to_text(),
                         sweep.kernel);
    if (!variant->available)
      return fmt::format("the variant '{}' of {} cannot run here: {}", value.to_text(), sweep.kernel,
                         variant->reason);
  }
  return "";
}

}  // namespace

Result<std::vector<std::string>> missing_here(const StoredPoint& wanted, bool any_host) {
  KS_ASSIGN_OR_RETURN(const auto topology, read_topology());
  const auto cores = static_cast<std::uint32_t>(topology.cores.size());
  const HostIdentity here = identify_host(topology, cores);
  std::vector<std::string> missing;
  const StoredJob& job = wanted.job;
  const bool same_host = here.name == job.host || here.fingerprint.hex() == job.fingerprint;
  if (!any_host && !job.host.empty() && !same_host)
    missing.push_back(fmt::format(
        "the host: it was measured on {} ({}), and this is {} ({}); --any-host measures it here anyway",
        job.host, job.cpu, here.name, topology.cpu_model));
  if (const std::string why = why_no_kernel(wanted); !why.empty()) missing.push_back(why);
  const std::string why_not_found =
      is_distrusted(wanted.expansion, wanted.point)
          ? ""
          : why_no_program(wanted.expansion.sweep(), job.values, visible_of_gpus(job.gpus));
  if (!why_not_found.empty()) missing.push_back(why_not_found);
  std::int64_t needed = 1;
  for (const auto& [name, value] : job.values) {
    if ((name == "threads" || name == "copies") && value.integer()) needed *= *value.integer();
    if (name.starts_with("input.") && value.text()) {
      const auto file = tensor_file_of(*value.text());
      if (file && !std::filesystem::exists(file->path))
        missing.push_back(fmt::format("the file {} of {}", file->path, name));
    }
    if (!name.ends_with(".library") || !value.text()) continue;
    if (const std::string why = why_not({"--opens", *value.text()}, job); !why.empty())
      missing.push_back(fmt::format("the library {} of {}: {}", *value.text(), name, why));
  }
  if (needed > std::int64_t{cores})
    missing.push_back(fmt::format("cores: it needs {}, and there are {} here", needed, cores));
  const auto unmet = wanted.expansion.unmet_requirement(wanted.point, [&](std::string_view name) {
    const auto fact = here.facts.find(std::string(name.substr(std::min(name.find('.') + 1, name.size()))));
    return fact == here.facts.end() ? Value() : fact->second;
  });
  if (unmet) missing.push_back("what the sweep requires: " + *unmet);
  return missing;
}

std::vector<std::string> missing_tables(const SweepRecord& record) {
  std::vector<std::string> out;
  if (!record.files.empty()) return out;
  namespace fs = std::filesystem;
  const auto root =
      parse_yaml(record.text, std::make_shared<const TextSource>(TextSource{record.file, true}));
  const Node* const axes = root ? root->find("axes") : nullptr;
  if (!axes) return out;
  const fs::path beside = fs::path(with_home(record.file)).parent_path();
  const fs::path folder = beside.empty() ? fs::current_path() : fs::absolute(beside);
  for (const auto& [name, value] : axes->entries) {
    const Node* const table = value.is_mapping() ? value.find("table") : nullptr;
    if (!table || !table->is_scalar()) continue;
    const fs::path named = table->scalar;
    std::error_code ignored;
    if (fs::exists(folder / named, ignored) || fs::exists(folder / named.filename(), ignored)) continue;
    out.push_back(
        fmt::format("the table {} of {}: it is not in {}, and the version that measured did not "
                    "keep it with the sweep",
                    table->scalar, name.scalar, folder.string()));
  }
  return out;
}

}  // namespace kernsweep
