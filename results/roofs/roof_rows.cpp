#include "results/roofs/roof_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "results/roofs/implausible.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/gpu_lines.hpp"
#include "shared/lists/input_list.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

// The SQL expression for a value of the sweep: its column of `outcome`, or null if the sweep has none.
std::string value_in(const std::vector<SweepColumn>& columns, std::string_view name) {
  for (const SweepColumn& column : columns)
    if (column.name == name) return "o." + column.stored;
  return "null";
}

HostRoofs& entry_of(std::vector<HostRoofs>& all, HostRoofs key) {
  const auto same = [&](const HostRoofs& other) {
    return other.fingerprint == key.fingerprint && other.gpu == key.gpu && other.threads == key.threads;
  };
  const auto found = std::ranges::find_if(all, same);
  if (found != all.end()) return *found;
  all.push_back(std::move(key));
  return all.back();
}

std::string text_or(const sqlite::Statement& row, int at, const char* fallback) {
  return row.is_null(at) ? fallback : std::string(row.text(at));
}

Status read_sweep(Reader& reader, SweepId sweep, std::vector<HostRoofs>& all) {
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep));
  KS_ASSIGN_OR_RETURN(
      auto row,
      reader.connection().prepare(fmt::format(
          "select h.name, h.cpu, lower(hex(h.fingerprint)), {}, {}, {}, {}, {}, {}, o.variant, o.grade, "
          "a.flops, a.bytes, a.min_s, (select content from text where id = a.gpus) from outcome o join "
          "attempt_row a on a.result = o.result "
          "join host h on h.id = a.host_id where o.sweep_id = {} and o.status = 'ok' and o.cache = 'hot' "
          "and a.min_s > 0",
          value_in(columns, "threads"), value_in(columns, "op"), value_in(columns, "dtype"),
          value_in(columns, "label"), value_in(columns, "bytes"), value_in(columns, "non_temporal"),
          sweep.value)));
  Step step;
  while ((step = row.step()) == Step::row) {
    const std::string op = text_or(row, 4, "fma"), label = text_or(row, 6, "");
    const double seconds = row.real(13), flops = row.real(11), bytes = row.real(12);
    Limit limit{0, text_or(row, 9, ""), text_or(row, 10, " ")[0]};
    const std::string gpu = cards_of_gpus(text_or(row, 14, ""));
    HostRoofs& entry = entry_of(all, {text_or(row, 0, ""),
                                      text_or(row, 1, ""),
                                      gpu,
                                      text_or(row, 2, ""),
                                      row.is_null(3) || !gpu.empty() ? 1 : row.integer(3),
                                      {}});
    if (op == "fma") {
      limit.rate = flops / seconds / 1e9;
      entry.roofs.add_peak(text_or(row, 5, "f64"), limit);
    } else if (!label.empty()) {
      limit.rate = bytes / seconds / 1e9;
      limit.by = op == "read" ? "read, " + limit.by : op + (row.integer(8) != 0 ? ", non-temporal" : "");
      entry.roofs.add_level({label, row.real(7), limit});
    }
  }
  return step == Step::failed ? Status(failure(row.why())) : Status(Done{});
}

std::string_view unit_of(std::string_view dtype) {
  return dtype.starts_with("s8") || dtype.starts_with("u8") ? "GOP/s" : "GFLOP/s";
}

std::string how_to_measure(const std::string& database, std::int64_t threads) {
  return fmt::format("measure them there: kernsweep roofs --db {} --threads {}", database, threads);
}

}  // namespace

Result<std::vector<HostRoofs>> read_roofs(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto sweeps,
                      reader.query("select id from sweep where kernel = 'roof' order by id"));
  std::vector<HostRoofs> all;
  for (const auto& row : sweeps.rows) {
    const SweepId id{static_cast<std::uint32_t>(*row[0].integer())};
    KS_RETURN_IF_ERROR(read_sweep(reader, id, all));
  }
  std::ranges::sort(all, [](const HostRoofs& a, const HostRoofs& b) {
    return std::tie(a.host, a.fingerprint, a.gpu, a.threads) <
           std::tie(b.host, b.fingerprint, b.gpu, b.threads);
  });
  for (HostRoofs& each : all)
    std::ranges::sort(each.roofs.levels, [](const MemoryLevel& a, const MemoryLevel& b) {
      return std::make_tuple(a.name == kMemory, a.bytes) < std::make_tuple(b.name == kMemory, b.bytes);
    });
  return all;
}

Result<std::vector<HostRoofs>> roofs_for(Reader& reader, const std::string& path) {
  if (path.empty()) return read_roofs(reader);
  KS_ASSIGN_OR_RETURN(auto other, Reader::open(path));
  return read_roofs(other);
}

RowSet rows_of(const std::vector<HostRoofs>& all) {
  RowSet out;
  out.columns = {"host", "gpu", "threads", "roof", "rate", "unit", "by", "bytes", "grade"};
  for (const HostRoofs& each : all) {
    const auto add = [&](const std::string& roof, const Limit& limit, std::string_view unit, Value bytes) {
      out.rows.push_back({each.host, each.gpu.empty() ? Value() : Value(each.gpu), each.threads, roof,
                          limit.rate, unit, limit.by, std::move(bytes), std::string(1, limit.grade)});
    };
    for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16", "s8"})
      if (const auto found = each.roofs.peaks.find(dtype); found != each.roofs.peaks.end())
        add(dtype, found->second, unit_of(dtype), Value());
    for (const MemoryLevel& level : each.roofs.levels)
      add(level.name, level.limit, "GB/s", Value(level.bytes));
  }
  return out;
}

namespace {

// Empty if the result has no input, or the type of the input is not known.
std::string dtype_of_first_input(Reader& reader, std::uint64_t result) {
  auto inputs = reader.connection().prepare(
      "select t.content from attempt_row a join text t on t.id = a.inputs where a.result = ?");
  auto dtype = reader.connection().prepare("select dtype from input where hash = ?");
  if (!inputs || !dtype) return "";
  inputs->bind(1, result);
  if (inputs->step() != Step::row) return "";
  std::string first;
  each_input(inputs->text(0), [&](const std::string&, const Digest& content) {
    if (first.empty()) first = content.hex();
  });
  dtype->bind(1, first);
  return dtype->step() == Step::row ? std::string(dtype->text(0)) : "";
}

}  // namespace

Result<CallOfResult> call_of_result(Reader& reader, std::uint64_t result,
                                    const std::vector<HostRoofs>& roofs, const std::string& dtype) {
  KS_ASSIGN_OR_RETURN(
      auto row,
      reader.connection().prepare(
          "select a.sweep_id, a.job, a.job_host, a.flops, a.bytes, a.median_s, lower(hex(h.fingerprint)), "
          "h.name, (select content from text where id = a.gpus) from attempt_row a left join host h on "
          "h.id = "
          "a.host_id where a.result = ?"));
  row.bind(1, result);
  if (row.step() != Step::row) return failure(fmt::format("there is no result {}", result));
  const SweepId sweep{static_cast<std::uint32_t>(row.integer(0))};
  const std::string job = fmt::format("o.sweep_id = {} and o.job = {} and o.job_host = {}", sweep.value,
                                      row.integer(1), row.integer(2));
  Call call{dtype, row.real(3), row.real(4), row.real(5), false, false};
  const std::string fingerprint(row.text(6)), host(row.text(7)), gpu = cards_of_gpus(row.text(8));
  call.on_gpu = !gpu.empty();
  row.reset();
  if (std::isnan(call.seconds)) return failure("it has no time");
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep));
  KS_ASSIGN_OR_RETURN(auto point, reader.connection().prepare(fmt::format(
                                      "select {}, {}, o.cache, {}, o.grade = 'C' from outcome o where {}",
                                      value_in(columns, "dtype"), value_in(columns, "threads"),
                                      value_in(columns, "copies"), job)));
  std::int64_t threads = 1;
  bool disturbed = false;
  if (point.step() == Step::row) {
    disturbed = point.integer(4) != 0;
    if (!point.is_null(0))
      call.dtype = std::string(point.text(0));
    else if (call.dtype.empty())
      call.dtype = dtype_of_first_input(reader, result);
    if (!point.is_null(1)) threads = point.integer(1);
    if (!point.is_null(3)) threads *= std::max<std::int64_t>(point.integer(3), 1);
    call.cold = point.text(2) == "cold";
  }
  const auto fitting = std::ranges::find_if(roofs, [&](const HostRoofs& each) {
    return each.fingerprint == fingerprint && each.gpu == gpu && (!gpu.empty() || each.threads == threads);
  });
  if (fitting != roofs.end()) return CallOfResult{&fitting->roofs, std::move(call), disturbed};
  if (!gpu.empty())
    return failure(
        fmt::format("no roofs of the {} of {}; measure them there: kernsweep roofs --gpu --db {}", gpu,
                    host.empty() ? "its host" : host, reader.connection().path()));
  return failure(fmt::format("no roofs of {} for {}; {}", host.empty() ? "its host" : host,
                             counted(threads, "thread", "threads"),
                             how_to_measure(reader.connection().path(), threads)));
}

Result<RoofShare> share_of_result(Reader& reader, std::uint64_t result, const std::vector<HostRoofs>& roofs,
                                  const std::string& dtype) {
  KS_ASSIGN_OR_RETURN(const auto found, call_of_result(reader, result, roofs, dtype));
  return share_of_roof(*found.roofs, found.call);
}

std::string rate_text(const RoofShare& share, double rate) {
  return fmt::format("{} {}", text_of_number(rate),
                     share.roof.ends_with("peak") ? unit_of(share.roof) : std::string_view("GB/s"));
}

void add_share(Shown& shown, Reader& reader, const std::vector<HostRoofs>& roofs, Detail detail) {
  // A sweep may have columns of these names, too: they are in the section "point".
  const auto value_of = [&](std::string_view title, std::string_view name) {
    for (const Shown::Section& section : shown.sections)
      for (const auto& [entry, value] : section.entries)
        if (section.title == title && entry == name) return value;
    return Value();
  };
  const Value number = value_of("result", "result");
  if (number.integer() == nullptr || value_of("measured", "median_s").is_null()) return;
  const auto result = static_cast<std::uint64_t>(*number.integer());
  const auto share = share_of_result(reader, result, roofs, "");
  const auto above = share ? above_roof(*share) : std::nullopt;
  if (const auto why = why_implausible(reader, result, value_of("distrust", "least").to_text(), roofs))
    lower_grade(shown, 'X', *why);
  else if (above)
    lower_grade(shown, 'B', *above);
  Shown::Section section{"roof", {}};
  if (!share) {
    section.entries = {{"why", Value(share.error().message)}};
  } else if (detail == Detail::line) {
    section.entries = {{"share", Value(sentence(*share))}};
  } else {
    section.entries = {{"share", Value(share->share)},         {"bound", Value(name_of(share->bound))},
                       {"intensity", Value(share->intensity)}, {"roof", Value(share->roof)},
                       {"roof_s", Value(share->roof_seconds)}, {"rate", Value(share->limit.rate)},
                       {"by", Value(share->limit.by)}};
  }
  shown.sections.push_back(std::move(section));
}

std::string sentence(const RoofShare& share) {
  return fmt::format("{:.1f} % of the {}, {} ({}): {}", share.share * 100, share.roof,
                     rate_text(share, share.limit.rate), share.limit.by, name_of(share.bound));
}

std::optional<std::string> above_roof(const RoofShare& share) {
  if (!(share.share > share.doubted_above)) return std::nullopt;
  const bool doubted = share.limit.grade == 'C' || share.limit.grade == 'X';
  return fmt::format(
      "{} are above the measured {}, {} ({}){}", rate_text(share, share.share * share.limit.rate),
      share.roof, rate_text(share, share.limit.rate), share.limit.by,
      doubted ? fmt::format("; that roof is graded {}, kernsweep roofs --again re-measures it",
                            share.limit.grade)
              : "");
}

}  // namespace kernsweep
