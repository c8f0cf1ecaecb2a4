#include "worker/slot/job/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "shared/base/value.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/protocol.pb.h"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/parameter_kinds.hpp"

namespace kernsweep {
namespace {

using testing::IsEmpty;

wire::JobBody body_of(const std::vector<Value>& values) {
  wire::JobBody body;
  for (const Value& value : values) encode(value, *body.add_values());
  return body;
}

// A family with `family_docs`, and a variant of it with `variant_docs`.
struct Kernel {
  std::vector<ks_param_doc> family_docs, variant_docs;
  bool any_params = false;

  Binding bind(const std::vector<std::string>& columns) const {
    ks_family family{};
    family.params = family_docs.data();
    family.param_count = family_docs.size();
    family.any_params = any_params;
    ks_variant variant{};
    variant.params = variant_docs.data();
    variant.param_count = variant_docs.size();
    return Binding(family, variant, columns);
  }
  // The canonical text of what a job with these values becomes, or the refusal.
  std::string filled(const std::vector<std::string>& columns, const std::vector<Value>& values) const {
    const Binding binding = bind(columns);
    const wire::JobBody body = body_of(values);
    ParamSet params;
    const Status status = binding.fill(body, params);
    return status ? params.text() : status.error().message;
  }
};

const Kernel kGemm = {{{"m", KS_INTEGER, nullptr, nullptr, ""},
                       {"alpha", KS_FLOAT, "1", nullptr, ""},
                       {"layout", KS_TEXT, "nchw", nullptr, ""},
                       {"exact", KS_BOOLEAN, "false", nullptr, ""}},
                      {{"tile", KS_INTEGER, "", nullptr, ""}}};

TEST(Binding, FillsInDefaultsAndSortsByName) {
  EXPECT_EQ(kGemm.filled({"m"}, {64}), "alpha=f1.0 exact=b0 layout=s4:nchw m=i64");
  EXPECT_EQ(kGemm.filled({"tile", "m", "exact", "alpha", "layout"}, {8, 64, true, 0.5, "nhwc"}),
            "alpha=f0.5 exact=b1 layout=s4:nhwc m=i64 tile=i8");
}

TEST(Binding, NullIsNotSet) {
  EXPECT_EQ(kGemm.filled({"m", "alpha", "tile"}, {64, Null{}, Null{}}),
            "alpha=f1.0 exact=b0 layout=s4:nchw m=i64");
  EXPECT_THAT(kGemm.filled({"m"}, {Null{}}), IsGolden());
}

TEST(Binding, ARequiredParameterWithoutAColumnIsNamed) {
  const std::string message = kGemm.filled({"n"}, {64});
  EXPECT_THAT(message, IsGolden());
}

TEST(Binding, ABodyThatIsTooShortIsAsIfNotSet) {
  EXPECT_THAT(kGemm.filled({"alpha", "m"}, {0.5}), IsGolden());
}

TEST(Binding, AnIntegerStandsForAFloatButNothingElseConverts) {
  EXPECT_EQ(kGemm.filled({"m", "alpha"}, {64, 3}), "alpha=f3.0 exact=b0 layout=s4:nchw m=i64");
  EXPECT_THAT(kGemm.filled({"m"}, {64.0}), IsGolden());
  EXPECT_THAT(kGemm.filled({"m"}, {"64"}), IsGolden());
  EXPECT_THAT(kGemm.filled({"m"}, {true}), IsGolden());
  EXPECT_THAT(kGemm.filled({"m", "exact"}, {64, 1}), IsGolden());
  EXPECT_THAT(kGemm.filled({"m", "layout"}, {64, 1}), IsGolden());
}

TEST(Binding, AgreesWithTheCheckOnEverySortOfValue) {
  const std::map<std::string, ks_kind> kinds = {{"integer", KS_INTEGER},
                                                {"float", KS_FLOAT},
                                                {"boolean", KS_BOOLEAN},
                                                {"text", KS_TEXT},
                                                {"any", KS_NULL}};
  for (const KindCase& each : kKindCases) {
    const std::string written = each.written;
    const bool quoted = written.front() == '"';
    const Value value = quoted ? Value(written.substr(1, written.size() - 2)) : value_of_scalar(written);
    const Kernel kernel = {{{"p", kinds.at(each.kind), "", nullptr, ""}}, {}};
    const std::string told = kernel.filled({"p"}, {value});
    EXPECT_EQ(told.find("must be") == std::string::npos, each.taken)
        << each.kind << " " << written << ": " << told;
  }
}

TEST(Binding, AKindThatThePackInventedIsNoCrash) {
  const Kernel kernel = {{{"x", static_cast<ks_kind>(6), nullptr, nullptr, ""}}, {}};
  EXPECT_THAT(kernel.filled({"x"}, {1}), IsGolden());
}

TEST(Binding, GivesPacksNumbersInBothForms) {
  const Binding binding = kGemm.bind({"m", "alpha"});
  const wire::JobBody body = body_of({64, 3});
  ParamSet params;
  ASSERT_TRUE(binding.fill(body, params));
  const ks_params view = params.view();
  ASSERT_EQ(view.count, 4u);
  EXPECT_STREQ(view.items[0].name, "alpha");
  EXPECT_EQ(view.items[0].kind, KS_FLOAT);
  EXPECT_EQ(view.items[0].real, 3.0);
  EXPECT_STREQ(view.items[3].name, "m");
  EXPECT_EQ(view.items[3].integer, 64);
  EXPECT_EQ(view.items[3].real, 64.0);
  for (std::size_t i = 0; i < view.count; ++i) EXPECT_NE(view.items[i].text, nullptr);
}

TEST(Binding, DefaultsOfAnyKindHaveTheKindThatTheyAreWrittenIn) {
  const Kernel kernel = {{{"a", KS_NULL, "5", nullptr, ""},
                          {"b", KS_NULL, "0.5", nullptr, ""},
                          {"c", KS_NULL, "true", nullptr, ""},
                          {"d", KS_NULL, "words", nullptr, ""},
                          {"e", KS_NULL, "", nullptr, ""},
                          {"f", KS_TEXT, "12", nullptr, ""},
                          {"g", KS_FLOAT, "1e-3", nullptr, ""}},
                         {}};
  EXPECT_EQ(kernel.filled({}, {}), "a=i5 b=f0.5 c=b1 d=s5:words f=s2:12 g=f0.001");
  EXPECT_EQ(kernel.filled({"a", "e"}, {"x", 7}), "a=s1:x b=f0.5 c=b1 d=s5:words e=i7 f=s2:12 g=f0.001");
}

TEST(Binding, OtherColumnsReachOnlyAFamilyThatTakesAny) {
  const std::vector<std::string> columns = {"m",     "note",     "variant", "threads", "label",
                                            "count", "env.PATH", "input.a", ""};  // a derived column
  const std::vector<Value> values = {64, "hi", "naive", 4, "mine", 2, "/bin", "kaiming", 128};
  EXPECT_EQ(kGemm.filled(columns, values), "alpha=f1.0 exact=b0 layout=s4:nchw m=i64");
  Kernel open = kGemm;
  open.any_params = true;
  EXPECT_EQ(open.filled(columns, values), "alpha=f1.0 exact=b0 layout=s4:nchw m=i64 note=s2:hi");
}

TEST(Binding, AReservedNameThatIsDeclaredIsAParameter) {
  const Kernel kernel = {{{"count", KS_INTEGER, nullptr, nullptr, ""}}, {}};
  EXPECT_EQ(kernel.filled({"count"}, {3}), "count=i3");
}

TEST(Binding, KnowsTheReservedNames) {
  for (const char* name : {"variant", "threads", "label", "count", "env.X", "env.", "input.a"}) {
    EXPECT_TRUE(is_kept_from_kernels(name)) << name;
  }
  for (const char* name : {"variants", "thread", "envX", "inputs", "m", ""}) {
    EXPECT_FALSE(is_kept_from_kernels(name)) << name;
  }
}

// A cached reference is found by this text: two points must never share it by the way their values are
// written.
TEST(ParamText, TellsKindsAndSpacesApart) {
  Kernel open;
  open.any_params = true;
  EXPECT_NE(open.filled({"a"}, {"1"}), open.filled({"a"}, {1}));
  EXPECT_NE(open.filled({"a"}, {1.0}), open.filled({"a"}, {1}));
  EXPECT_NE(open.filled({"a"}, {"true"}), open.filled({"a"}, {true}));
  EXPECT_NE(open.filled({"a"}, {"1 b=s1:2"}), open.filled({"a", "b"}, {"1", "2"}));
}

TEST(ParamText, OfNothingIsEmpty) {
  EXPECT_THAT(Kernel().filled({}, {}), IsEmpty());
}

TEST(Binding, SurvivesAMoveWithItsDefaults) {
  std::map<int, Binding> kept;
  kept.emplace(1, kGemm.bind({"m"}));
  for (int i = 2; i < 50; ++i) kept.emplace(i, kGemm.bind({"m"}));
  ParamSet params;
  const wire::JobBody body = body_of({64});
  ASSERT_TRUE(kept.at(1).fill(body, params));
  EXPECT_EQ(params.text(), "alpha=f1.0 exact=b0 layout=s4:nchw m=i64");
}

}  // namespace
}  // namespace kernsweep
