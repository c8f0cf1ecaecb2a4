// Stores hosts, software and inputs: few rows, each looked up by its identity before it is added.
#include "results/sqlite/insertion.hpp"
#include "results/store/store_state.hpp"
#include "shared/base/try.hpp"

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
void of_known(Parameter to, const Row& from) {
  to.set(from.record.*kMember);
}

constexpr Field<HostRow> kHost[] = {
    {"id", stored<&HostRow::id>},
    {"name", of_known<&HostRecord::name>},
    {"cpu", of_known<&HostRecord::cpu>},
    {"architecture", of_known<&HostRecord::architecture>},
    {"os", of_known<&HostRecord::os>},
    {"os_kernel", of_known<&HostRecord::os_kernel>},
    {"microcode", of_known<&HostRecord::microcode>},
    {"governor", of_known<&HostRecord::governor>},
    {"cpu_vendor", of_known<&HostRecord::cpu_vendor>},
    {"cpu_family", of_known<&HostRecord::cpu_family>},
    {"cpu_model_number", of_known<&HostRecord::cpu_model_number>},
    {"cpu_stepping", of_known<&HostRecord::cpu_stepping>},
    {"isa", of_known<&HostRecord::isa>},
    {"caches", of_known<&HostRecord::caches>},
    {"numa_layout", of_known<&HostRecord::numa_layout>},
    {"hypervisor", of_known<&HostRecord::hypervisor>},
    {"container", of_known<&HostRecord::container>},
    {"frequency_khz", of_known<&HostRecord::frequency_khz>},
    {"turbo", of_known<&HostRecord::turbo>},
    {"huge_pages", of_known<&HostRecord::huge_pages>},
    {"address_randomisation", of_known<&HostRecord::address_randomisation>},
    {"numa_balancing", of_known<&HostRecord::numa_balancing>},
    {"swap", of_known<&HostRecord::swap>},
    {"limits", of_known<&HostRecord::limits>},
    {"mitigations", of_known<&HostRecord::mitigations>},
    {"sockets", of_known<&HostRecord::sockets>},
    {"numa_nodes", of_known<&HostRecord::numa_nodes>},
    {"cores", of_known<&HostRecord::cores>},
    {"threads", of_known<&HostRecord::threads>},
    {"memory_bytes", of_known<&HostRecord::memory_bytes>},
    {"fingerprint", of_known<&HostRecord::fingerprint>},
    {"fingerprint_text", of_known<&HostRecord::text>},
};

constexpr Field<SoftwareRow> kSoftwareFields[] = {
    {"id", stored<&SoftwareRow::id>},
    {"version", of_known<&SoftwareRecord::version>},
    {"git", of_known<&SoftwareRecord::git>},
    {"compiler", of_known<&SoftwareRecord::compiler>},
    {"flags", of_known<&SoftwareRecord::flags>},
    {"pack", of_known<&SoftwareRecord::pack>},
    {"pack_version", of_known<&SoftwareRecord::pack_version>},
    {"pack_build", of_known<&SoftwareRecord::pack_build>},
    {"pack_build_id", of_known<&SoftwareRecord::pack_build_id>},
    {"libraries", of_known<&SoftwareRecord::libraries>},
    {"identity", of_known<&SoftwareRecord::identity>},
    {"sources", of_known<&SoftwareRecord::sources>},
};

constexpr Field<InputRow> kInput[] = {
    {"hash", stored<&InputRow::hash>},          {"name", of_known<&InputRecord::name>},
    {"source", of_known<&InputRecord::source>}, {"generator", of_known<&InputRecord::generator>},
    {"seed", of_known<&InputRecord::seed>},     {"identity", of_known<&InputRecord::identity>},
    {"dtype", of_known<&InputRecord::dtype>},   {"shape", of_known<&InputRecord::shape>},
    {"bytes", of_known<&InputRecord::bytes>},
};

Result<std::uint32_t> found_id(sqlite::Connection& database, const std::string& table,
                               const std::string& column, const Digest& identity,
                               const std::string* name = nullptr) {
  KS_ASSIGN_OR_RETURN(auto find,
                      database.prepare("select id from " + table + " where " + column + " = ?1"));
  find.bind_blob(1, identity.view());
  if (name) find.bind(2, *name);
  const Step step = find.step();
  if (step == Step::done) return std::uint32_t{0};
  if (step != Step::row) return failure(find.why());
  return static_cast<std::uint32_t>(find.integer(0));
}

}  // namespace

Result<HostId> Store::add_host(const HostRecord& record) {
  State& state = *state_;
  KS_ASSIGN_OR_RETURN(const auto old, found_id(state.database, "host", "name = ?2 and fingerprint",
                                               record.fingerprint, &record.name));
  KS_ASSIGN_OR_RETURN(const auto last, state.database.integer("select max(id) from host"));
  const HostId id{old != 0 ? old : static_cast<std::uint32_t>(last) + 1};
  if (old != 0) return id;
  KS_RETURN_IF_ERROR(state.begin());
  if (auto done = insert_one(state.database, "host", kHost, {record, id}); !done)
    return state.roll_back(done.error().message);
  KS_RETURN_IF_ERROR(commit());
  return id;
}

Result<SoftwareId> Store::add_software(const SoftwareRecord& record) {
  State& state = *state_;
  KS_ASSIGN_OR_RETURN(const auto old, found_id(state.database, "software", "identity", record.identity));
  if (old != 0) return SoftwareId{old};
  KS_ASSIGN_OR_RETURN(const auto last, state.database.integer("select max(id) from software"));
  const SoftwareId id{static_cast<std::uint32_t>(last) + 1};
  KS_RETURN_IF_ERROR(state.begin());
  if (auto done = insert_one(state.database, "software", kSoftwareFields, {record, id}); !done)
    return state.roll_back(done.error().message);
  KS_RETURN_IF_ERROR(commit());
  return id;
}

Status Store::add_input(const InputRecord& record) {
  State& state = *state_;
  KS_RETURN_IF_ERROR(state.begin());
  if (auto done = insert_one(state.database, "input", kInput, {record, record.hash.hex()},
                             "on conflict (hash) do nothing");
      !done)
    return state.roll_back(done.error().message);
  return commit();
}

}  // namespace kernsweep
