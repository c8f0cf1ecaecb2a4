// Families that several packs have.
#include "worker/catalogue.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

wire::Catalogue pack(const std::string& file, const std::vector<std::string>& variants,
                     const std::string& parameter = "n") {
  wire::Catalogue described;
  wire::Family& family = *described.add_families();
  family.set_name("stream");
  family.set_pack(file);
  family.set_version(file + " 1");
  wire::Param& param = *family.add_params();
  param.set_name(parameter);
  param.set_kind("integer");
  for (const std::string& name : variants) family.add_variants()->set_name(name);
  return described;
}

TEST(Catalogue, ALaterPackAddsItsVariantsToAFamily) {
  wire::Catalogue catalogue;
  add_families(pack("cpu.so", {"loop", "naive"}), catalogue);
  add_families(pack("gpu.so", {"cuda", "naive"}), catalogue);
  ASSERT_EQ(catalogue.families_size(), 1);
  EXPECT_EQ(catalogue.families(0).version(), "cpu.so 1");
  ASSERT_EQ(catalogue.families(0).variants_size(), 3);
  EXPECT_EQ(pack_with(catalogue, "stream", "loop"), "cpu.so");
  EXPECT_EQ(pack_with(catalogue, "stream", "cuda"), "gpu.so");
  EXPECT_EQ(pack_with(catalogue, "stream", "naive"), "cpu.so") << "the first one's counts";
  EXPECT_EQ(pack_with(catalogue, "stream", ""), "cpu.so");
  EXPECT_EQ(pack_with(catalogue, "stream", "nowhere"), "cpu.so") << "which says so itself";
  EXPECT_EQ(pack_with(catalogue, "gemm", "naive"), std::nullopt);
}

TEST(Catalogue, AFamilyOfOtherParametersIsAnotherOneAndTheFirstCounts) {
  wire::Catalogue catalogue;
  add_families(pack("mine.so", {"loop"}), catalogue);
  add_families(pack("theirs.so", {"fast"}, "m"), catalogue);
  ASSERT_EQ(catalogue.families(0).variants_size(), 1);
  EXPECT_EQ(pack_with(catalogue, "stream", "fast"), "mine.so");
}

}  // namespace
}  // namespace kernsweep
