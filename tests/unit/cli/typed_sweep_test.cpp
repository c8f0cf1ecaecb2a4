// Sweeps that are typed on the command line: the file that they stand for, and what is refused.
#include <gmock/gmock.h>

#include "language/file/typed_sweep.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

struct Line {
  TypedSweep typed;
  Replacements replacements;

  Result<WrittenSweep> written() const { return written_sweep(typed, replacements, 4); }
};

Line line(std::vector<std::string> commands, std::vector<std::string> axes = {}) {
  Line out;
  out.typed.commands = std::move(commands);
  out.replacements.axes = std::move(axes);
  return out;
}

std::string error_of(const Line& line) {
  auto written = line.written();
  if (!written) return written.error().message;
  const auto read = Expansion::of_tree(written->root, written->text, written->left);
  return read ? "none" : read.error().message;
}

std::vector<std::string> keys_of(const Expansion& expansion) {
  std::vector<std::string> out;
  Point point;
  for (std::uint64_t i = 0; i < expansion.raw_jobs(); ++i) {
    expansion.point_at(expansion.job_at(i).position, point);
    out.push_back(expansion.key_of(point, expansion.job_at(i)).hex());
  }
  return out;
}

std::vector<Line> lines() {
  std::vector<Line> all = {
      line({"gzip -c -{level} data.txt"}, {"level=[1,6,9]"}),
      line({"fd foo", "rg --files"}),
      line({"gzip -{level}", "/usr/bin/zstd '-{level}' {x}", "xz"},
           {"level=[1, 9]", "+x=[a, 'b c', null, 007, 1e3]", "threads[pow2]=[0:1]", "env.A=[x]"}),
      line({"a \"it's\"\t\\$ #1: {{}} é", "-", "null"}),
      line({"./solve {n} {m}"}, {"size=[{n: 1, m: 2, label: small}, {n: 3, m: 4, label: big}]"}),
      line({"true {n}"}, {"n={values: [1, 2], when: threads > 1}"})};
  all[1].typed.names = {"fd", "a: \"b\" 'c'"};
  all[0].typed.setup = "cp {level}.txt data.txt";
  all[0].typed.cleanup = "rm data.txt";
  all[0].typed.threads = 1;
  all[4].typed.problem = {"n,m"};
  all[4].replacements.settings = {"measure.processes=5", "tags.owner='me: you'"};
  return all;
}

TEST(TypedSweep, IsWrittenAsAPersonWouldWriteIt) {
  for (const Line& each : lines()) {
    const auto written = each.written();
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_THAT(written->text, IsGolden());
  }
}

TEST(TypedSweep, HasTheJobsOfItsFile) {
  for (const Line& each : lines()) {
    const auto written = each.written();
    ASSERT_TRUE(written) << written.error().message;
    const auto typed = Expansion::of_tree(written->root, written->text, written->left);
    const auto read = Expansion::parse(written->text, "s.yaml", written->left);
    ASSERT_TRUE(typed) << typed.error().message;
    ASSERT_TRUE(read) << read.error().message << '\n' << written->text;
    EXPECT_EQ(points_of(*typed), points_of(*read));
    EXPECT_EQ(keys_of(*typed), keys_of(*read));
    EXPECT_EQ(typed->sweep().text, read->sweep().text);
  }
}

TEST(TypedSweep, KeepsWhatSaysHowItIsRun) {
  Line each = line({"true"});
  each.replacements.quick = true;
  each.replacements.only = "threads == 4";
  const auto written = each.written();
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->left.quick);
  EXPECT_EQ(written->left.only, "threads == 4");
}

TEST(TypedSweep, NotesOfAShellSayWhatToType) {
  for (const char* command : {"ls | wc -l", "FOO=1 BAR='a b' ls", "echo $HOME > x"}) {
    const auto written = line({command}).written();
    ASSERT_TRUE(written) << written.error().message;
    const auto made = Expansion::of_tree(written->root, written->text, written->left);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_FALSE(made->notes().empty()) << command;
    EXPECT_THAT(made->notes().front(), IsGolden());
  }
}

TEST(TypedSweep, AnAxisIsThereForTheCommandsThatUseIt) {
  const auto written = line({"a {n}", "b {n} {m}", "c"}, {"n=[1]", "m=[2]", "threads=[1]"}).written();
  ASSERT_TRUE(written);
  const auto read = Expansion::of_tree(written->root, written->text, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(points_of(*read), ElementsAre("command=a {n} n=1 threads=1 command.line=a 1",
                                            "command=b {n} {m} n=1 m=2 threads=1 command.line=b 1 2",
                                            "command=c threads=1 command.line=c"));
}

TEST(TypedSweep, SaysWhichArgumentIsWrong) {
  std::vector<Line> all = {line({"gzip -{level} data"}),
                           line({"a \x01"}),
                           line({"gzip data"}, {"level=[1]"}),
                           line({"gzip -{leve} data"}, {"level=[1]"}),
                           line({"gzip -{level}"}, {"level=[1,"}),
                           line({"gzip -{level}"}, {"level"}),
                           line({"gzip -{level}"}, {"level=1,9"}),
                           line({"gzip -{level}"}, {"level=[1]", "level=[2]"}),
                           line({"gzip -{level}"}, {"level=[1, 1]"}),
                           line({"true {a b}"}, {"a b=[1, 1]"}),
                           line({"gzip 'x"}),
                           line({"gzip {"}),
                           line({"true", "true"}),
                           line({"true", "false"}),
                           line({"true"}),
                           line({"true"}),
                           line({"true"}, {"threads=[1]"}),
                           line({"true"}, {"command=[1]"}),
                           line({"true"}),
                           line({"true"}),
                           line({"awk '{print $1}' data.txt"}),
                           line({"find . -exec ls {} +"})};
  all[13].typed.names = {"a", "a"};
  all[14].typed.names = {"a", "b"};
  all[15].typed.setup = "make {target}";
  all[16].typed.threads = 2;
  all[18].typed.problem = {"n"};
  all[19].replacements.settings = {"measure.proceses=5"};
  for (const Line& each : all) EXPECT_THAT(error_of(each), IsGolden());
}

}  // namespace
}  // namespace kernsweep::sweep_test
