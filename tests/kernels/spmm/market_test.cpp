// Matrix Market files as the sparse operand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/spmm/spmm_points.hpp"

namespace kernsweep::testing {
namespace {

class SpmmMarket : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "spmm.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Settings of(const std::string& text, int n = 3) {
    path_ = folder_ + "/a.mtx";
    std::ofstream(path_) << text;
    return settings({{"matrix", path_}, {"n", n}});
  }
  // The output of the reference for a B of ones: the sum of each row, in each column.
  std::vector<double> sums(const std::string& text) {
    HostOptions options;
    options.element = [](const std::string&, std::int64_t) { return 1.0; };
    const Measured measured = measure(spmm(), "naive", of(text, 1), options);
    EXPECT_EQ(measured.status, KS_OK) << measured.why;
    return measured.values;
  }
  std::string refusal(const std::string& text) {
    const Measured measured = measure(spmm(), "csr", of(text));
    EXPECT_EQ(measured.status, KS_BAD_PARAMETER) << text;
    std::string why = measured.why;
    const auto at = why.find(path_);
    return at == std::string::npos ? why : why.replace(at, path_.size(), "a.mtx");
  }

  std::string folder_, path_;
};

TEST_F(SpmmMarket, IsReadInAllItsForms) {
  using ::testing::ElementsAre;
  EXPECT_THAT(sums("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 1 1.5\n2 3 "
                   "-2e1\n1 3 4\n"),
              ElementsAre(5.5, -20));
  EXPECT_THAT(sums("%%matrixmarket MATRIX Coordinate Integer General\r\n2 2 2\r\n 2 2  +7 \r\n1 2 -1\r\n"),
              ElementsAre(-1, 7));
  EXPECT_THAT(sums("%%MatrixMarket matrix coordinate pattern general\n3 2 2\n3 1\n1 2\n"),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(sums("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 4\n"),
              ElementsAre(3, 6, 4));
  EXPECT_THAT(sums("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n"),
              ElementsAre(-5, 5));
  EXPECT_THAT(sums("%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 2\n1 1 3\n"), ElementsAre(5));
  EXPECT_THAT(sums("%%MatrixMarket matrix coordinate real general\n2 2 0\n"), ElementsAre(0, 0));
}

TEST_F(SpmmMarket, IsTheSameToAllVariants) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n37 41 300\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i * 7 % 37 + 1) + " " + std::to_string(i * 11 % 41 + 1) + " " +
            std::to_string((i % 13 - 6) * 0.25) + "\n";
  for (const std::string& variant : able({"csr", "bsr", "dense", "eigen"}, 2))
    for (const int n : {1, 20, 70})
      EXPECT_EQ(mismatch_with_reference(spmm(), variant, of(text, n), {.threads = 2}), "")
          << variant << " " << n;
  std::vector<ks_input> inputs;
  std::string why;
  ASSERT_EQ(inputs_of(spmm(), of(text, 5), inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 1U) << "A is no operand of the host";
  EXPECT_EQ(inputs[0].shape[0], 41);
  EXPECT_EQ(inputs[0].shape[1], 5);
}

// Elements of a file have any size.
TEST_F(SpmmMarket, WrongResultsOfSmallElementsAreWrong) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n20 1000 40\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i % 20 + 1) + " " + std::to_string(i * 13 + 1) + " " + std::to_string(i + 1) +
            "e-9\n";
  for (const int n : {1, 15, 16}) {
    const Settings set = of(text, n);
    const Measured right = measure(spmm(), "naive", set);
    Measured wrong = right;
    for (double& value : wrong.values) value *= 1.001;
    EXPECT_NE(difference(wrong, right, tolerance_of(spmm(), set)), "") << n;
    for (const std::string& variant : able({"csr", "bsr", "dense", "eigen"}))
      EXPECT_EQ(mismatch_with_reference(spmm(), variant, set), "") << variant << " " << n;
  }
}

TEST_F(SpmmMarket, ThatIsMalformedIsRefusedWithItsLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& text :
       {std::string(),
        std::string("1 2 3\n"),
        std::string("%%MatrixMarket matrix array real general\n1 1\n1\n"),
        std::string("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"),
        std::string("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n"),
        std::string("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n"),
        head,
        head + "2 2\n",
        head + "2 2 x\n",
        head + "-1 2 1\n",
        head + "2147483648 1 1\n",
        head + "2 2 1\n3 1 1\n",
        head + "2 2 1\n1 0 1\n",
        head + "2 2 1\n1 1\n",
        head + "2 2 1\n1 1 one\n",
        head + "2 2 1\n1 1 1 1\n",
        head + "2 2 2\n1 1 1\n",
        head + "2 2 1\n1 1 1\n2 2 1\n",
        head + "2 2 1\n1 1 nan\n",
        head + "2 2 1\n1 1 -inf\n",
        head + "2 2 1\n1 1 1e39\n",
        head + "2 2 1\n1 1 1e400\n"})
    EXPECT_THAT(refusal(text), IsGolden()) << text;
  const Measured gone = measure(spmm(), "csr", settings({{"matrix", "/none/a.mtx"}, {"n", 3}}));
  EXPECT_THAT(gone.why, IsGolden());
  const Measured endless = measure(spmm(), "csr", settings({{"matrix", "/dev/zero"}, {"n", 3}}));
  EXPECT_THAT(endless.why, IsGolden());
  const Measured both = measure(spmm(), "csr", with(of(head + "2 2 0\n"), {{"m", 2}}));
  EXPECT_THAT(both.why, IsGolden());
}

}  // namespace
}  // namespace kernsweep::testing
