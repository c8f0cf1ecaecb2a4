#include <dlfcn.h>
#include <gtest/gtest.h>

#include "worker/host/gpu/driver_library.hpp"

namespace kernsweep {
namespace {

// A library of glibc that nothing here is linked with.
constexpr const char* kLibrary = "libanl.so.1";

TEST(LoadedDriver, IsFoundOnceSomethingElseHasLoadedIt) {
  if (DriverLibrary::loaded(kLibrary).is_open()) GTEST_SKIP() << kLibrary << " is loaded already";
  EXPECT_FALSE(DriverLibrary::loaded(kLibrary).is_open());
  ASSERT_NE(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  EXPECT_TRUE(DriverLibrary::loaded(kLibrary).is_open());
  EXPECT_TRUE(DriverLibrary::loaded(kLibrary).is_open());
}

}  // namespace
}  // namespace kernsweep
