#include "worker/slot/pack/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "shared/wire/protocol.pb.h"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep {
namespace {

using testing::ElementsAre;

std::string path_of(const std::string& name) {
  return build_folder() + "/tests/unit_slot_packs/" + name + ".so";
}

std::string refusal_to_open(const std::string& path) {
  const auto pack = Pack::open(path);
  EXPECT_FALSE(pack) << path;
  return pack ? "" : pack.error().message;
}

TEST(PackOpen, FindsFamiliesAndVariantsByName) {
  const auto pack = Pack::open(path_of("example"));
  ASSERT_TRUE(pack) << pack.error().message;
  EXPECT_STREQ(pack->description().name, "example");
  const ks_family* const family = pack->family("example");
  ASSERT_NE(family, nullptr);
  EXPECT_EQ(pack->family("exampl"), nullptr);
  EXPECT_EQ(pack->family(""), nullptr);
  EXPECT_THAT(variant_names(*family), ElementsAre("plain", "tiled", "rude"));
  ASSERT_NE(variant_of(*family, "tiled"), nullptr);
  EXPECT_STREQ(variant_of(*family, "tiled")->name, "tiled");
  EXPECT_EQ(variant_of(*family, "Tiled"), nullptr);
  EXPECT_TRUE(variant_names(*pack->family("empty")).empty());
}

TEST(PackOpen, AcceptsItsOwnMajorVersionAndOlderMinorOnes) {
  for (const char* name : {"same_version", "older_minor", "oldest_minor"})
    EXPECT_TRUE(Pack::open(path_of(name))) << name;
  for (const char* name : {"newer_minor", "newer_major", "older_major"}) {
    const std::string message = refusal_to_open(path_of(name));
    EXPECT_THAT(message, IsGolden()) << name;
  }
}

TEST(PackOpen, SaysWhyWithAPackThatRefuses) {
  EXPECT_THAT(refusal_to_open(path_of("refusing")), IsGolden());
}

TEST(PackOpen, SaysThatASharedObjectIsNoPack) {
  const std::string message = refusal_to_open(path_of("mute"));
  EXPECT_THAT(message, IsGolden());
  EXPECT_THAT(message, IsGolden());
}

TEST(PackOpen, SaysWhatCannotBeLoaded) {
  EXPECT_THAT(refusal_to_open(path_of("missing")), IsGolden());
  const std::string text =
      testing::TempDir() + "kernsweep_unit_slot_text_" + std::to_string(getpid()) + ".so";
  std::ofstream(text) << "not a shared object\n";
  EXPECT_THAT(refusal_to_open(text), IsGolden());
  std::remove(text.c_str());
}

wire::Catalogue described(bool probe, const std::string& name = "example") {
  const auto pack = Pack::open(path_of(name));
  KS_ASSERT(pack.has_value());
  wire::Catalogue catalogue;
  describe(*pack, "example.so", probe, catalogue);
  return catalogue;
}

TEST(PackDescribe, TellsFamiliesParametersAndVariants) {
  const wire::Catalogue catalogue = described(false);
  ASSERT_EQ(catalogue.families_size(), 2);
  const wire::Family& family = catalogue.families(0);
  EXPECT_EQ(family.name(), "example");
  EXPECT_EQ(family.reference(), "plain");
  EXPECT_TRUE(family.any_params());
  EXPECT_EQ(family.pack(), "example.so");
  EXPECT_EQ(family.version(), "1.2");
  EXPECT_EQ(family.build(), "") << "the pack gives none";
  ASSERT_EQ(family.params_size(), 2);
  EXPECT_EQ(family.params(0).kind(), "integer");
  EXPECT_TRUE(family.params(0).required());
  EXPECT_EQ(family.params(1).fallback(), "nchw");
  EXPECT_EQ(family.params(1).choices(), "nchw|nhwc");
  EXPECT_FALSE(family.params(1).required());
  ASSERT_EQ(family.variants_size(), 3);
  ASSERT_EQ(family.variants(1).params_size(), 3);
  EXPECT_EQ(family.variants(1).params(0).kind(), "any");
  EXPECT_FALSE(family.variants(1).params(0).required()) << "optional without default";
  EXPECT_EQ(family.variants(1).params(1).kind(), "boolean");
  EXPECT_EQ(family.variants(1).params(2).kind(), "float");
  EXPECT_EQ(catalogue.families(1).variants_size(), 0);
}

TEST(PackDescribe, TellsWhatIsPartOfTheProblem) {
  const wire::Catalogue catalogue = described(false);
  const wire::Family& family = catalogue.families(0);
  EXPECT_TRUE(family.params(0).problem()) << "m: no setting of the family";
  ASSERT_TRUE(family.params(1).has_problem());
  EXPECT_FALSE(family.params(1).problem()) << "layout";
  const auto& own = family.variants(1).params();
  ASSERT_TRUE(own[0].has_problem());
  EXPECT_FALSE(own[0].problem()) << "tile: of a variant, so a setting";
  EXPECT_TRUE(own[1].problem()) << "exact: the variant says so";
  ASSERT_EQ(catalogue.broken_size(), 3)
      << "the setting 'lay' is no parameter, 'b' is constant and not, 'flop' is no number of work";
  EXPECT_THAT(catalogue.broken(0), IsGolden());
  EXPECT_THAT(catalogue.broken(1), IsGolden());
  EXPECT_THAT(catalogue.broken(2), IsGolden());
}

// A pack that was built for version 1.4 has no such members: what lies in their place is not looked at.
TEST(PackDescribe, OfAnOlderPackItIsNotKnown) {
  const wire::Catalogue catalogue = described(false, "example_1_4");
  ASSERT_EQ(catalogue.families_size(), 2);
  EXPECT_EQ(catalogue.broken_size(), 0);
  const wire::Family& family = catalogue.families(0);
  for (const auto& param : family.params()) EXPECT_FALSE(param.has_problem()) << param.name();
  for (const auto& param : family.variants(1).params()) EXPECT_FALSE(param.has_problem()) << param.name();
}

TEST(PackDescribe, ComparesTheIndexOfTheFileWithTheFamilies) {
  const wire::Catalogue right = described(false), wrong = described(false, "wrong_index");
  ASSERT_EQ(wrong.broken_size(), right.broken_size() + 2) << "'empty' is missing, 'other' is too much";
  EXPECT_THAT(wrong.broken(0), IsGolden());
  EXPECT_THAT(wrong.broken(1), IsGolden());
}

TEST(PackDescribe, AsksVariantsOnlyWhenProbing) {
  const wire::Catalogue unasked = described(false);
  for (const auto& variant : unasked.families(0).variants()) EXPECT_EQ(variant.unavailable(), "");
  const wire::Catalogue probed = described(true);
  EXPECT_EQ(probed.families(0).variants(0).unavailable(), "") << "cannot be asked: always there";
  EXPECT_EQ(probed.families(0).variants(1).unavailable(), "no such device");
  EXPECT_EQ(probed.families(0).variants(2).unavailable(), "no reason given");
}

// Protocol Buffers refuse a message with text that is no UTF-8: the catalogue of every other pack would be
// lost.
TEST(PackDescribe, TextThatIsNoUtf8DoesNotSpoilTheCatalogue) {
  const wire::Catalogue sent = described(false);
  wire::Catalogue received;
  ASSERT_TRUE(received.ParseFromString(sent.SerializeAsString()));
  EXPECT_EQ(received.families(0).variants(0).summary(), "caf\xEF\xBF\xBD");
}

}  // namespace
}  // namespace kernsweep
