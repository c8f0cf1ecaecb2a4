// Hosts, software and inputs: few rows, each found by its identity or added.
#include "results/sqlite/insertion.hpp"
#include "results/store/store_state.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

struct HostRow {
  const HostRecord& record;
  HostId id;
};
struct SoftwareRow {
  const SoftwareRecord& record;
  SoftwareId id;
};
struct InputRow {
  const InputRecord& record;
  std::string hash;  // in hexadecimal digits
};

template <auto kMember, class Row>
void of_record(Parameter to, const Row& from) {
  to.set(from.record.*kMember);
}

constexpr Field<HostRow> kHost[] = {
    {"id", stored<&HostRow::id>},
    {"name", of_record<&HostRecord::name>},
    {"cpu", of_record<&HostRecord::cpu>},
    {"architecture", of_record<&HostRecord::architecture>},
    {"os", of_record<&HostRecord::os>},
    {"os_kernel", of_record<&HostRecord::os_kernel>},
    {"microcode", of_record<&HostRecord::microcode>},
    {"governor", of_record<&HostRecord::governor>},
    {"cpu_vendor", of_record<&HostRecord::cpu_vendor>},
    {"cpu_family", of_record<&HostRecord::cpu_family>},
    {"cpu_model_number", of_record<&HostRecord::cpu_model_number>},
    {"cpu_stepping", of_record<&HostRecord::cpu_stepping>},
    {"isa", of_record<&HostRecord::isa>},
    {"caches", of_record<&HostRecord::caches>},
    {"numa_layout", of_record<&HostRecord::numa_layout>},
    {"hypervisor", of_record<&HostRecord::hypervisor>},
    {"container", of_record<&HostRecord::container>},
    {"frequency_khz", of_record<&HostRecord::frequency_khz>},
    {"turbo", of_record<&HostRecord::turbo>},
    {"huge_pages", of_record<&HostRecord::huge_pages>},
    {"address_randomisation", of_record<&HostRecord::address_randomisation>},
    {"numa_balancing", of_record<&HostRecord::numa_balancing>},
    {"swap", of_record<&HostRecord::swap>},
    {"limits", of_record<&HostRecord::limits>},
    {"mitigations", of_record<&HostRecord::mitigations>},
    {"sockets", of_record<&HostRecord::sockets>},
    {"numa_nodes", of_record<&HostRecord::numa_nodes>},
    {"cores", of_record<&HostRecord::cores>},
    {"threads", of_record<&HostRecord::threads>},
    {"memory_bytes", of_record<&HostRecord::memory_bytes>},
    {"fingerprint", of_record<&HostRecord::fingerprint>},
    {"fingerprint_text", of_record<&HostRecord::text>},
};

constexpr Field<SoftwareRow> kSoftware[] = {
    {"id", stored<&SoftwareRow::id>},
    {"version", of_record<&SoftwareRecord::version>},
    {"git", of_record<&SoftwareRecord::git>},
    {"compiler", of_record<&SoftwareRecord::compiler>},
    {"flags", of_record<&SoftwareRecord::flags>},
    {"pack", of_record<&SoftwareRecord::pack>},
    {"pack_version", of_record<&SoftwareRecord::pack_version>},
    {"pack_build", of_record<&SoftwareRecord::pack_build>},
    {"pack_build_id", of_record<&SoftwareRecord::pack_build_id>},
    {"libraries", of_record<&SoftwareRecord::libraries>},
    {"identity", of_record<&SoftwareRecord::identity>},
    {"sources", of_record<&SoftwareRecord::sources>},
};

constexpr Field<InputRow> kInput[] = {
    {"hash", stored<&InputRow::hash>},           {"name", of_record<&InputRecord::name>},
    {"source", of_record<&InputRecord::source>}, {"generator", of_record<&InputRecord::generator>},
    {"seed", of_record<&InputRecord::seed>},     {"identity", of_record<&InputRecord::identity>},
    {"dtype", of_record<&InputRecord::dtype>},   {"shape", of_record<&InputRecord::shape>},
    {"bytes", of_record<&InputRecord::bytes>},
};

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
  const auto last = state.database.integer("select max(id) from host");
  if (!last) return tl::unexpected<Error>(last.error());
  const HostId id{*old != 0 ? *old : static_cast<std::uint32_t>(*last) + 1};
  if (*old != 0) {  // of a worker before protocol 1.4 it lacks the properties
    const std::string bare = " from host where architecture = '' and id = " + std::to_string(*old);
    const auto is_bare = state.database.integer("select count(*)" + bare);
    if (!is_bare) return tl::unexpected<Error>(is_bare.error());
    if (*is_bare == 0 || record.architecture.empty()) return id;
    if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
    if (auto done = state.database.execute("delete" + bare); !done)
      return state.roll_back(done.error().message);
  }
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  if (auto done = insert_one(state.database, "host", kHost, {record, id}); !done)
    return state.roll_back(done.error().message);
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
  if (auto begun = state.begin(); !begun) return tl::unexpected<Error>(begun.error());
  if (auto done = insert_one(state.database, "software", kSoftware, {record, id}); !done)
    return state.roll_back(done.error().message);
  if (auto done = commit(); !done) return tl::unexpected<Error>(done.error());
  return id;
}

Status Store::add_input(const InputRecord& record) {
  State& state = *state_;
  if (auto begun = state.begin(); !begun) return begun;
  if (auto done = insert_one(state.database, "input", kInput, {record, record.hash.hex()},
                             "on conflict (hash) do update set source = excluded.source, seed = "
                             "excluded.seed, dtype = excluded.dtype, shape = excluded.shape where "
                             "dtype = '' and excluded.dtype <> ''");
      !done)
    return state.roll_back(done.error().message);
  return commit();
}

}  // namespace kernsweep
