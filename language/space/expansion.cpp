#include "language/space/expansion.hpp"

#include <fmt/format.h>

#include <charconv>

#include "language/file/text_file.hpp"
#include "language/plan/plan.hpp"
#include "language/plan/rule_book.hpp"
#include "language/space/permutation.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

struct Expansion::Space {
  explicit Space(std::shared_ptr<Plan> made) : plan(std::move(made)), book(*plan) {}
  std::shared_ptr<const Plan> plan;
  RuleBook book;
};

Expansion::Expansion(std::shared_ptr<const Space> space, std::uint64_t order_seed)
    : space_(std::move(space)), order_seed_(order_seed == 0 ? sweep().seed : order_seed) {}

Expansion Expansion::ordered_by(std::uint64_t order_seed) const {
  return {space_, order_seed};
}

Result<Expansion> Expansion::read(const std::string& path, const Replacements& replacements) {
  auto text = read_text_file(path, kSweepBytesMax);
  if (!text) {
    const std::string near = near_sweep_file(path);
    const std::string give = path.find(' ') == std::string::npos ? "" : ", or a command by -c";
    return failure(fmt::format("{}: {}{}", path, text.error().message,
                               near.empty() ? "; give the path of a sweep file" + give : near));
  }
  return parse(std::move(*text), path, replacements);
}

Result<Expansion> Expansion::parse(std::string text, const std::string& path,
                                   const Replacements& replacements, const std::vector<TextFile>* tables) {
  KS_ASSIGN_OR_RETURN(auto document, read_document(std::move(text), path, replacements, tables));
  return of_document(std::move(document), replacements);
}

Result<Expansion> Expansion::of_tree(Node root, std::string text, const Replacements& replacements) {
  KS_ASSIGN_OR_RETURN(auto document, read_document(std::move(root), std::move(text), replacements));
  return of_document(std::move(document), replacements);
}

Result<Expansion> Expansion::of_document(Document document, const Replacements& replacements) {
  KS_ASSIGN_OR_RETURN(auto plan, make_plan(std::move(document), replacements));
  const std::uint64_t order_seed = plan->sweep.order_seed;
  return Expansion(std::make_shared<const Space>(std::move(plan)), order_seed);
}

const Sweep& Expansion::sweep() const {
  return space_->plan->sweep;
}
const std::vector<Axis>& Expansion::axes() const {
  return space_->plan->axes;
}
const std::vector<std::string>& Expansion::notes() const {
  return space_->plan->notes;
}
std::uint64_t Expansion::raw_points() const {
  return space_->plan->raw_points();
}
std::uint64_t Expansion::included_points() const {
  return space_->plan->one_point ? 0 : space_->plan->includes.size();
}
bool Expansion::unfiltered() const {
  return space_->plan->rules.empty();
}
const std::vector<Filter>& Expansion::filters() const {
  return space_->plan->filters;
}

const std::vector<SweepReference>& Expansion::references() const {
  return space_->plan->references;
}
ReferenceAt Expansion::reference_at(const Point& point, const ReferenceRule& rule) const {
  return space_->plan->reference_at(rule, point.values);
}

std::size_t Expansion::claims() const {
  return space_->plan->claims.size();
}
const Claim& Expansion::claim(std::size_t number) const {
  return space_->plan->claims[number].claim;
}
ClaimSides Expansion::claim_sides(std::size_t number, const Point& point) const {
  return space_->plan->claims[number].sides_of(point.values);
}

std::uint64_t Expansion::raw_jobs() const {
  return raw_points() * sweep().caches.size() * sweep().processes;  // make_plan has checked that this fits
}

void Expansion::point_at(std::uint64_t position, Point& out) const {
  space_->plan->point_at(position, out.values);
}

std::string Expansion::label_of(const Point& point) const {
  const auto& columns = sweep().columns;
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_computed() || point.values[i].is_null()) continue;
    if (!text.empty()) text += ' ';
    text += columns[i].name + "=";
    point.values[i].append_text(text);
  }
  return text;
}

std::optional<Rejection> Expansion::rejection(std::uint64_t position, const Point& point) const {
  const Plan& plan = *space_->plan;
  for (std::size_t i = 0; i < plan.rules.size(); ++i) {
    auto reason = plan.rejected_by(plan.rules[i], position, point.values);
    if (!reason) continue;
    const Filter& filter = plan.filters[i];
    if (reason->empty()) *reason = filter.why.empty() ? filter.text : filter.why;
    return Rejection{i, std::move(*reason)};
  }
  return std::nullopt;
}

std::optional<std::string> Expansion::unmet_requirement(const Point& point, const HostFacts& fact) const {
  std::vector<Value> values;
  for (const auto& requirement : space_->plan->requirements) {
    const auto& names = requirement.expression.names();
    values.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t column = requirement.columns[i];
      values.push_back(column == SIZE_MAX ? fact(names[i]) : point.values[column]);
    }
    const auto holds = requirement.expression.holds(values);
    if (holds && *holds) continue;
    std::string found;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool unknown = values[i].is_null() && requirement.columns[i] == SIZE_MAX;
      found += fmt::format("{}{} is {}", i == 0 ? "" : ", ", names[i],
                           unknown ? "not known" : values[i].to_text());
    }
    const std::string why = holds ? std::string() : " (" + holds.error().message + ")";
    return fmt::format("{}: {}{}", requirement.expression.text(), found, why);
  }
  return std::nullopt;
}

Expansion::Job Expansion::job_at(std::uint64_t index) const {
  const Sweep& about = sweep();
  const std::uint64_t caches = about.caches.size();
  KS_ASSERT(index < raw_jobs());
  Job job;
  std::uint64_t round = 0;
  if (about.order == Order::sequential) {
    job.position = index / (caches * about.processes);
    const std::uint64_t rest = index % (caches * about.processes);
    job.cache = about.caches[rest / about.processes];
    job.process = static_cast<std::uint32_t>(rest % about.processes);
    return job;
  }
  const std::uint64_t points = raw_points();
  round = index / points;
  job.position = index % points;
  job.cache = about.caches[round % caches];
  job.process = static_cast<std::uint32_t>(round / caches);
  if (about.order == Order::shuffle)
    job.position = Permutation(points, mixed(order_seed_, round))(job.position);
  return job;
}

std::vector<std::uint64_t> Expansion::jobs_of(std::uint64_t position) const {
  const Sweep& about = sweep();
  const std::uint64_t points = raw_points(), each = about.caches.size() * about.processes;
  KS_ASSERT(position < points);
  std::vector<std::uint64_t> jobs;
  jobs.reserve(each);
  for (std::uint64_t round = 0; round < each; ++round) {
    if (about.order == Order::sequential) {
      jobs.push_back(position * each + round);
    } else {
      const bool drawn = about.order == Order::shuffle;
      const std::uint64_t place =
          drawn ? Permutation(points, mixed(order_seed_, round)).index_of(position) : position;
      jobs.push_back(round * points + place);
    }
  }
  return jobs;
}

std::uint32_t Expansion::rules_of(const Point& point) const {
  return space_->book.number_of(point.values);
}
bool Expansion::uniform_rules() const {
  return space_->plan->overrides.empty();
}
Rules Expansion::rules(std::uint32_t number) const {
  return space_->book.rules(number);
}

Digest Expansion::key_of(const Point& point, const Job& job) const {
  const Plan& plan = *space_->plan;
  thread_local std::string text;
  text = plan.key_prefix;
  for (std::size_t i = 0; i < plan.key_columns.size(); ++i) {
    const Value& value = point.values[plan.key_columns[i]];
    if (value.is_null()) continue;
    text += plan.key_names[i];
    value.word() == nullptr ? value.append_canonical(text) : value.without_word().append_canonical(text);
    text += '\n';
  }
  // The reference of this point: its placeholders may name columns that are not part of the key.
  if (!plan.reference_texts.empty()) {
    const std::string reference =
        plan.reference_at(rules(rules_of(point)).measure.verify.reference, point.values).text;
    if (!reference.empty()) text += "reference " + reference + '\n';
  }
  char digits[24];
  text += job.cache == Cache::hot ? "hot " : "cold ";
  text.append(digits, std::to_chars(digits, digits + sizeof digits, job.process).ptr);
  text += '\n';
  text += space_->book.measuring(rules_of(point)).view();
  return digest_of(text);
}

}  // namespace kernsweep
