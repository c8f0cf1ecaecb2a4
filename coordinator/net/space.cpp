#include "coordinator/net/space.hpp"

#include <algorithm>
#include <utility>

#include "language/check/devices.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/rules.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep::coordinator {

namespace {

// The kind of kernel, as in `--allow` of a worker.
std::string kind_of(const Sweep& sweep) {
  if (sweep.kind == KernelKind::source) return "command";
  return sweep.kind == KernelKind::family ? "packs" : sweep.kernel;
}

}  // namespace

ExpansionSpace::ExpansionSpace(const Expansion& expansion, const std::vector<KnownHost>& hosts)
    : expansion_(expansion),
      hosts_(hosts),
      blocks_(expansion.sweep().processes),
      asked_processes_(expansion.sweep().processes_least) {
  const auto& columns = expansion.sweep().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == "threads") threads_column_ = i;
    if (columns[i].name == "copies") copies_column_ = i;
    if (columns[i].name == "device") device_column_ = i;
    if (columns[i].name == "gpus") gpus_column_ = i;
    if (columns[i].name == "variant") variant_column_ = i;
    if (columns[i].name == kBuildColumn) has_builds_ = true;
    if (columns[i].origin == Column::Origin::program && columns[i].name.starts_with("command.") &&
        expansion.sweep().kind == KernelKind::command)
      of_newer_packs_.push_back(columns[i].name);
  }
}

void ExpansionSpace::look_at(std::uint64_t index) const {
  if (at_ == index) return;
  job_ = expansion_.job_at(index);
  expansion_.point_at(job_.position, point_);
  rules_number_.reset();
  at_ = index;
}

const Expansion::Job& ExpansionSpace::job(std::uint64_t index) const {
  look_at(index);
  return job_;
}

const Point& ExpansionSpace::point(std::uint64_t index) const {
  look_at(index);
  return point_;
}

std::uint32_t ExpansionSpace::rules_number(std::uint64_t index) const {
  look_at(index);
  if (!rules_number_) rules_number_ = expansion_.rules_of(point_);
  return *rules_number_;
}

const Rules& ExpansionSpace::rules(std::uint32_t number) const {
  const auto known = rules_.find(number);
  return known != rules_.end() ? known->second
                               : rules_.emplace(number, expansion_.rules(number)).first->second;
}

// A job that is left out, or not requested, has the number after those of all filters.
std::optional<std::uint32_t> ExpansionSpace::rejected_by(std::uint64_t index) const {
  if (expansion_.unfiltered() && blocks() == 0 && rounds_.empty()) return std::nullopt;
  look_at(index);
  const auto rejection = expansion_.rejection(job_.position, point_);
  if (rejection) return static_cast<std::uint32_t>(rejection->rule);
  if (job_.process < blocks_ && is_asked(job_)) return std::nullopt;
  return static_cast<std::uint32_t>(expansion_.filters().size());
}

bool ExpansionSpace::is_asked(const Expansion::Job& job) const {
  if (job.process < expansion_.sweep().processes_least) return true;
  const auto round = std::ranges::find_if(rounds_, [&](const AskedRound& each) {
    return each.from <= job.process && job.process < each.until;
  });
  return round != rounds_.end() && std::ranges::binary_search(round->points, job.position);
}

void ExpansionSpace::ask(const AskedRound& round) {
  asked_processes_ = std::max(asked_processes_, std::min(round.until, expansion_.sweep().processes));
  rounds_.push_back(round);
}

void ExpansionSpace::know_problem(const std::vector<std::optional<bool>>& columns) {
  std::vector<std::size_t> problem;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (!columns[column]) return;
    if (*columns[column]) problem.push_back(column);
  }
  problem_columns_ = std::move(problem);
  problems_.reset();
}

ExpansionSpace::Problems ExpansionSpace::grouped() const {
  Problems problems;
  std::map<std::string, std::uint32_t> numbers;
  Point point;
  for (std::uint64_t position = 0; position < expansion_.raw_points(); ++position) {
    expansion_.point_at(position, point);
    std::string values;
    for (const std::size_t column : *problem_columns_) point.values[column].append_canonical(values);
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t number = numbers.try_emplace(std::move(values), next).first->second;
    problems.of.push_back(number);
    if (number == problems.points.size()) problems.points.emplace_back();
    if (!expansion_.rejection(position, point)) problems.points[number].push_back(position);
  }
  return problems;
}

std::span<const std::uint64_t> ExpansionSpace::rivals_of(std::uint64_t point) const {
  if (!problem_columns_ || expansion_.raw_points() > kGroupedPointsMax) return {};
  if (!problems_) problems_ = grouped();
  return problems_->points[problems_->of[point]];
}

std::uint64_t ExpansionSpace::further_jobs() const {
  std::uint64_t jobs = 0;
  for (const AskedRound& round : rounds_) jobs += round.points.size() * (round.until - round.from);
  return jobs * expansion_.sweep().caches.size();
}

// A sweep that decides is measured in blocks of all points, one for each process and cache state.
std::uint64_t ExpansionSpace::asked() const {
  if (!decides(expansion_.sweep())) return size();
  return std::uint64_t{asked_processes_} * expansion_.sweep().caches.size() * expansion_.raw_points();
}

// With builds: all jobs that one phase can build for, those of a block.
std::uint32_t ExpansionSpace::held_max() const {
  constexpr std::uint64_t kWithoutBuilds = 3, kBlockMax = 256;
  const Sweep& sweep = expansion_.sweep();
  if (!sweep.ends_by_point_time) return 0;
  const std::uint64_t block = expansion_.raw_jobs() / std::max(sweep.processes, 1U);
  return static_cast<std::uint32_t>(has_builds_ ? std::clamp(block, kWithoutBuilds, kBlockMax)
                                                : kWithoutBuilds);
}

void ExpansionSpace::begun(std::uint64_t index) {
  if (expansion_.sweep().ends_by_point_time)
    begun_blocks_ = std::max(begun_blocks_, job(index).process + 1);
}

void ExpansionSpace::took(std::uint64_t index, Duration busy) {
  if (!expansion_.sweep().ends_by_point_time) return;
  Duration& took = took_[job(index).position];
  took += busy;
  if (took >= kPointTime) blocks_ = std::min(blocks_, std::max(begun_blocks_, kBlocksLeast));
}

std::uint32_t ExpansionSpace::count_in(std::uint64_t index, std::optional<std::size_t> column,
                                       std::uint32_t otherwise) const {
  if (!column) return otherwise;
  const auto* count = point(index).values[*column].integer();
  return count && *count > 0 && *count <= kThreadsOfJobMax ? static_cast<std::uint32_t>(*count) : otherwise;
}

std::uint32_t ExpansionSpace::threads(std::uint64_t index) const {
  return count_in(index, threads_column_, 1);
}

std::uint32_t ExpansionSpace::copies(std::uint64_t index) const {
  return count_in(index, copies_column_, 0);
}

std::uint32_t ExpansionSpace::cores(std::uint64_t index) const {
  const std::uint64_t all = std::uint64_t{threads(index)} * std::max(copies(index), 1U);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, UINT32_MAX));
}

std::uint32_t ExpansionSpace::gpus(std::uint64_t index) const {
  if (!device_column_ && !gpus_column_) return 0;
  const std::vector<Value>& values = point(index).values;
  return gpus_of(device_column_ ? &values[*device_column_] : nullptr,
                 gpus_column_ ? &values[*gpus_column_] : nullptr);
}

std::optional<EarlierResult> ExpansionSpace::earlier_result(std::uint64_t index, std::uint32_t host,
                                                            std::optional<std::uint32_t> hardware) const {
  if (!earlier_) return std::nullopt;
  const bool of_any_host = host == 0 || times_restarted(host) > 0;
  const auto fits = [&](std::size_t origin) {
    return (of_any_host || earlier_->origins()[origin].host == HostId{host}) &&
           (!hardware || hardware_of_origins_[origin] == *hardware);
  };
  const auto found = earlier_->find(expansion_.key_of(point(index), job(index)), fits);
  if (!found) return std::nullopt;
  return EarlierResult{found->result.value, hardware_of_origins_[found->origin]};
}

bool ExpansionSpace::has_points(const Expansion& expansion) {
  return expansion.sweep().hosts == Hosts::any && expansion.raw_jobs() > expansion.raw_points();
}

std::vector<std::uint64_t> ExpansionSpace::jobs_of_point(std::uint64_t point) const {
  return expansion_.jobs_of(point);
}

std::optional<std::string> ExpansionSpace::lacks_kernel(std::uint64_t index, const KnownHost& host) const {
  const std::string& kernel = expansion_.sweep().kernel;
  const auto family = host.families.find(kernel);
  if (family == host.families.end()) return "no pack on " + host.name + " has the family '" + kernel + "'";
  for (const std::string& parameter : of_newer_packs_) {
    if (host.command_parameters.contains(parameter)) continue;
    return "the pack 'command' on " + host.name + " does not know " + parameter +
           "; install this version of Kernsweep there";
  }
  if (!variant_column_ || family->second.empty()) return std::nullopt;
  const std::string* const variant = point(index).values[*variant_column_].text();
  if (!variant || family->second.contains(*variant)) return std::nullopt;
  return "no pack on " + host.name + " has the variant '" + *variant + "' of " + kernel;
}

std::optional<std::string> ExpansionSpace::lacks_reference(std::uint64_t index,
                                                           const KnownHost& host) const {
  if (host.allow.empty() || expansion_.references().empty()) return std::nullopt;
  const VerifyRules& verify = rules(rules_number(index)).measure.verify;
  const ReferenceKind kind = verify.reference.kind;
  const bool is_program = kind == ReferenceKind::command || kind == ReferenceKind::python;
  const std::string what(name_of(kind));
  if (!verify.enabled || !is_program || host.allow.contains(what)) return std::nullopt;
  return "the worker on " + host.name + " does not run " + what + " (its option --allow), which " +
         "verify.reference asks for";
}

std::optional<std::string> ExpansionSpace::unfit(std::uint64_t index, const HostFacts& host) const {
  const KnownHost& known = hosts_.at(host.facts);
  const Sweep& sweep = expansion_.sweep();
  if (auto lack = lacks_kernel(index, known)) return lack;
  const std::string kind = kind_of(sweep);
  if (!known.allow.empty() && !known.allow.contains(kind))
    return "the worker on " + known.name + " does not run " + kind + " (its option --allow)";
  if (has_builds_ && !known.allow.empty() && !known.allow.contains("build"))
    return "the worker on " + known.name + " builds nothing (its option --allow, which lacks build)";
  if (auto lack = lacks_reference(index, known)) return lack;
  if (const std::uint32_t wanted_cores = cores(index); wanted_cores > host.cores) {
    return (copies(index) > 1 ? counted(copies(index), "copy", "copies") + " of " +
                                    counted(threads(index), "thread", "threads") + " each"
                              : "threads is " + std::to_string(wanted_cores)) +
           ", but " + known.name + " offers " + counted(host.cores, "core", "cores") +
           (known.lost_cores.empty() ? "" : "; it has given up " + known.lost_cores);
  }
  if (const std::uint32_t wanted_gpus = gpus(index); wanted_gpus > host.gpus) {
    return "it asks for " + counted(wanted_gpus, "GPU", "GPUs") + ", but " + known.name + " offers " +
           (host.gpus == 0 ? "none" : std::to_string(host.gpus)) +
           (known.lost_gpus.empty() ? "" : "; it has lost " + known.lost_gpus) +
           (known.why_no_gpus.empty()
                ? ""
                : " (" + known.why_no_gpus + "); `kernsweep doctor` there shows more");
  }
  if (sweep.requirements.empty()) return std::nullopt;
  return expansion_.unmet_requirement(point(index),
                                      [&](std::string_view name) -> Value { return fact_of(known, name); });
}

Value ExpansionSpace::fact_of(const KnownHost& host, std::string_view name) const {
  const bool of_gpu = name.starts_with("gpu.");
  const auto& facts = of_gpu ? host.gpu_facts : host.facts;
  const auto fact = facts.find(name.substr(of_gpu ? 4 : 5));  // otherwise it begins with "host."
  return fact == facts.end() ? Value() : fact->second;
}

ExpansionSpace::Traits ExpansionSpace::traits_of(const KnownHost& host) const {
  const Sweep& sweep = expansion_.sweep();
  Traits traits;
  for (const Expression& requirement : sweep.requirements) {
    for (const std::string& name : requirement.names()) {
      const bool column = !name.starts_with("host.") && !name.starts_with("gpu.");
      if (!column) fact_of(host, name).append_canonical(traits.emplace_back());
    }
  }
  traits.push_back(host.allow.empty() || host.allow.contains(kind_of(sweep)) ? "runs it"
                                                                             : "does not run it");
  if (has_builds_ && (host.allow.empty() || host.allow.contains("build"))) traits.emplace_back("builds");
  for (const SweepReference& reference : expansion_.references()) {
    const std::string kind(name_of(reference.rule.kind));
    traits.push_back(host.allow.empty() || host.allow.contains(kind) ? "verifies by " + kind
                                                                     : "verifies by no " + kind);
  }
  const auto family = host.families.find(sweep.kernel);
  if (family == host.families.end()) {
    traits.push_back("without the family");
  } else {
    traits.push_back("with the family");
    traits.insert(traits.end(), family->second.begin(), family->second.end());
    for (const std::string& parameter : of_newer_packs_)
      if (host.command_parameters.contains(parameter)) traits.push_back(parameter);
  }
  return traits;
}

std::uint32_t ExpansionSpace::traits(const HostFacts& host) const {
  const auto known = traits_by_facts_.find(host.facts);
  if (known != traits_by_facts_.end()) return known->second;
  const auto next = static_cast<std::uint32_t>(traits_.size());
  const std::uint32_t number = traits_.try_emplace(traits_of(hosts_.at(host.facts)), next).first->second;
  traits_by_facts_[host.facts] = number;
  return number;
}

RetryRules ExpansionSpace::retry(std::uint64_t index) const {
  return rules(rules_number(index)).retry;
}

std::string ExpansionSpace::label(std::uint64_t index) const {
  return expansion_.label_of(point(index));
}

}  // namespace kernsweep::coordinator
