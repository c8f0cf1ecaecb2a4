#include "worker/slot/pack/loaded_libraries.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "shared/base/content_hash.hpp"
#include "tests/golden_text/places.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/pack/software.hpp"

namespace kernsweep {
namespace {

namespace files = std::filesystem;

std::vector<LoadedLibrary> loaded_now() {
  FileHashes hashes;
  return loaded_libraries(hashes);
}

const LoadedLibrary* named(const std::vector<LoadedLibrary>& all, const std::string& file) {
  const auto found = std::ranges::find_if(
      all, [&](const LoadedLibrary& each) { return files::path(each.path).filename() == file; });
  return found == all.end() ? nullptr : &*found;
}

// A copy of a pack under a name of its own, so that no other test has loaded it.
class Copied {
 public:
  explicit Copied(const std::string& name) {
    std::string pattern = (files::temp_directory_path() / "kernsweep-loaded-XXXXXX").string();
    if (!mkdtemp(pattern.data())) std::abort();
    folder_ = files::canonical(pattern);
    files::copy_file(build_folder() + "/tests/unit_slot_packs/example.so", folder_ / name);
    path_ = (folder_ / name).string();
  }
  ~Copied() {
    std::error_code error;
    files::remove_all(folder_, error);
  }
  Copied(const Copied&) = delete;
  Copied& operator=(const Copied&) = delete;
  const std::string& path() const { return path_; }
  std::string link(const std::string& name) const {
    files::create_symlink(path_, folder_ / name);
    return (folder_ / name).string();
  }

 private:
  files::path folder_;
  std::string path_;
};

// Opens `name` in a working folder that is left again before libraries are listed.
void* opened_in(const files::path& folder, const std::string& name) {
  const files::path before = files::current_path();
  files::current_path(folder);
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  files::current_path(before);
  return handle;
}

TEST(LoadedLibraries, HoldThoseThatWereOpenedByARelativePath) {
  const Copied plain("relative_plain.so"), turned("relative_turned.so");
  const files::path folder = files::path(plain.path()).parent_path(),
                    other = files::path(turned.path()).parent_path();
  files::create_directory(other / "sub");
  ASSERT_TRUE(opened_in(folder, "./relative_plain.so")) << dlerror();
  ASSERT_TRUE(opened_in(other, "sub/../relative_turned.so")) << dlerror();
  const auto all = loaded_now();
  for (const Copied* copied : {&plain, &turned}) {
    const LoadedLibrary* const found = named(all, files::path(copied->path()).filename());
    ASSERT_TRUE(found) << copied->path();
    EXPECT_EQ(found->path, copied->path());
    EXPECT_TRUE(found->content);
  }
}

TEST(LoadedLibraries, HoldThoseOfOtherNamespaces) {
#ifdef KERNSWEEP_SANITIZED
  GTEST_SKIP() << "a sanitizer is not in other namespaces";
#endif
  const Copied library("libapart.so");
  void* const handle = dlmopen(LM_ID_NEWLM, library.path().c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto now = loaded_now();
  const LoadedLibrary* const found = named(now, "libapart.so");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->content);
  EXPECT_EQ(std::ranges::count(now, named(now, "libc.so.6")->path, &LoadedLibrary::path), 1);
  dlclose(handle);
}

TEST(LoadedLibraries, HoldNoContentOfOneThatWasRemoved) {
  const Copied gone("relative_gone.so");
  ASSERT_TRUE(opened_in(files::path(gone.path()).parent_path(), "./relative_gone.so")) << dlerror();
  files::remove(gone.path());
  const auto all = loaded_now();
  const LoadedLibrary* const found = named(all, "relative_gone.so (deleted)");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->content);
}

TEST(LoadedLibraries, HoldTheCLibraryByItsRealPathNameAndContent) {
  const auto all = loaded_now();
  const auto libc = std::ranges::find(all, "libc.so.6", &LoadedLibrary::soname);
  ASSERT_NE(libc, all.end());
  EXPECT_EQ(libc->path, files::canonical(libc->path).string());
  EXPECT_EQ(libc->bytes, files::file_size(libc->path));
  EXPECT_TRUE(libc->content);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &LoadedLibrary::path));
  for (const LoadedLibrary& each : all) EXPECT_EQ(each.path.front(), '/') << each.path;
}

TEST(LoadedLibraries, LinksAreFollowedToWhatWasLoaded) {
  const Copied file("libreal-1.2.3.so");
  const std::uint64_t before = loader_changes();
  void* const handle = dlopen(file.link("libfake.so.9").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_NE(loader_changes(), before);
  const auto all = loaded_now();
  EXPECT_EQ(named(all, "libfake.so.9"), nullptr);
  const LoadedLibrary* const real = named(all, "libreal-1.2.3.so");
  ASSERT_NE(real, nullptr);
  EXPECT_EQ(real->version, "1.2.3");
  EXPECT_EQ(real->bytes, files::file_size(file.path()));
  dlclose(handle);
  EXPECT_EQ(named(loaded_now(), "libreal-1.2.3.so"), nullptr);
}

TEST(LoadedLibraries, AreHashedOnceForEachFile) {
  FileHashes hashes;
  const auto first = loaded_libraries(hashes);
  const auto libc = std::ranges::find(first, "libc.so.6", &LoadedLibrary::soname);
  ASSERT_NE(libc, first.end());
  const Digest planted = digest_of("planted");
  std::vector<FileStamp> stamps;
  for (const auto& [stamp, hash] : hashes.remembered())
    if (hash == *libc->content) stamps.push_back(stamp);
  ASSERT_FALSE(stamps.empty());
  for (const FileStamp& stamp : stamps) hashes.learn(stamp, planted);
  const auto again = loaded_libraries(hashes);
  EXPECT_EQ(std::ranges::find(again, "libc.so.6", &LoadedLibrary::soname)->content, planted)
      << "what is known is not read again";
  EXPECT_EQ(loaded_now().size(), first.size());
}

TEST(LoadedLibraries, WhoseFileIsGoneAreListedWithoutContent) {
  auto file = std::make_unique<Copied>("libgone.so");
  void* const handle = dlopen(file->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  file.reset();
  const auto all = loaded_now();
  const LoadedLibrary* const gone = named(all, "libgone.so");
  ASSERT_NE(gone, nullptr);
  EXPECT_FALSE(gone->content);
  EXPECT_EQ(gone->bytes, 0U);
  dlclose(handle);
}

TEST(LoadedLibraries, AreOneLineEachWithDashesForWhatIsMissing) {
  const Digest content = digest_of("x");
  EXPECT_EQ(text_of({{"/a.so", "a.so.1", "1.2", "0ab1", 12, content}, {"/b.so", "", "", "", 0, {}}}),
            "/a.so\ta.so.1\t1.2\t12\t" + content.hex() + "\t0ab1\n/b.so\t-\t-\t0\t-\t-");
  EXPECT_EQ(text_of(std::vector<LoadedLibrary>{}), "");
}

TEST(LoadedLibraries, VersionComesFromTheNameOfTheFile) {
  EXPECT_EQ(version_in_name("libgomp.so.1.0.0"), "1.0.0");
  EXPECT_EQ(version_in_name("libopenblasp-r0.3.21.so"), "0.3.21");
  EXPECT_EQ(version_in_name("libfoo-2.31.so"), "2.31");
  EXPECT_EQ(version_in_name("libc.so.6"), "6");
  for (const char* none :
       {"libfoo.so", "libfoo-bar.so", "libfoo", "", "libfoo.so.", "libfoo.so.1a", "x-.so"})
    EXPECT_EQ(version_in_name(none), "") << none;
}

TEST(ThreadEnvironment, HoldsOnlyWhatThreadLibrariesRead) {
  const char* const variables[] = {
      "PATH=/bin",          "OMP_NUM_THREADS=2", "HOME=/home/somebody", "MKL_NUM_THREADS=2",
      "BLIS_ARCH_TYPE=skx", "XOMP_X=1",          "AWS_SECRET=x",        nullptr};
  EXPECT_EQ(thread_environment(variables), "BLIS_ARCH_TYPE=skx\nMKL_NUM_THREADS=2\nOMP_NUM_THREADS=2");
  const char* const forged[] = {"OMP_PLACES=a\nOMP_NUM_THREADS=9", nullptr};
  EXPECT_EQ(thread_environment(forged), "OMP_PLACES=a\\nOMP_NUM_THREADS=9");
  EXPECT_EQ(thread_environment(nullptr), "");
}

TEST(SoftwareWatch, TellsAgainOnlyWhenSomethingWasLoaded) {
  const std::string path = build_folder() + "/tests/unit_slot_packs/example.so";
  const auto pack = Pack::open(path);
  ASSERT_TRUE(pack) << pack.error().message;
  FileHashes hashes;
  SoftwareWatch watch(*pack, path, hashes);
  EXPECT_TRUE(watch.look(""));
  const std::string first = watch.software().identity();
  EXPECT_EQ(first.size(), 16U);
  EXPECT_EQ(watch.software().pack(), "example");
  EXPECT_FALSE(watch.software().compiler().empty());
  EXPECT_FALSE(watch.software().git().empty());
  EXPECT_THAT(watch.software().libraries(), testing::HasSubstr("example.so"));
  EXPECT_FALSE(watch.look(""));

  const Copied file("libmore.so");
  void* const handle = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_TRUE(watch.look(""));
  EXPECT_NE(watch.software().identity(), first);
  EXPECT_THAT(watch.software().libraries(), testing::HasSubstr("libmore.so"));
  dlclose(handle);
  EXPECT_FALSE(watch.look("")) << "that was told";
  EXPECT_EQ(watch.software().identity(), first) << "what is loaded now is what was loaded first";
}

TEST(SoftwareWatch, TellsEachSetOfSourcesOnceHoweverJobsAlternate) {
  const std::string path = build_folder() + "/tests/unit_slot_packs/example.so";
  const auto pack = Pack::open(path);
  ASSERT_TRUE(pack) << pack.error().message;
  FileHashes hashes;
  SoftwareWatch watch(*pack, path, hashes);
  EXPECT_TRUE(watch.look("a"));
  const std::string with_a = watch.software().identity();
  EXPECT_EQ(watch.software().sources(), "a");
  EXPECT_GT(watch.software().contents_size(), 0);
  EXPECT_TRUE(watch.look("b"));
  EXPECT_NE(watch.software().identity(), with_a) << "another file is another software";
  EXPECT_EQ(watch.software().contents_size(), 0) << "nothing was hashed since";
  EXPECT_FALSE(watch.look("a"));
  EXPECT_EQ(watch.software().identity(), with_a);
  EXPECT_FALSE(watch.look("b"));
  EXPECT_FALSE(watch.look("b"));
}

}  // namespace
}  // namespace kernsweep
