// What a job reports about the files that it ran and read, and about those that changed meanwhile.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include "shared/base/content_hash.hpp"
#include "shared/lists/source_lines.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

namespace files = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// The doubling family, whose variant `twice` reports these files when it is prepared, and calls `g_on_run`.
std::vector<std::array<std::string, 3>> g_told;
std::function<void()> g_on_run;

const ks_variant& twice() {
  return *variant_of(doubling(), "twice");
}

ks_status prepare_telling(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                          std::size_t count, void** state, ks_why why) {
  for (const auto& [role, name, path] : g_told)
    context->report_source(context->host, role.c_str(), name.c_str(), path.c_str());
  return twice().prepare(params, context, inputs, count, state, why);
}
ks_status prepare_in_vain(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                          std::size_t count, void** state, ks_why why) {
  (void)prepare_telling(params, context, inputs, count, state, why);
  twice().release(*state);
  return KS_FAILED;
}
ks_status run_telling(void* state) {
  if (g_on_run) g_on_run();
  return twice().run(state);
}
ks_status run_in_vain(void*) {
  return KS_FAILED;
}

const ks_family& telling() {
  static const ks_variant good = [] {
    ks_variant made = twice();
    made.prepare = prepare_telling;
    made.run = run_telling;
    return made;
  }();
  static const ks_variant vain = [] {
    ks_variant made = good;
    made.name = "vain";
    made.prepare = prepare_in_vain;
    return made;
  }();
  static const ks_variant ends_badly = [] {
    ks_variant made = good;
    made.name = "ends_badly";
    made.run = run_in_vain;
    return made;
  }();
  static const std::array<const ks_variant*, 4> variants = {&good, &vain, &ends_badly,
                                                            variant_of(doubling(), "reference")};
  static const ks_family family = [] {
    ks_family made = doubling();
    made.variants = variants.data();
    made.variant_count = variants.size();
    return made;
  }();
  return family;
}

class JobSources : public JobTest {
 protected:
  JobSources() {
    std::string pattern = (files::temp_directory_path() / "kernsweep-sources-XXXXXX").string();
    if (!mkdtemp(pattern.data())) std::abort();
    folder_ = files::canonical(pattern);
    before_ = files::current_path();
    files::current_path(folder_);
    use(telling());
  }
  ~JobSources() override {
    g_told.clear();
    g_on_run = nullptr;
    files::current_path(before_);
    std::error_code error;
    files::remove_all(folder_, error);
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::vector<SourceLine> all_lines() const {
    std::vector<SourceLine> out;
    each_source(worker_.sources, [&](const SourceLine& line, std::string_view) { out.push_back(line); });
    return out;
  }
  // All but the pack, and what programs are linked with.
  std::vector<SourceLine> lines() const {
    auto out = all_lines();
    std::erase_if(out, [](const SourceLine& each) { return each.role == "pack" || each.role == "linked"; });
    return out;
  }
  static SourceLine line(const std::string& role, const std::string& name, const std::string& path,
                         const std::string& text) {
    ContentHasher hasher;
    hasher.add(text.data(), text.size());
    return {role, name, path, text.size(), hasher.digest().hex()};
  }

  files::path folder_, before_;
};

TEST_F(JobSources, OfAJobThatTellsNothingAreThoseOfItsPack) {
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  const SourceLine pack = source_line(worker_.sources);
  EXPECT_EQ(worker_.sources, text_of(pack)) << "one line";
  EXPECT_EQ(pack.role, "pack");
  EXPECT_EQ(pack.name, "example");
  EXPECT_TRUE(pack.path.ends_with("/example.so")) << pack.path;
  EXPECT_EQ(pack.bytes, files::file_size(build_folder() + "/tests/unit_slot_packs/example.so"));
  EXPECT_EQ(pack.hash.size(), 32U);
}

TEST_F(JobSources, AreSortedUniqueAndNamedFromTheWorkingDirectory) {
  write("bench.py", "x");
  g_told = {
      {"word", "bench.py", "bench.py"},           {"program", "true", "/bin/true"},
      {"word", "bench.py", "bench.py"},           {"module", "bench", (folder_ / "bench.py").string()},
      {"word", "./bench.py", "./bench.py"},       {"program", "gone", ""},
      {"package", "nowhere", "/nowhere/METADATA"}};
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_EQ(ran.body.software(), "identity");
  const auto all = lines();
  ASSERT_EQ(all.size(), 6U) << worker_.sources;
  EXPECT_EQ(all[0], line("module", "bench", "./bench.py", "x"));
  EXPECT_EQ(all[1], (SourceLine{"package", "nowhere", "/nowhere/METADATA", 0, ""}));
  EXPECT_EQ(all[2], (SourceLine{"program", "gone", "", 0, ""}));
  EXPECT_EQ(all[3].path, "/bin/true");
  EXPECT_EQ(all[3].bytes, files::file_size("/bin/true"));
  EXPECT_EQ(all[4], line("word", "./bench.py", "./bench.py", "x"));
  EXPECT_EQ(all[5], line("word", "bench.py", "./bench.py", "x"));
  g_told.clear();
  run("twice");
  EXPECT_THAT(lines(), IsEmpty()) << "those of the job before";
}

TEST_F(JobSources, OfRolesThatAreNotThePacksAreIgnored) {
  write("a", "x");
  g_told = {{"pack", "gemm", "a"}, {"depends", "a", "a"}, {"variable", "PATH", "a"}, {"", "a", "a"}};
  run("twice");
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(JobSources, ThatNobodyKnowsKeepTheResultFromLaterSweeps) {
  g_told = {{"unknown", "make", ""}};
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_THAT(lines(), ElementsAre(SourceLine{"closed", "what `make` runs", "", 0, ""}));
  EXPECT_EQ(ran.body.notes_size(), 1);
}

TEST_F(JobSources, AreToldOfJobsThatFailToo) {
  write("a", "x");
  g_told = {{"word", "a", "a"}};
  EXPECT_EQ(run("vain").outcome, Outcome::failed_setup);
  EXPECT_THAT(lines(), ElementsAre(line("word", "a", "./a", "x")));
  EXPECT_EQ(run("ends_badly").outcome, Outcome::failed_run);
  EXPECT_THAT(lines(), ElementsAre(line("word", "a", "./a", "x")));
  const Ran none = run("nobody");
  EXPECT_EQ(none.outcome, Outcome::failed_setup);
  EXPECT_EQ(none.body.software(), "identity");
}

TEST_F(JobSources, ThatChangeWhileAJobIsMeasuredMakeItDoubtful) {
  write("a", "old");
  write("b", "same");
  g_told = {{"program", "the program", "a"}, {"word", "b", "b"}};
  g_on_run = [this] {
    write("a", "new");
    write("b", "same");  // another time, the same content
  };
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_THAT(ran.doubts(), ElementsAre("the program changed while it was measured"));
  EXPECT_THAT(lines(), testing::Contains(line("program", "the program", "./a", "old")))
      << "what it began with";
  g_on_run = nullptr;
  EXPECT_THAT(run("twice").doubts(), IsEmpty());
  EXPECT_THAT(lines(), testing::Contains(line("program", "the program", "./a", "new")))
      << "with the next job it is another one";
  g_on_run = [this] { files::remove(folder_ / "b"); };
  EXPECT_THAT(run("twice").doubts(), ElementsAre("b changed while it was measured"));
}

TEST_F(JobSources, HoldWhatAProgramIsLinkedWith) {
  write("interpreter", "one");
  write("script", "#!./interpreter\n");
  g_told = {{"word", "script", "./script"}};
  const auto linked = [](const std::string& text) {
    return line("linked", "./interpreter", "./interpreter", text);
  };
  run("twice");
  EXPECT_THAT(all_lines(), testing::Contains(linked("one")));
  write("interpreter", "two");
  run("twice");
  EXPECT_THAT(all_lines(), testing::Contains(linked("two")));
  EXPECT_THAT(all_lines(), testing::Not(testing::Contains(linked("one"))));
}

TEST_F(JobSources, SayThatALibraryWasOpenedAndClosedInCalls) {
  files::copy_file(build_folder() + "/tests/unit_slot_packs/example.so", folder_ / "libclosed.so");
  g_on_run = [this] {
    void* const library = dlopen((folder_ / "libclosed.so").c_str(), RTLD_NOW);
    if (library) dlclose(library);
  };
  run("twice");
  ASSERT_THAT(lines(), testing::SizeIs(1));
  EXPECT_EQ(lines().front().role, "closed");
  g_on_run = nullptr;
  run("twice");
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(JobSources, ThatAreLoadedForGoodAreThoseThatWereLoaded) {
  write("m.py", "old");
  g_told = {{"module", "m", "m.py"}};
  run("twice");
  EXPECT_FALSE(runner_->is_stale());
  write("m.py", "newer");
  EXPECT_TRUE(runner_->is_stale()) << "what is loaded is no longer what is there";
  const Ran ran = run("twice");
  EXPECT_THAT(lines(), ElementsAre(line("module", "m", "./m.py", "old")));
  EXPECT_THAT(ran.doubts(), ElementsAre("m changed while it was measured"));
  files::remove(folder_ / "m.py");
  EXPECT_FALSE(runner_->is_stale()) << "nothing else is there";
}

TEST_F(JobSources, HoldWhatTheSweepDependsOn) {
  write("data.bin", "12345");
  files::create_directory(folder_ / "sub");
  plan_.add_depends("data.bin");
  plan_.add_depends("./sub/../data.bin");
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  EXPECT_THAT(lines(), ElementsAre(line("depends", "./sub/../data.bin", "./data.bin", "12345"),
                                   line("depends", "data.bin", "./data.bin", "12345")));
  g_on_run = [this] { write("data.bin", "54321"); };
  EXPECT_THAT(run("twice").doubts(), testing::Contains("data.bin changed while it was measured"));
}

TEST_F(JobSources, ThatAreMissingEndTheJobBeforeItBegins) {
  plan_.add_depends("no such file");
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
  EXPECT_THAT(ran.body.reason(), testing::HasSubstr(folder_.string()));
  EXPECT_THAT(lines(), ElementsAre(SourceLine{"depends", "no such file", "./no such file", 0, ""}));
  plan_.set_depends(0, folder_.string());
  EXPECT_THAT(run("twice").body.reason(), IsGolden());
}

TEST_F(JobSources, HoldTheFilesOfOperands) {
  write("x.npy", "numbers");
  run("twice", {{"n", 4}, {"input.x", "x.npy"}});
  EXPECT_THAT(lines(), ElementsAre(line("input", "x", "./x.npy", "numbers")));
  run("twice", {{"n", 4}, {"input.x", "uniform(0, 1)"}});
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(JobSources, HoldTheFileThatTheLoaderOpenedForALibrary) {
  run("twice", {{"n", 4}, {"blas.library", "libc.so.6"}, {"other", "libm.so.6"}});
  const auto all = lines();
  ASSERT_EQ(all.size(), 1U) << worker_.sources;
  EXPECT_EQ(all[0].role, "library");
  EXPECT_EQ(all[0].name, "libc.so.6");
  EXPECT_TRUE(all[0].path.starts_with("/")) << all[0].path;
  EXPECT_EQ(all[0].bytes, files::file_size(all[0].path));
  run("twice", {{"n", 4}, {"blas.library", "libnobody.so.9"}});
  EXPECT_THAT(lines(), IsEmpty()) << "it is not loaded";
}

TEST_F(JobSources, HoldTheSweepsOwnVariablesThatDecideWhatANameMeans) {
  SlotPlace place{1, "0-1", 1 << 20};
  place.environment = {{"LD_LIBRARY_PATH", "/a:/b"}, {"OMP_DYNAMIC", "true"}, {"PATH", "/bin"}};
  runner_.emplace(pack_, telling(), place, worker_);
  write("a", "x");
  for (const bool tells : {false, true}) {
    if (tells) g_told = {{"word", "a", "a"}};
    run("twice");
    EXPECT_THAT(lines(), testing::Contains(SourceLine{"variable", "LD_LIBRARY_PATH", "/a:/b", 0, ""}));
    EXPECT_THAT(lines(), testing::Contains(SourceLine{"variable", "PATH", "/bin", 0, ""}));
    EXPECT_EQ(lines().size(), tells ? 3U : 2U);
  }
}

}  // namespace
}  // namespace kernsweep::testing_slot
