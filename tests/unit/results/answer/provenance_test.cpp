// Rows of hosts, software and inputs, and in what two results differ.
#include "results/answer/compare/provenance_difference.hpp"
#include "results/read/show.hpp"
#include "shared/lists/variable_lines.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;

HostRecord host_with(const std::string& text) {
  return {.fingerprint = digest_of(text), .name = "node7", .text = text};
}

SoftwareRecord software_with(const std::string& libraries) {
  return {.identity = digest_of(libraries), .version = "0.1.0", .pack = "gemm", .libraries = libraries};
}

std::string text_of_changes(const RowSet& changes) {
  std::string text;
  for (const auto& row : changes.rows)
    text += row[0].to_text() + "/" + row[1].to_text() + ": " + (row[2].is_null() ? "-" : row[2].to_text()) +
            " | " + (row[3].is_null() ? "-" : row[3].to_text()) + "\n";
  return text;
}

struct Provenance : test::QueryTest {
  Job measured(const std::string& host, const std::string& libraries) {
    Job made = job({1}, 1.0);
    made.record.host = good(store.add_host(host_with(host)));
    made.record.software = good(store.add_software(software_with(libraries)));
    return made;
  }
};

// A worker may send none; its second hello must not add a second row for the same host.
TEST_F(Provenance, AHostWithoutANameIsFoundAgain) {
  HostRecord host = host_with("cpu.model = X\n");
  host.name = "";
  const HostId first = good(store.add_host(host));
  EXPECT_EQ(good(store.add_host(host)), first);
  host.name = std::string("a\0b", 3);
  const HostId second = good(store.add_host(host));
  EXPECT_NE(second, first);
  EXPECT_EQ(good(store.add_host(host)), second);
}

TEST_F(Provenance, OfEqualResultsHasNoDifferenceHoweverTheirTimesDiffer) {
  begin("s", {"m"});
  Job one = measured("cpu.model = X\n", "/lib/a.so\ta.so\t1\t10\tff\t-");
  one.record.order = 1;
  one.record.queue_s = 0.5;
  put(one);
  Job two = measured("cpu.model = X\n", "/lib/a.so\ta.so\t1\t10\tff\t-");
  two.record.order = 9;
  two.record.queue_s = 0.25;
  two.record.finished_unix_s = 7;
  put(two);
  Reader r = reader();
  EXPECT_EQ(text_of_changes(provenance_changes(good(show(r, "1")), good(show(r, "2")))), "");
}

TEST_F(Provenance, DifferenceIsToldPropertyByProperty) {
  begin("s", {"m"});
  Job one =
      measured("cpu.model = X\npolicy.turbo = on\n",
               "/lib/libblas.so.3.1\tlibblas.so.3\t3.1\t10\tff\t-\n/lib/same.so\tsame.so\t-\t1\tee\t-");
  one.record.environment = "OPENBLAS_CORETYPE=Haswell";
  one.record.thread_environment = "OMP_NUM_THREADS=1\nOPENBLAS_NUM_THREADS=1";
  one.record.runtime = "OpenBLAS 0.3.21 core=Haswell";
  put(one);
  Job two = measured("cpu.model = X\npolicy.turbo = off\n",
                     "/lib/other.so\t-\t-\t2\tdd\t-\n/opt/same.so\tsame.so\t-\t1\tee\t-\n"
                     "/opt/libblas.so.3\tlibblas.so.3\t3\t11\tab\t-");
  two.record.thread_environment = "OMP_NUM_THREADS=2\nOPENBLAS_NUM_THREADS=1";
  two.record.runtime = "OpenBLAS 0.3.21 core=Prescott";
  put(two);
  Reader r = reader();
  EXPECT_EQ(text_of_changes(provenance_changes(good(show(r, "1")), good(show(r, "2")))),
            "process/OMP_NUM_THREADS: 1 | 2\n"
            "process/OPENBLAS_CORETYPE: Haswell | -\n"
            "process/runtime: OpenBLAS 0.3.21 core=Haswell | OpenBLAS 0.3.21 core=Prescott\n"
            "host/policy.turbo: on | off\n"
            "software/library libblas.so.3: /lib/libblas.so.3.1 libblas.so.3 3.1 10 ff - | "
            "/opt/libblas.so.3 libblas.so.3 3 11 ab -\n"
            "software/library other.so: - | /lib/other.so - - 2 dd -\n");
}

TEST_F(Provenance, PointsAndInputsAreCompared) {
  begin("s", {"m"});
  const InputRecord a{.hash = digest_of("A1"),
                      .name = "A",
                      .source = "uniform(0, 1) seed 7",
                      .generator = "philox4x32-7/2",
                      .seed = 7,
                      .dtype = "f32",
                      .shape = "2x3"};
  InputRecord b = a;
  b.hash = digest_of("A2");
  b.seed = 8;
  good(store.add_input(a));
  good(store.add_input(b));
  const std::string first = "A=" + a.hash.hex(), second = "A=" + b.hash.hex();
  Job one = job({1}, 1.0);
  one.record.inputs = first;
  put(one);
  Job two = job({2}, 1.0);
  two.record.inputs = second;
  put(two);
  Reader r = reader();
  EXPECT_EQ(text_of_changes(provenance_changes(good(show(r, "1")), good(show(r, "2")))),
            "point/m: 1 | 2\n"
            "input A/hash: " +
                a.hash.hex() + " | " + b.hash.hex() +
                "\n"
                "input A/seed: 7 | 8\n");
  EXPECT_THAT(text_of_changes(provenance_changes(good(show(r, "1")), Shown{})),
              testing::HasSubstr("point/m: 1 | -\n"));
}

TEST(ProvenanceChanges, AValueMayHoldWhatSeparates) {
  const auto with = [](const std::string& places, const char* text) {
    Shown shown;
    std::string variables;
    append_variable(variables, "OMP_PLACES", places);
    shown.sections.push_back({"process", {{"thread_environment", Value(variables)}}});
    shown.sections.push_back({"host", {{"fingerprint_text", Value(text)}}});
    return shown;
  };
  EXPECT_EQ(text_of_changes(provenance_changes(with("a\nOMP_NUM_THREADS=9", "x = a = b\n"),
                                               with("b=c", "x = a = c\n"))),
            "process/OMP_PLACES: a\nOMP_NUM_THREADS=9 | b=c\n"
            "host/x: a = b | a = c\n");
}

TEST(ProvenanceChanges, DamagedTextsAreComparedAsTheyAre) {
  const auto with = [](const char* libraries, const char* text) {
    Shown shown;
    shown.sections.push_back({"software", {{"libraries", Value(libraries)}, {"id", Value(1)}}});
    shown.sections.push_back({"host", {{"fingerprint_text", Value(text)}}});
    return shown;
  };
  EXPECT_EQ(text_of_changes(provenance_changes(with("\n\n/a.so", "no separator"), with("/a.so\t", ""))),
            "software/library a.so: /a.so | /a.so \n"
            "host/no separator:  | -\n");
}

TEST_F(Provenance, HostSoftwareAndInputKeepEveryFieldInItsColumn) {
  begin("s", {"m"});
  HostRecord host;
  host.fingerprint = digest_of("h");
  for (const auto& [field, value] : {std::pair(&host.name, "1"),
                                     std::pair(&host.cpu, "2"),
                                     std::pair(&host.architecture, "3"),
                                     std::pair(&host.os, "4"),
                                     std::pair(&host.os_kernel, "5"),
                                     std::pair(&host.microcode, "6"),
                                     std::pair(&host.governor, "7"),
                                     std::pair(&host.cpu_vendor, "8"),
                                     std::pair(&host.cpu_family, "9"),
                                     std::pair(&host.cpu_model_number, "10"),
                                     std::pair(&host.cpu_stepping, "11"),
                                     std::pair(&host.isa, "12"),
                                     std::pair(&host.caches, "13"),
                                     std::pair(&host.numa_layout, "14"),
                                     std::pair(&host.hypervisor, "15"),
                                     std::pair(&host.container, "16"),
                                     std::pair(&host.frequency_khz, "17"),
                                     std::pair(&host.turbo, "18"),
                                     std::pair(&host.huge_pages, "19"),
                                     std::pair(&host.address_randomisation, "20"),
                                     std::pair(&host.numa_balancing, "21"),
                                     std::pair(&host.swap, "22"),
                                     std::pair(&host.limits, "23"),
                                     std::pair(&host.mitigations, "24"),
                                     std::pair(&host.text, "30")})
    *field = value;
  host.sockets = 25;
  host.numa_nodes = 26;
  host.cores = 27;
  host.threads = 28;
  host.memory_bytes = 29;
  good(store.add_host(host));
  EXPECT_EQ(test::asked(path,
                        "select name, cpu, architecture, os, os_kernel, microcode, governor, cpu_vendor, "
                        "cpu_family, cpu_model_number, cpu_stepping, isa, caches, numa_layout, "
                        "hypervisor, container, frequency_khz, turbo, huge_pages, "
                        "address_randomisation, numa_balancing, swap, limits, mitigations, sockets, "
                        "numa_nodes, cores, threads, memory_bytes, fingerprint_text from host"),
            "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|30");
  good(store.add_software({digest_of("s"), "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  EXPECT_EQ(test::asked(path,
                        "select version, git, compiler, flags, pack, pack_version, pack_build, "
                        "pack_build_id, libraries from software"),
            "1|2|3|4|5|6|7|8|9");
  good(store.add_input(
      {.hash = digest_of("i"), .name = "A", .source = "w.npy", .dtype = "f32", .shape = "4", .bytes = 16}));
  EXPECT_EQ(test::asked(path,
                        "select name, source, generator, seed is null, identity, dtype, shape, bytes "
                        "from input"),
            "A|w.npy||1||f32|4|16");
}

TEST_F(Provenance, AttemptKeepsOrderWaitAndThreadVariables) {
  begin("s", {"m"});
  Job one = job({1}, 1.0);
  one.record.order = 12;
  one.record.lease_wait_s = 0.5;
  one.record.run_s = 0.25;
  one.record.warmup_runs = 3;
  one.record.thread_environment = "OMP_NUM_THREADS=2";
  one.record.inputs = "A=0";
  put(one);
  put({2}, 1.0);
  good(store.commit());
  EXPECT_EQ(test::asked(path,
                        "select order_index, lease_wait_s, a.run_s, warmup_runs, samples, "
                        "thread_environment, inputs, environment is null from attempt a join result "
                        "using (result) where result = 1"),
            "12|0.5|0.25|3|2|OMP_NUM_THREADS=2|A=0|1");
  EXPECT_EQ(
      test::asked(path, "select order_index is null, lease_wait_s is null from attempt where result = 2"),
      "1|1");
}

}  // namespace
}  // namespace kernsweep
