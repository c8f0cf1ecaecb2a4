// Hosts, software and inputs: few rows, each found by its identity or added.
#include "results/store_state.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

Result<std::uint32_t> found_id(sqlite::Connection& database, const std::string& table,
                               const std::string& column, const Digest& identity) {
  auto find = database.prepare("select id from " + table + " where " + column + " = ?");
  if (!find) return tl::unexpected<Error>(find.error());
  find->bind_blob(1, identity.view());
  const Step step = find->step();
  if (step == Step::done) return std::uint32_t{0};
  if (step != Step::row) return failure(find->why());
  return static_cast<std::uint32_t>(find->integer(0));
}

}  // namespace

Result<HostId> Store::add_host(const HostRecord& record) {
  State& state = *state_;
  const auto old = found_id(state.database, "host", "fingerprint", record.fingerprint);
  if (!old) return tl::unexpected<Error>(old.error());
  if (*old != 0) return HostId{*old};
  const auto last = state.database.integer("select max(id) from host");
  if (!last) return tl::unexpected<Error>(last.error());
  const HostId id{static_cast<std::uint32_t>(*last) + 1};
  auto row =
      state.database.prepare("insert into host values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!row) return tl::unexpected<Error>(row.error());
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  row->bind(1, id.value);
  int at = 2;
  for (const std::string* text : {&record.name, &record.cpu, &record.architecture, &record.os,
                                  &record.os_kernel, &record.microcode, &record.governor})
    row->bind(at++, *text);
  for (const std::uint32_t count : {record.sockets, record.numa_nodes, record.cores, record.threads})
    row->bind(at++, count);
  row->bind(13, record.memory_bytes);
  row->bind_blob(14, record.fingerprint.view());
  row->bind(15, record.text);
  if (auto done = row->run(); !done) return state.roll_back(done.error().message);
  if (auto done = commit(); !done) return tl::unexpected<Error>(done.error());
  return id;
}

Result<SoftwareId> Store::add_software(const SoftwareRecord& record) {
  State& state = *state_;
  const auto old = found_id(state.database, "software", "identity", record.identity);
  if (!old) return tl::unexpected<Error>(old.error());
  if (*old != 0) return SoftwareId{*old};
  const auto last = state.database.integer("select max(id) from software");
  if (!last) return tl::unexpected<Error>(last.error());
  const SoftwareId id{static_cast<std::uint32_t>(*last) + 1};
  auto row = state.database.prepare("insert into software values (?, ?, ?, ?, ?, ?, ?)");
  if (!row) return tl::unexpected<Error>(row.error());
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  row->bind(1, id.value);
  int at = 2;
  for (const std::string* text :
       {&record.version, &record.pack, &record.pack_version, &record.pack_build, &record.libraries})
    row->bind(at++, *text);
  row->bind_blob(7, record.identity.view());
  if (auto done = row->run(); !done) return state.roll_back(done.error().message);
  if (auto done = commit(); !done) return tl::unexpected<Error>(done.error());
  return id;
}

Status Store::add_input(const InputRecord& record) {
  State& state = *state_;
  auto row =
      state.database.prepare("insert into input values (?, ?, ?, ?, ?, ?) on conflict (hash) do nothing");
  if (!row) return tl::unexpected<Error>(row.error());
  if (auto begun = state.begin(); !begun) return begun;
  const std::string hash = record.hash.hex();
  int at = 1;
  for (const std::string* text : {&hash, &record.name, &record.source, &record.dtype, &record.shape})
    row->bind(at++, *text);
  row->bind(6, record.bytes);
  if (auto done = row->run(); !done) return state.roll_back(done.error().message);
  return commit();
}

}  // namespace kernsweep
