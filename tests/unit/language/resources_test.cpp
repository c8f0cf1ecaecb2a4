// What a job gets of its host: `threads`, `copies`, `device`, `gpus`.
#include <gmock/gmock.h>

#include "language/check/catalogue_check.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

std::string error_of_resources(const std::string& rest) {
  CatalogueFamily family;
  family.name = "gemm";
  family.variants = {{"naive", {}, true, ""}, {"cuda", {}, true, "", "gpu"}};
  family.has_reference = true;
  const auto e = expansion_of(rest);
  const auto good = check_against(e.sweep(), e, Catalogue{{family}});
  return good ? "" : good.error().message;
}

TEST(Resources, WholeNumbersFromOneAreGood) {
  EXPECT_EQ(error_of_resources("axes: {variant: naive, threads: [1, 64, null], copies: [null, 1, 1024]}"),
            "");
  EXPECT_EQ(
      error_of_resources("axes: {variant: naive, threads: [1, 2, 4]}\nderive: {copies: 4 // threads}"), "");
}

TEST(Resources, OtherValuesAreErrorsWithTheirPlaceAndPoint) {
  for (const char* column : {"threads", "copies"})
    for (const char* value : {"0", "-1", "2.5", "two", "true", "1048577", "'2', '3'"})
      EXPECT_THAT(
          error_of_resources("axes: {variant: naive, " + std::string(column) + ": [1, " + value + "]}"),
          IsGolden());
  EXPECT_THAT(error_of_resources("axes: {variant: naive, threads: [1, 2]}\nderive: {copies: threads - 1}"),
              IsGolden());
}

TEST(Resources, PointsThatAConstraintRejectsMayAskForAnything) {
  EXPECT_EQ(error_of_resources("axes: {variant: naive, threads: [1, 2]}\nderive: {copies: threads - 1}\n"
                               "constraints: [threads > 1]"),
            "");
}

TEST(Resources, CopiesAreForProcessorsAndForKernelsThatAreTrusted) {
  EXPECT_THAT(error_of_resources("axes: {variant: [naive, cuda], device: [cpu, gpu], copies: [1, 2]}"),
              IsGolden());
  EXPECT_EQ(error_of_resources("axes: {variant: [naive, cuda], device: [cpu, gpu], copies: [1]}"), "");
  EXPECT_THAT(error_of_resources("axes: {variant: naive, copies: [1, 2]}\nverify: {distrust: true}"),
              IsGolden());
  EXPECT_EQ(error_of_resources("axes: {variant: naive, copies: 1}\nverify: {distrust: true}"), "");
}

}  // namespace
}  // namespace kernsweep::sweep_test
