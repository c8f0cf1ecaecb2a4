#include "results/answer/compare/operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "results/sqlite/schema.hpp"
#include "shared/base/claim.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {

Result<Side> parse_side(const std::string& text, const std::function<bool(const std::string&)>& is_file) {
  Side side;
  side.text = text;
  if (is_file(text)) {
    side.file = text;
    return side;
  }
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    if (!is_file(text.substr(0, colon))) continue;
    auto rest = parse_side(text.substr(colon + 1), [](const std::string&) { return false; });
    if (!rest) return rest;
    rest->text = text;
    rest->file = text.substr(0, colon);
    return rest;
  }
  const auto after = [&](std::string_view prefix) { return text.substr(prefix.size()); };
  const std::size_t equals = text.find('=');
  if (text.starts_with("tag:")) {
    if (equals == std::string::npos || equals == 4)
      return failure(fmt::format("'{}' names no tag; write tag:KEY=VALUE", text));
    side.kind = Side::Kind::tag;
    side.name = text.substr(4, equals - 4);
    side.value = text.substr(equals + 1);
  } else if (text.starts_with("commit:")) {
    side.kind = Side::Kind::commit;
    side.value = after("commit:");
  } else if (text.starts_with("host:")) {
    side.kind = Side::Kind::host;
    side.name = after("host:");
  } else if (equals != std::string::npos) {
    side.kind = Side::Kind::value;
    side.name = text.substr(0, equals);
    side.value = text.substr(equals + 1);
  } else if (text.ends_with(".db") || text.find(".db:") != std::string::npos) {
    return failure(fmt::format("{}: there is no such file", text.substr(0, text.find(".db") + 3)));
  } else {
    side.name = text;
  }
  if (side.kind != Side::Kind::sweep && side.name.empty() && side.value.empty())
    return failure(fmt::format(
        "'{}' is incomplete; write for example tag:KEY=VALUE, commit:PREFIX or host:NAME", text));
  return side;
}

namespace {

using schema::literal;

Result<std::vector<std::string>> texts(Reader& reader, const std::string& sql) {
  KS_ASSIGN_OR_RETURN(const auto rows, reader.query(sql));
  std::vector<std::string> all;
  for (const auto& row : rows.rows) all.push_back(row[0].to_text());
  return all;
}

// SQL over `outcome`: software of that commit, which `git describe` tells as a hash of twelve digits, or
// behind the name of a tag, "v1.2-3-g<hash>".
std::string measured_by(std::string commit) {
  const bool hash = commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hash && commit.size() > 12) commit.resize(12);
  return fmt::format(
      "software_id in (select id from software where substr(git, 1, {}) = {} or instr(git, {}) > 0)",
      commit.size(), literal(commit), literal("-g" + commit));
}

// The newest sweep for whose tags the condition holds; the name that finds it. `condition`: of its rows.
Result<std::string> tagged(Reader& reader, const Side& side, FoundSide& out) {
  // The commit that a sweep was made for is known by its tag; that of our own sources by the software.
  const std::string condition =
      side.kind == Side::Kind::tag
          ? fmt::format("name = {} and value = {}", literal(side.name), literal(side.value))
          : fmt::format("name = 'commit' and substr(value, 1, {}) = {}", side.value.size(),
                        literal(side.value));
  KS_ASSIGN_OR_RETURN(const auto found,
                      reader.query("select max(sweep_id) from sweep_tag where " + condition));
  if (const Value& id = found.rows.at(0).at(0); !id.is_null()) return "@" + id.to_text();
  if (side.kind == Side::Kind::commit) {
    out.condition = measured_by(side.value);
    KS_ASSIGN_OR_RETURN(const auto newest,
                        reader.query("select max(sweep_id) from outcome where " + out.condition));
    out.narrowed = "measured by software of commit " + side.value;
    if (const Value& id = newest.rows.at(0).at(0); !id.is_null()) return "@" + id.to_text();
  }
  KS_ASSIGN_OR_RETURN(const auto known,
                      texts(reader, "select distinct name || '=' || value from sweep_tag order by 1"));
  const std::string& path = reader.connection().path();
  if (side.kind == Side::Kind::commit)
    return failure(
        fmt::format("{}: no sweep is tagged with commit {}, and no software of that commit measured; a "
                    "sweep file names its own by the tag `commit`",
                    path, side.value));
  return failure(fmt::format(
      "{}: no sweep has the tag {}={}{}", path, side.name, side.value,
      known.empty() ? "; there are no tags" : did_you_mean(side.name + "=" + side.value, known)));
}

Status add_host(Reader& reader, const Side& side, FoundSide& found) {
  KS_ASSIGN_OR_RETURN(
      const auto known,
      texts(reader, fmt::format("select name from host where id in (select host_id from outcome where "
                                "sweep_id = {}) group by name order by min(id)",
                                found.sweep.id.value)));
  if (std::ranges::find(known, side.name) == known.end())
    return failure(fmt::format("{}: no host '{}' measured for sweep '{}'{}", reader.connection().path(),
                               side.name, found.sweep.record.name, did_you_mean(side.name, known)));
  found.condition = fmt::format("host_id in (select id from host where name = {})", literal(side.name));
  return Done{};
}

// SQL: the column has the value that is meant; empty: no value is.
Result<std::string> condition_of_number(Reader& reader, const Side& side, const std::string& stored,
                                        const std::string& of_sweep) {
  KS_ASSIGN_OR_RETURN(const auto rows, reader.query(fmt::format("select distinct {}{}", stored, of_sweep)));
  std::vector<Value> known;
  for (const auto& row : rows.rows) known.push_back(row[0]);
  const auto which = meant({side.value, false}, known);
  if (!which)
    return failure(fmt::format("{}: {}: {}", reader.connection().path(), side.name, which.error().message));
  std::string values;
  for (const std::size_t at : *which)
    values += (values.empty() ? "" : ", ") +
              (known[at].text() ? literal(*known[at].text()) : known[at].to_text());
  return values.empty() ? values : fmt::format("{} in ({})", stored, values);
}

Status add_value(Reader& reader, const Side& side, FoundSide& found) {
  std::vector<std::string> names = {"cache"};
  std::string stored;
  bool truths = false;
  if (side.name == "cache" || side.name == "variant") stored = side.name;
  for (const SweepColumn& column : found.columns) {
    names.push_back(column.name);
    if (column.name != side.name) continue;
    stored = column.stored;
    truths = column.stands_for == StandsFor::truth;
  }
  const std::string& path = reader.connection().path();
  if (stored.empty())
    return failure(fmt::format("{}: sweep '{}' has no axis '{}'{}", path, found.sweep.record.name,
                               side.name, did_you_mean(side.name, names)));
  // As Python writes it, and tuners in Python.
  const bool of_python = truths && (side.value == "True" || side.value == "False");
  const Value value = of_python ? Value(side.value == "True") : value_of_scalar(side.value);
  const std::string of_sweep = fmt::format(" from outcome where sweep_id = {}", found.sweep.id.value);
  // What looks like a number, a truth or nothing may be a text of the sweep as well.
  const std::string text = literal(side.value);
  // Answers print null as -.
  found.condition =
      value.is_null()     ? fmt::format("({0} is null or {0} = {1})", stored, text)
      : side.value == "-" ? fmt::format(
                                "({0} = '-' or ({0} is null and not exists (select 1 from outcome where "
                                "sweep_id = {1} and {0} = '-')))",
                                "outcome." + stored, found.sweep.id.value)
      : value.text()  // answers print a text on one line
          ? fmt::format(
                "({0} = {2} or (replace({0}, char(10), ' ') = {2} and not exists (select 1 from "
                "outcome where sweep_id = {1} and {0} = {2})))",
                "outcome." + stored, found.sweep.id.value, text)
          : value.boolean() ? fmt::format("{} in ({:d}, {})", stored, *value.boolean(), text)
                            : fmt::format("{} = {}", stored, text);
  if (value.number()) {
    KS_ASSIGN_OR_RETURN(const auto condition, condition_of_number(reader, side, stored, of_sweep));
    if (!condition.empty()) found.condition = condition;
  }
  KS_ASSIGN_OR_RETURN(const auto there,
                      reader.query("select 1" + of_sweep + " and " + found.condition + " limit 1"));
  if (!there.rows.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(
      const auto known,
      texts(reader,
            fmt::format("select coalesce({0}, 'null'){1} group by {0} order by min(point) limit 1000",
                        stored, of_sweep)));
  if (known.empty())
    return failure(fmt::format("{}: sweep '{}' has no results yet", path, found.sweep.record.name));
  constexpr std::size_t kToldMax = 12;
  const auto listed = std::span(known).first(std::min(known.size(), kToldMax));
  // Numbers that look alike are not meant for each other.
  const std::string hint = value.number() ? fmt::format("; there are {}{}", fmt::join(listed, ", "),
                                                        listed.size() < known.size() ? ", ..." : "")
                                          : did_you_mean(side.value, known);
  return failure(fmt::format("{}: no point of sweep '{}' has {}={}{}", path, found.sweep.record.name,
                             side.name, side.value, hint));
}

}  // namespace

Result<FoundSide> find_side(Reader& reader, const Side& side, const std::string& sweep) {
  FoundSide found;
  std::string which = sweep;
  if (side.kind == Side::Kind::sweep && !side.name.empty()) which = side.name;
  if (side.kind == Side::Kind::tag || side.kind == Side::Kind::commit) {
    KS_ASSIGN_OR_RETURN(which, tagged(reader, side, found));
  }
  KS_ASSIGN_OR_RETURN(found.sweep, reader.find_sweep(which));
  KS_ASSIGN_OR_RETURN(found.columns, reader.columns(found.sweep.id));
  Status done = Done{};
  if (side.kind == Side::Kind::host) done = add_host(reader, side, found);
  if (side.kind == Side::Kind::value) done = add_value(reader, side, found);
  KS_RETURN_IF_ERROR(done);
  if (side.kind == Side::Kind::host) found.narrowed = "host " + side.name;
  if (side.kind == Side::Kind::value) found.narrowed = side.name + "=" + side.value;
  return found;
}

namespace {

// "gzip" of "gzip -k {n}"; of a program that an interpreter runs its file, too: "python3 a.py".
std::string program_in(const std::string& command) {
  constexpr std::array<std::string_view, 9> kInterpreters = {"python", "sh",   "bash", "perl", "ruby",
                                                             "node",   "java", "env",  "julia"};
  const auto end = command.find(' ');
  const std::string first = command.substr(0, end);
  const std::string_view name = std::string_view(first).substr(first.rfind('/') + 1);
  const bool interprets = std::ranges::any_of(kInterpreters, [&](std::string_view each) {
    return name.starts_with(each) && name.find_first_not_of("0123456789.", each.size()) == name.npos;
  });
  if (!interprets || end == std::string::npos) return first;
  return first + command.substr(end, command.find(" {", end) - end);
}

}  // namespace

std::string other_kernel(const FoundSide& a, const FoundSide& b) {
  const std::string &of_a = a.sweep.record.kernel, &of_b = b.sweep.record.kernel;
  if (of_a == of_b) return "";
  const auto is_command = [](const FoundSide& side) {
    return std::ranges::any_of(
        side.columns, [](const SweepColumn& column) { return column.derived && column.name == "command"; });
  };
  const bool commands = is_command(a) && is_command(b);
  if (commands && program_in(of_a) == program_in(of_b)) return "";
  return fmt::format(
      "A computes {}, B {}: different kernels are different problems{}", of_a, of_b,
      commands ? "; to compare programs sweep them as an axis, command: '{program} ...'" : "");
}

}  // namespace kernsweep
