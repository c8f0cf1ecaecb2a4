// The steps that migrate a file from each version to the next. A step must not change after its version was
// released, because users have files that it made. So steps are fixed texts and do not use the current
// lists of columns. They do not change views: all views are created again after the last step.
#include "results/sqlite/schema.hpp"

namespace kernsweep::schema {

namespace {

constexpr std::string_view kTo2 =
    "alter table attempt_row add column noise real; "
    "alter table attempt_row add column warmup_s real; "
    "alter table attempt_row add column repeatable integer; "
    "alter table conditions add column metric text; "
    "alter table conditions add column error_element real; "
    "update attempt_row set repeatable = 0 where grade_reasons in (select id from text where content "
    "like '%repeated runs gave different bits%')";

constexpr std::string_view kTo3 =
    "alter table sweep add column priority integer not null default 0; "
    "alter table sweep add column submitted integer not null default 0; "
    "alter table attempt_row add column sent_unix_s real; "
    "alter table attempt_row add column session integer; "
    "create table sweep_file (sweep_id integer not null, path text not null, content text not null, "
    "primary key (sweep_id, path)); "
    "create table event (id integer primary key, unix_s real, sweep_id integer, job integer, job_host "
    "integer, attempt integer, session integer, host_id integer, what text not null, reason text); "
    "create index event_of_job on event (sweep_id, job, job_host) where job is not null; "
    "create table file_identity (id integer primary key, identity blob not null); "
    "insert into file_identity values (1, randomblob(16))";

// Makes (fingerprint, name) unique instead of the fingerprint alone, because equal nodes of a cluster have
// the same fingerprint. The table is made again, because SQLite cannot remove a constraint from a table.
constexpr std::string_view kTo4 =
    "create temp table host_3 as select * from main.host; "
    "drop table main.host; "
    "create table host (id integer primary key, name text not null, cpu text not null, architecture "
    "text not null, os text not null, os_kernel text not null, microcode text not null, governor text "
    "not null, cpu_vendor text not null, cpu_family text not null, cpu_model_number text not null, "
    "cpu_stepping text not null, isa text not null, caches text not null, numa_layout text not null, "
    "hypervisor text not null, container text not null, frequency_khz text not null, turbo text not "
    "null, huge_pages text not null, address_randomisation text not null, numa_balancing text not "
    "null, swap text not null, limits text not null, mitigations text not null, sockets integer not "
    "null, numa_nodes integer not null, cores integer not null, threads integer not null, memory_bytes "
    "integer not null, fingerprint blob not null, fingerprint_text text not null, unique (fingerprint, "
    "name)); "
    "insert into host select * from host_3; "
    "drop table host_3";

constexpr std::string_view kTo5 =
    "alter table attempt_row add column gpus integer; "
    "create table metric (name text not null, result integer not null, value real not null, primary "
    "key (name, result)) without rowid";

constexpr std::string_view kTo6 =
    "alter table software add column sources text not null default ''; "
    "alter table metric add column better text; alter table metric add column unit text; "
    "alter table attempt_row add column doubt_cause text";

// Version 7 is not released yet: changes of the tables are added here, as schema.hpp describes.
constexpr std::string_view kTo7 =
    "alter table sweep_column add column problem integer; "
    "alter table attempt_row add column notes integer; "
    "alter table attempt_row add column first_call_s real; "
    "alter table attempt_row add column verified_by integer; "
    "alter table attempt_row add column distrust integer; "
    "alter table attempt_row add column output_sample integer; "
    "alter table sweep add column outputs_ignored integer not null default 0";

constexpr std::string_view kSteps[] = {kTo2, kTo3, kTo4, kTo5, kTo6, kTo7};
static_assert(std::size(kSteps) == kVersion - 1);

}  // namespace

std::span<const std::string_view> migrations() {
  return kSteps;
}

}  // namespace kernsweep::schema
