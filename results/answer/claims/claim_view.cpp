#include "results/answer/claims/claim_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernsweep {

namespace {

// Of two values of an axis: "f32/s8"; of paths "/opt/a or /opt/b".
std::string either(const std::string& one, const std::string& other) {
  const bool is_path = one.find('/') != std::string::npos || other.find('/') != std::string::npos;
  return one + (is_path ? " or " : "/") + other;
}

constexpr std::string_view kPlaces[] = {"cache", "process", "host", "software"};

bool is_place(std::string_view name) {
  return std::ranges::find(kPlaces, name) != std::end(kPlaces);
}

}  // namespace

ClaimView::ClaimView(const ClaimRows& rows, const ClaimTask& task, char worst_grade)
    : rows_(rows),
      task_(task),
      worst_grade_(worst_grade),
      side_(rows.points.size(), 0),
      named_(rows.names.size(), 0),
      tells_(rows.names.size() + 2, 0),
      by_label_(rows.names.size()),
      follows_(rows.names.size(), 1) {
  label_ = column_named("label");
  const bool bits = task.claim.kind == ClaimKind::equal_bits;  // what changes is the point there
  for (const auto* side : {&task.claim.side, &task.claim.than}) {
    for (const ClaimChoice& choice : *side) {
      const auto column = column_named(choice.axis);
      if (column) {
        named_[*column] = 1;
        tells_[*column] = bits ? 1 : 0;
      } else if (!is_place(choice.axis))
        trouble_ = fmt::format("the results have no column '{}'", choice.axis);
    }
  }
  for (const std::string& name : task.names)
    if (!column_named(name)) trouble_ = fmt::format("the results have no column '{}'", name);
  if (!trouble_.empty()) return;
  const auto fits = fitting();
  stand(as_stored(task.claim.side), 1, fits);
  if (!task.claim.than.empty()) stand(as_stored(task.claim.than), 2, fits);
}

std::optional<std::size_t> ClaimView::column_named(const std::string& name) const {
  const auto found = std::ranges::find(rows_.names, name);
  if (found == rows_.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.names.begin());
}

std::vector<char> ClaimView::fitting() const {
  std::vector<char> fits(rows_.points.size(), 1);
  if (!task_.where) return fits;
  std::vector<std::size_t> columns;
  for (const std::string& name : task_.names) columns.push_back(*column_named(name));
  std::vector<Value> values(columns.size());
  for (std::size_t p = 0; p < fits.size(); ++p) {
    for (std::size_t i = 0; i < columns.size(); ++i) values[i] = rows_.value(p, columns[i]);
    fits[p] = task_.where(values) ? 1 : 0;
  }
  return fits;
}

bool ClaimView::is_of(const ClaimChoice& choice, std::size_t point) const {
  if (choice.values.empty()) return true;
  const auto column = column_named(choice.axis);
  const bool cache = !column && choice.axis == "cache";
  if (!column && !cache) return true;  // decided job by job, or not a choice at all
  const Value& value =
      cache ? rows_.caches.values()[rows_.points[point].cache] : rows_.value(point, *column);
  return std::ranges::any_of(choice.values,
                             [&](const WrittenValue& written) { return means(written, value); });
}

std::vector<ClaimChoice> ClaimView::as_stored(std::vector<ClaimChoice> choices) {
  for (ClaimChoice& choice : choices)
    if (const auto column = column_named(choice.axis))
      for (WrittenValue& written : choice.values) {
        const std::vector<Value>& known = rows_.values[*column].values();
        const auto which = meant(written, known);
        if (!which)
          trouble_ = choice.axis + ": " + which.error().message;
        else if (!which->empty() && !means(written, known[which->front()]))
          written.text = known[which->front()].to_text();
      }
  return choices;
}

void ClaimView::stand(const std::vector<ClaimChoice>& choices, char bit, const std::vector<char>& fits) {
  for (std::size_t p = 0; p < side_.size(); ++p) {
    const bool stands = fits[p] != 0 && std::ranges::all_of(choices, [&](const ClaimChoice& choice) {
                          return is_of(choice, p);
                        });
    if (stands) side_[p] = static_cast<char>(side_[p] | bit);
  }
}

bool ClaimView::all_counted() const {
  bool any = false;
  for (const ClaimJob& job : rows_.jobs) {
    if (!job.ok || side_[job.point] == 0) continue;
    if (!(job.metric(ClaimMetric::counted) > 0)) return false;
    any = true;
  }
  return any;
}

bool ClaimView::counts(const ClaimJob& job, JudgedClaim& out) const {
  if (side_[job.point] == 0) return false;
  ++out.jobs;
  if (job.wrong && out.claim.kind == ClaimKind::error_below) return true;
  if (out.claim.kind == ClaimKind::ends_as) {
    const bool said = name_of(job.outcome) == out.claim.word;
    const bool tried = said || !(gives_way(job.outcome) || job.outcome == Outcome::unsupported);
    out.failed += tried ? 0 : 1;
    return tried;
  }
  if (!job.ok) {
    ++out.failed;
    return false;
  }
  // An error is what it is, however disturbed the times were.
  if (out.claim.kind != ClaimKind::error_below && !is_graded_well(job)) {
    ++out.graded_below;
    return false;
  }
  return true;
}

bool ClaimView::names_place(std::string_view place) const {
  for (const auto* side : {&task_.claim.side, &task_.claim.than})
    for (const ClaimChoice& choice : *side)
      if (choice.axis == place && !column_named(choice.axis)) return true;
  return false;
}

void ClaimView::meet(std::uint32_t first, std::uint32_t second) {
  if (!met_) met_ = {first, second};
  const auto see = [&](std::uint32_t one, std::uint32_t other) {
    for (std::size_t c = 0; c < rows_.names.size(); ++c)
      if (!rows_.derived[c] && rows_.code(one, c) != rows_.code(other, c)) tells_[c] = 1;
    for (std::size_t c = 0; label_ && c < rows_.names.size(); ++c) {
      const auto& [known, fresh] = by_label_[c].emplace(rows_.code(other, *label_), rows_.code(other, c));
      if (!fresh && known->second != rows_.code(other, c)) follows_[c] = 0;
    }
    const ClaimPoint &a = rows_.points[one], &b = rows_.points[other];
    if (a.cache != b.cache) tells_[rows_.names.size()] = 1;
    if (a.host != b.host) tells_[rows_.names.size() + 1] = 1;
  };
  see(met_->first, first);
  see(met_->second, second);
}

std::string ClaimView::words(std::uint32_t first, std::uint32_t second) const {
  std::string out;
  const auto add = [&](const std::string& name, const Value& one, const Value& other) {
    if (one.is_null() && other.is_null()) return;
    out += (out.empty() ? "" : " ") + name + "=";
    if (one == other || one.is_null() || other.is_null())
      out += one.is_null() ? other.to_text() : one.to_text();
    else
      out += either(one.to_text(), other.to_text());
  };
  for (std::size_t c = 0; c < rows_.names.size(); ++c)
    if (tells_[c] && !(label_ && c != *label_ && !named_[c] && follows_[c]))
      add(rows_.names[c], rows_.value(first, c), rows_.value(second, c));
  const ClaimPoint &a = rows_.points[first], &b = rows_.points[second];
  if (tells_[rows_.names.size()])
    add("cache", rows_.caches.values()[a.cache], rows_.caches.values()[b.cache]);
  if (tells_[rows_.names.size() + 1])
    add("host", rows_.hosts.values()[a.host], rows_.hosts.values()[b.host]);
  return out;
}

}  // namespace kernsweep
