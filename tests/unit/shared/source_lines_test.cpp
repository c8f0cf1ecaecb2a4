#include "shared/lists/source_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kernsweep {
namespace {

const std::string kHash = "0123456789abcdef0123456789abcdef";

std::vector<SourceLine> lines_of(const std::string& text) {
  std::vector<SourceLine> out;
  each_source(text, [&](const SourceLine& line, std::string_view whole) {
    EXPECT_EQ(whole.find('\n'), std::string_view::npos);
    out.push_back(line);
  });
  return out;
}

TEST(SourceLines, AreFiveFieldsWithDashesForWhatIsMissing) {
  EXPECT_EQ(text_of({"word", "data.txt", "./data.txt", 12, kHash}),
            "word\tdata.txt\t./data.txt\t12\t" + kHash);
  EXPECT_EQ(text_of({"word", "empty", "./empty", 0, kHash}), "word\tempty\t./empty\t0\t" + kHash);
  EXPECT_EQ(text_of({"variable", "PATH", "/bin:/usr/bin", 0, ""}), "variable\tPATH\t/bin:/usr/bin\t-\t-");
  EXPECT_EQ(text_of({"program", "gone", "", 0, ""}), "program\tgone\t-\t-\t-");
}

TEST(SourceLines, AreReadBackAsTheyWereWritten) {
  const std::vector<SourceLine> written = {{"module", "bench.inner", "./bench/inner.py", 7, kHash},
                                           {"program", "gone", "", 0, ""},
                                           {"depends", "-", "./-", 1, kHash}};
  std::string text;
  for (const SourceLine& line : written) text += text_of(line) + "\n";
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(lines_of(text), written);
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_TRUE(lines_of("\n\n").empty());
}

TEST(SourceLines, NoNameOfAFileCanForgeALine) {
  const std::string forged = "a\t./a\t1\t" + kHash + "\npack\tgemm\t/gemm.so\t1\t" + kHash;
  for (const std::string& name :
       {forged, std::string("\n"), std::string("\t"), std::string("-"), std::string("\\-"),
        std::string("\\n\\t\\x41\\"), std::string("\r\x1b[2J\x7f"), std::string("\xc3\xa9")}) {
    const SourceLine line{"word", name, "./" + name, 1, kHash};
    const std::string text = text_of(line);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\t'), 4);
    EXPECT_EQ(lines_of(text), std::vector{line});
  }
}

TEST(SourceLines, OfAStrangerAreReadWithoutHarm) {
  const auto lines = lines_of("word\nx\ty\tz\tno number\t" + kHash + "\textra\n\\\t\\x4\t\\xzz");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], (SourceLine{"word", "", "", 0, ""}));
  EXPECT_EQ(lines[1], (SourceLine{"x", "y", "z", 0, kHash}));
  EXPECT_EQ(lines[2].role, "\\");
}

}  // namespace
}  // namespace kernsweep
