#include "results/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace kernsweep {

using sqlite::Step;

namespace {

// Running geometric mean of ratios.
struct Ratios {
  double sum_of_logs = 0;
  double least = 0, most = 0;
  std::uint64_t count = 0;
  void add(double ratio) {
    least = count == 0 ? ratio : std::min(least, ratio);
    most = count == 0 ? ratio : std::max(most, ratio);
    sum_of_logs += std::log(ratio);
    ++count;
  }
};

// Rows that agree in all columns but `column`, as runs of equal keys.
std::vector<std::pair<std::string, std::size_t>> matched(const Observations& all, std::size_t column) {
  const std::size_t width = all.columns.size();
  std::vector<std::pair<std::string, std::size_t>> keyed;
  keyed.reserve(all.seconds.size());
  for (std::size_t row = 0; row < all.seconds.size(); ++row) {
    std::string key;
    for (std::size_t c = 0; c < width; ++c)
      if (c != column)
        key.append(reinterpret_cast<const char*>(&all.codes[row * width + c]), sizeof(std::uint32_t));
    keyed.emplace_back(std::move(key), row);
  }
  std::ranges::sort(keyed);
  return keyed;
}

void effects_of(const Observations& all, std::size_t column, std::vector<Effect>& out) {
  const auto& values = all.values[column];
  if (values.size() < 2) return;
  const std::size_t width = all.columns.size();
  const auto keyed = matched(all, column);
  const auto unset = std::ranges::find(values, Value());
  // Which value is the baseline: "not set" where it competes with another, otherwise the first that
  // competes.
  const auto code_of = [&](std::size_t row) { return all.codes[row * width + column]; };
  std::vector<char> competes(values.size(), 0);
  const auto each_set = [&](const auto& use) {
    for (std::size_t i = 0; i < keyed.size();) {
      std::size_t end = i + 1;
      while (end < keyed.size() && keyed[end].first == keyed[i].first) ++end;
      if (end - i > 1) use(i, end);
      i = end;
    }
  };
  each_set([&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) competes[code_of(keyed[i].second)] = 1;
  });
  auto baseline = static_cast<std::size_t>(unset - values.begin());
  if (baseline == values.size() || !competes[baseline])
    baseline = static_cast<std::size_t>(std::ranges::find(competes, 1) - competes.begin());
  if (baseline == values.size()) return;
  std::map<std::uint32_t, Ratios> ratios;
  each_set([&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (code_of(keyed[i].second) != baseline) continue;
      for (std::size_t j = from; j < to; ++j)
        if (code_of(keyed[j].second) != baseline)
          ratios[code_of(keyed[j].second)].add(all.seconds[keyed[i].second] / all.seconds[keyed[j].second]);
      break;
    }
  });
  for (const auto& [code, ratio] : ratios)
    out.push_back({all.columns[column], values[baseline], values[code],
                   std::exp(ratio.sum_of_logs / static_cast<double>(ratio.count)), ratio.least, ratio.most,
                   ratio.count});
}

// Sizes are left out: that a larger problem takes longer says nothing about the machine. Types are of
// interest.
bool wanted(const SweepColumn& column, const std::vector<Value>& values) {
  if (!describes_problem(column)) return true;
  return std::ranges::all_of(values, [](const Value& v) { return v.is_null() || v.text(); });
}

// Reads the sweep's points: cache and host are columns like any other, processes become their median.
class Gathering {
 public:
  Gathering(Reader& reader, SweepId sweep) : reader_(reader), sweep_(sweep) {}

  Result<Observations> points(bool& shortened) {
    auto columns = reader_.columns(sweep_);
    if (!columns) return tl::unexpected<Error>(columns.error());
    std::erase_if(*columns, [](const SweepColumn& column) { return column.derived; });
    std::string sql = "select point, median_s, cache, host_id";
    for (const SweepColumn& column : *columns) sql += ", " + column.stored;
    auto rows = reader_.connection().prepare(
        sql + fmt::format(" from outcome where sweep_id = {} and status = 'ok' and median_s > 0 and "
                          "(grade is null or grade < 'X')",
                          sweep_.value));
    if (!rows) return tl::unexpected<Error>(rows.error());
    Observations all;
    all.columns = {"cache", "host"};
    for (const SweepColumn& column : *columns) all.columns.push_back(column.name);
    all.values.resize(all.columns.size());
    numbers_.resize(all.columns.size());
    std::vector<std::vector<double>> times;
    Step step;
    while ((step = rows->step()) == Step::row) {
      key_.clear();
      for (const int at : {0, 2, 3}) rows->append_key(at, key_);
      const auto [found, added] = places_.try_emplace(key_, times.size());
      if (added && times.size() == kFindingsPointsMax) {
        places_.erase(found);
        shortened = true;
        break;
      }
      if (added) {
        times.emplace_back();
        for (std::size_t c = 0; c < all.columns.size(); ++c)
          all.codes.push_back(code(*rows, static_cast<int>(c) + 2, c, all));
      }
      times[found->second].push_back(rows->real(1));
    }
    if (step == Step::failed) return failure(rows->why());
    for (auto& of_point : times) {
      std::ranges::sort(of_point);
      all.seconds.push_back(quantile_of_sorted(of_point, 0.5));
    }
    all.is_setting = {0, 0};
    for (std::size_t c = 0; c < columns->size(); ++c)
      all.is_setting.push_back(wanted((*columns)[c], all.values[c + 2]) ? 1 : 0);
    return all;
  }

 private:
  std::uint32_t code(const sqlite::Statement& row, int at, std::size_t column, Observations& all) {
    key_.clear();
    row.append_key(at, key_);
    auto& numbers = numbers_[column];
    const auto [found, added] = numbers.try_emplace(key_, static_cast<std::uint32_t>(numbers.size()));
    if (added) all.values[column].push_back(row.value(at));
    return found->second;
  }

  Reader& reader_;
  SweepId sweep_;
  std::string key_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> numbers_;
};

}  // namespace

std::vector<Effect> effects(const Observations& observations) {
  std::vector<Effect> all;
  for (std::size_t column = 0; column < observations.columns.size(); ++column)
    if (observations.is_setting[column]) effects_of(observations, column, all);
  std::ranges::stable_sort(all, [](const Effect& a, const Effect& b) {
    return std::abs(std::log(a.speedup)) > std::abs(std::log(b.speedup));
  });
  return all;
}

Result<Findings> findings(Reader& reader, const std::string& sweep) {
  const sqlite::Snapshot snapshot(reader.connection());
  Findings found;
  auto answer = best(reader, {.sweep = sweep});
  if (!answer) return tl::unexpected<Error>(answer.error());
  found.best = std::move(*answer);
  const auto points = Gathering(reader, found.best.id).points(found.shortened);
  if (!points) return tl::unexpected<Error>(points.error());
  found.effects = effects(*points);
  return found;
}

bool is_clear(const Effect& effect) {
  constexpr double kClearly = 1.05;
  if (effect.least >= 1) return effect.speedup >= kClearly;
  return effect.most <= 1 && effect.speedup <= 1 / kClearly;
}

std::string sentence(const Effect& effect) {
  const auto shown = [](const Value& value) {
    return value.is_null() ? std::string("not set") : value.to_text();
  };
  const bool faster = effect.speedup >= 1;
  // Told from the faster side, whichever that is.
  const double ratio = faster ? effect.speedup : 1 / effect.speedup;
  const double least = faster ? effect.least : 1 / effect.most;
  const double most = faster ? effect.most : 1 / effect.least;
  const std::string range = effect.matched == 1 ? "in one pair"
                                                : fmt::format("{:.2f}x to {:.2f}x in {} matched sets",
                                                              least, most, effect.matched);
  return fmt::format("{}: {} is {:.2f}x as fast as {} ({})", effect.column,
                     shown(faster ? effect.value : effect.baseline), ratio,
                     shown(faster ? effect.baseline : effect.value), range);
}

RowSet rows_of(const std::vector<Effect>& effects) {
  RowSet rows;
  rows.columns = {"column", "value", "baseline", "speedup", "least", "most", "matched"};
  for (const Effect& e : effects)
    rows.rows.push_back({e.column, e.value, e.baseline, e.speedup, e.least, e.most,
                         Value(static_cast<std::int64_t>(e.matched))});
  return rows;
}

}  // namespace kernsweep
