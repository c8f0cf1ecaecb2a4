#include "results/answer/claims/claim_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "results/answer/outputs/bit_units.hpp"

namespace kernsweep {

namespace {

// Of two values of an axis: "f32/s8"; of paths "/opt/a or /opt/b".
std::string either(const std::string& one, const std::string& other) {
  const bool is_path = one.find('/') != std::string::npos || other.find('/') != std::string::npos;
  return one + (is_path ? " or " : "/") + other;
}

bool is_place(std::string_view name) {
  return std::ranges::find(BitUnits::kPlaceNames, name) != std::end(BitUnits::kPlaceNames);
}

}  // namespace

ClaimView::ClaimView(const SweepRows& rows, const DisturbedResults& disturbed, const ClaimTask& task,
                     char worst_grade)
    : rows_(rows),
      disturbed_(disturbed),
      task_(task),
      worst_grade_(worst_grade),
      points_(rows.positions.size(), 0),
      places_(rows.places.size(), 0),
      named_(rows.columns.size(), 0),
      tells_(rows.columns.size() + 2, 0),
      by_label_(rows.columns.size()),
      follows_(rows.columns.size(), 1) {
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
  const std::size_t column = rows_.column_named(name);
  return column < rows_.columns.size() ? std::optional(column) : std::nullopt;
}

std::vector<char> ClaimView::fitting() const {
  std::vector<char> fits(rows_.positions.size(), 1);
  if (!task_.where) return fits;
  std::vector<std::size_t> columns;
  for (const std::string& name : task_.names) columns.push_back(*column_named(name));
  std::vector<Value> values(columns.size());
  for (std::uint32_t p = 0; p < fits.size(); ++p) {
    for (std::size_t i = 0; i < columns.size(); ++i) values[i] = rows_.value(p, columns[i]);
    fits[p] = task_.where(values) ? 1 : 0;
  }
  return fits;
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

// A choice of a column is about points, one of `cache` about places; others are decided job by job.
void ClaimView::stand(const std::vector<ClaimChoice>& choices, char bit, const std::vector<char>& fits) {
  for (std::uint32_t p = 0; p < points_.size(); ++p) {
    const bool stands = fits[p] != 0 && std::ranges::all_of(choices, [&](const ClaimChoice& choice) {
                          const auto column = column_named(choice.axis);
                          return !column || includes(choice.values, rows_.value(p, *column));
                        });
    if (stands) points_[p] = static_cast<char>(points_[p] | bit);
  }
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const bool stands = std::ranges::all_of(choices, [&](const ClaimChoice& choice) {
      return choice.axis != "cache" || column_named("cache") ||
             includes(choice.values, rows_.places[p].cache);
    });
    if (stands) places_[p] = static_cast<char>(places_[p] | bit);
  }
}

bool ClaimView::is_graded_well(const SweepRows::Job& job) const {
  if (task_.claim.kind == ClaimKind::faster) return counts_by_grade(job, worst_grade_, disturbed_);
  return job.grade <= worst_grade_;
}

bool ClaimView::all_have_numbers() const {
  bool any = false;
  for (const SweepRows::Job& job : rows_.jobs) {
    if (job.outcome != Outcome::ok || !is_meant(placed(job))) continue;
    if (!(job.extra > 0)) return false;
    any = true;
  }
  return any;
}

bool ClaimView::counts(const SweepRows::Job& job, JudgedClaim& out) const {
  if (!is_meant(placed(job))) return false;
  ++out.jobs;
  if (out.claim.kind == ClaimKind::ends_as) {
    const bool said = name_of(job.outcome) == out.claim.word;
    const bool tried = said || !(gives_way(job.outcome) || job.outcome == Outcome::unsupported);
    out.failed += tried ? 0 : 1;
    return tried;
  }
  const bool of_error = out.claim.kind == ClaimKind::error_below;
  if (job.outcome == Outcome::wrong_result && of_error) return true;
  if (job.outcome != Outcome::ok) {
    ++out.failed;
    return false;
  }
  // An error is what it is, however disturbed the times were.
  if (!of_error && !is_graded_well(job)) {
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

void ClaimView::meet(PlacedPoint first, PlacedPoint second) {
  if (!met_) met_ = {first, second};
  const std::size_t columns = rows_.columns.size();
  for (const auto& [one, other] : {std::pair(met_->first, first), std::pair(met_->second, second)}) {
    for (std::size_t c = 0; c < columns; ++c)
      if (!rows_.columns[c].derived && rows_.code(one.point, c) != rows_.code(other.point, c))
        tells_[c] = 1;
    for (std::size_t c = 0; label_ && c < columns; ++c) {
      const std::uint32_t code = rows_.code(other.point, c);
      if (by_label_[c].emplace(rows_.code(other.point, *label_), code).first->second != code)
        follows_[c] = 0;
    }
    const SweepRows::Place &a = rows_.places[one.place], &b = rows_.places[other.place];
    if (a.cache_code != b.cache_code) tells_[columns] = 1;
    if (a.host_kind != b.host_kind) tells_[columns + 1] = 1;
  }
}

std::string ClaimView::words(PlacedPoint first, PlacedPoint second) const {
  std::string out;
  const auto add = [&](const std::string& name, const Value& one, const Value& other) {
    if (one.is_null() && other.is_null()) return;
    out += (out.empty() ? "" : " ") + name + "=";
    if (one == other || one.is_null() || other.is_null())
      out += one.is_null() ? other.to_text() : one.to_text();
    else
      out += either(one.to_text(), other.to_text());
  };
  const std::size_t columns = rows_.columns.size();
  for (std::size_t c = 0; c < columns; ++c)
    if (tells_[c] && !(label_ && c != *label_ && !named_[c] && follows_[c]))
      add(rows_.columns[c].name, rows_.value(first.point, c), rows_.value(second.point, c));
  const SweepRows::Place &a = rows_.places[first.place], &b = rows_.places[second.place];
  if (tells_[columns]) add("cache", a.cache, b.cache);
  if (tells_[columns + 1]) add("host", a.host_kind, b.host_kind);
  return out;
}

}  // namespace kernsweep
