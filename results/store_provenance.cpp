// Hosts, software and inputs: few rows, each found by its identity or added.
#include "results/store_state.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

std::string insertion_into(std::string_view table) {
  std::string marks;
  for (const auto& each : schema::tables())
    for (std::size_t i = 0; each.name == table && i < each.columns.size(); ++i)
      marks += i == 0 ? "?" : ", ?";
  return "insert into " + std::string(table) + " values (" + marks + ")";
}

Result<std::uint32_t> found_id(sqlite::Connection& database, const std::string& table,
                               const std::string& column, const Digest& identity,
                               const std::string* name = nullptr) {
  auto find = database.prepare("select id from " + table + " where " + column + " = ?1");
  if (!find) return tl::unexpected<Error>(find.error());
  find->bind_blob(1, identity.view());
  if (name) find->bind(2, *name);
  const Step step = find->step();
  if (step == Step::done) return std::uint32_t{0};
  if (step != Step::row) return failure(find->why());
  return static_cast<std::uint32_t>(find->integer(0));
}

}  // namespace

Result<HostId> Store::add_host(const HostRecord& record) {
  State& state = *state_;
  const auto old =
      found_id(state.database, "host", "name = ?2 and fingerprint", record.fingerprint, &record.name);
  if (!old) return tl::unexpected<Error>(old.error());
  if (*old != 0) return HostId{*old};
  const auto last = state.database.integer("select max(id) from host");
  if (!last) return tl::unexpected<Error>(last.error());
  const HostId id{static_cast<std::uint32_t>(*last) + 1};
  auto row = state.database.prepare(insertion_into("host"));
  if (!row) return tl::unexpected<Error>(row.error());
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  row->bind(1, id.value);
  int at = 2;
  for (const std::string* text : {&record.name,           &record.cpu,
                                  &record.architecture,   &record.os,
                                  &record.os_kernel,      &record.microcode,
                                  &record.governor,       &record.cpu_vendor,
                                  &record.cpu_family,     &record.cpu_model_number,
                                  &record.cpu_stepping,   &record.isa,
                                  &record.caches,         &record.numa_layout,
                                  &record.hypervisor,     &record.container,
                                  &record.frequency_khz,  &record.turbo,
                                  &record.huge_pages,     &record.address_randomisation,
                                  &record.numa_balancing, &record.swap,
                                  &record.limits,         &record.mitigations})
    row->bind(at++, *text);
  for (const std::uint32_t count : {record.sockets, record.numa_nodes, record.cores, record.threads})
    row->bind(at++, count);
  row->bind(at++, record.memory_bytes);
  row->bind_blob(at++, record.fingerprint.view());
  row->bind(at, record.text);
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
  auto row = state.database.prepare(insertion_into("software"));
  if (!row) return tl::unexpected<Error>(row.error());
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  row->bind(1, id.value);
  int at = 2;
  for (const std::string* text :
       {&record.version, &record.git, &record.compiler, &record.flags, &record.pack, &record.pack_version,
        &record.pack_build, &record.pack_build_id, &record.libraries})
    row->bind(at++, *text);
  row->bind_blob(at, record.identity.view());
  if (auto done = row->run(); !done) return state.roll_back(done.error().message);
  if (auto done = commit(); !done) return tl::unexpected<Error>(done.error());
  return id;
}

Result<MeasuredBy> Store::measured_by(HostId host, SoftwareId software) {
  MeasuredBy by;
  auto row = state_->database.prepare(
      "select (select lower(hex(fingerprint)) from host where id = ?1), version, libraries from software "
      "where id = ?2");
  if (!row) return tl::unexpected<Error>(row.error());
  row->bind(1, host.value);
  row->bind(2, software.value);
  const Step step = row->step();
  if (step == Step::failed) return failure(row->why());
  if (step != Step::row) return by;
  by.fingerprint = row->text(0);
  by.version = row->text(1);
  by.libraries = row->text(2);
  return by;
}

Status Store::add_input(const InputRecord& record) {
  State& state = *state_;
  auto row = state.database.prepare(insertion_into("input") + " on conflict (hash) do nothing");
  if (!row) return tl::unexpected<Error>(row.error());
  if (auto begun = state.begin(); !begun) return begun;
  const std::string hash = record.hash.hex();
  int at = 1;
  for (const std::string* text : {&hash, &record.name, &record.source, &record.generator})
    row->bind(at++, *text);
  if (record.seed)
    row->bind(at++, *record.seed);
  else
    row->bind_null(at++);
  for (const std::string* text : {&record.identity, &record.dtype, &record.shape}) row->bind(at++, *text);
  row->bind(at, record.bytes);
  if (auto done = row->run(); !done) return state.roll_back(done.error().message);
  return commit();
}

}  // namespace kernsweep
