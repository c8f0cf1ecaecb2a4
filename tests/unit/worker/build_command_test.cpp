// The command of a build, and what compilers say they have read.
#include "worker/builds/build_command.hpp"

#include <gmock/gmock.h>

namespace kernsweep {
namespace {

using Words = std::vector<std::string>;
using ::testing::ElementsAre;

Words words_of(const char* line) {
  const auto command = build_command(line);
  return command ? command->words_for("/b/built") : Words{command.error().message};
}

TEST(BuildCommands, AskCompilersForWhatTheyRead) {
  EXPECT_EQ(words_of("g++ -O2 a.cpp -o {out}"), (Words{"g++", "-MD", "-O2", "a.cpp", "-o", "/b/built"}));
  for (const char* compiler : {"/usr/bin/arm-none-gcc-12", "clang++-14", "cc", "c++"})
    EXPECT_TRUE(build_command(std::string(compiler) + " a.c -o {out}")->lists_sources) << compiler;
  EXPECT_EQ(words_of("nvcc a.cu -o {out}"),
            (Words{"nvcc", "-MD", "-MF", "/b/built.d", "a.cu", "-o", "/b/built"}));
  for (const char* other : {"rustc a.rs -o {out}", "make OUT={out}", "gccgo a.go -o {out}",
                            "mygcc a.c -o {out}", "gcc -MMD a.c -o {out}", "clang a.c b.c -o {out}"})
    EXPECT_FALSE(build_command(other)->lists_sources) << other;
  EXPECT_TRUE(build_command("gcc a.c b.c -o {out}")->lists_sources);
}

TEST(BuildCommands, FindTheCompilerBehindOtherPrograms) {
  EXPECT_EQ(words_of("env A=1 gcc a.c -o {out}"),
            (Words{"env", "A=1", "gcc", "-MD", "a.c", "-o", "/b/built"}));
  EXPECT_EQ(words_of("ccache gcc a.c -o {out}"), (Words{"ccache", "gcc", "-MD", "a.c", "-o", "/b/built"}));
}

TEST(BuildCommands, PutThePathIntoPartsOfWords) {
  EXPECT_EQ(words_of("sh -c 'cp a {out} && touch {out}.x'"),
            (Words{"sh", "-c", "cp a /b/built && touch /b/built.x"}));
}

TEST(BuildCommands, ThatAreNoneAreErrors) {
  EXPECT_FALSE(build_command("gcc 'a"));
  EXPECT_FALSE(build_command(" "));
}

TEST(ListsOfMake, NameFilesBehindTheColon) {
  EXPECT_THAT(files_in_rules("built: a.c \\\n  /usr/include/x.h a\\ b.h \\\n c$$d.h\n"),
              ElementsAre("/usr/include/x.h", "a b.h", "a.c", "c$d.h"));
  EXPECT_THAT(files_in_rules("a.o: a.c x.h\nb.o: \\\n b.c x.h\n\nx.h:\n"),
              ElementsAre("a.c", "b.c", "x.h"));
  EXPECT_THAT(files_in_rules("built : c:/odd.h"), ElementsAre("c:/odd.h"));
  EXPECT_THAT(files_in_rules(""), ElementsAre());
  EXPECT_THAT(files_in_rules("\\"), ElementsAre());
}

}  // namespace
}  // namespace kernsweep
