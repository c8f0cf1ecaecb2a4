// Lists that a result carries as text: nothing in a field ends it, and all is read back as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "shared/lists/gpu_lines.hpp"
#include "shared/lists/input_list.hpp"
#include "shared/lists/library_lines.hpp"
#include "shared/lists/property_lines.hpp"
#include "shared/lists/variable_lines.hpp"

namespace kernsweep {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::string> kStrange = {
    "A",     "two words", "A=0123456789abcdef0123456789abcdef B", "=",   "\\x20",   "a\nb", "-", "\\-",
    "\x1b[", "tab\tbed",  "H200, compute capability 1.0",         "h\\", "\xc3\xa9"};

Pairs inputs_of(std::string_view list) {
  Pairs out;
  each_input(list, [&](std::string operand, const Digest& content) {
    out.emplace_back(std::move(operand), content.hex());
  });
  return out;
}

TEST(InputList, HasOperandsAndHashes) {
  std::string list;
  append_input(list, "A", digest_of("1"));
  append_input(list, "B", digest_of("2"));
  EXPECT_EQ(list, "A=" + digest_of("1").hex() + " B=" + digest_of("2").hex());
  EXPECT_THAT(inputs_of(list),
              ElementsAre(Pair("A", digest_of("1").hex()), Pair("B", digest_of("2").hex())));
}

TEST(InputList, IsReadBackWhateverOperandsAreCalled) {
  for (const std::string& name : kStrange) {
    std::string list;
    append_input(list, name, digest_of("1"));
    append_input(list, "", digest_of("2"));
    EXPECT_THAT(inputs_of(list),
                ElementsAre(Pair(name, digest_of("1").hex()), Pair("", digest_of("2").hex())));
  }
  EXPECT_TRUE(inputs_of("A= =, x=12 ").empty());
}

TEST(LibraryLines, AreReadBackWhateverAFileIsCalled) {
  for (const std::string& name : kStrange) {
    std::string lines;
    append_library(lines, {"/lib/" + name, name, "1.2", 7, "ab", "", ""});
    append_library(lines, {"/lib/last.so", "", "", 0, "", "cd", ""});
    std::vector<LibraryLine> read;
    each_library(lines, [&](LibraryLine line, std::string_view) { read.push_back(std::move(line)); });
    ASSERT_EQ(read.size(), 2U) << name;
    EXPECT_EQ(read[0].path, "/lib/" + name);
    EXPECT_EQ(read[0].soname, name);
    EXPECT_EQ(read[0].version + "," + read[0].hash + "," + read[0].build_id, "1.2,ab,");
    EXPECT_EQ(read[0].bytes, 7U);
    EXPECT_EQ(read[1].name() + "," + read[1].build_id, "last.so,cd");
  }
  EXPECT_EQ(library_line("/a.so").behind_path, "");
}

TEST(GpuLines, AreReadBackWhateverACardIsCalled) {
  for (const std::string& name : kStrange) {
    std::string lines;
    append_gpu(lines, {"GPU-1", name, "compute capability 9.0, driver 580"});
    append_gpu(lines, {"GPU 2", name, ""});
    EXPECT_THAT(uuids_of_gpus(lines), ElementsAre("GPU-1", "GPU 2"));
    EXPECT_EQ(cards_of_gpus(lines), "2 x " + name);
  }
  std::string lines;
  append_gpu(lines, {"GPU-1", "NVIDIA H200", "compute capability 9.0"});
  EXPECT_EQ(lines, "GPU-1 NVIDIA H200, compute capability 9.0");
}

TEST(PropertyLines, AreReadBackWhateverIsInAValue) {
  const std::map<std::string, std::string> properties = {{"a.b", "x = y = z"}, {"c", ""}, {"d", "a\\b"}};
  EXPECT_EQ(text_of_properties(properties), "a.b = x = y = z\nc = \nd = a\\b\n");
  std::map<std::string, std::string> read;
  each_property(text_of_properties(properties),
                [&](std::string_view name, std::string_view value) { read[std::string(name)] = value; });
  EXPECT_EQ(read, properties);
}

TEST(VariableLines, AreReadBackWhateverIsInAValue) {
  for (const std::string& value : kStrange) {
    std::string lines;
    append_variable(lines, "OMP_PLACES", value + "\nOMP_NUM_THREADS=9");
    append_variable(lines, "OMP_NUM_THREADS", "2");
    Pairs read;
    each_variable(lines, [&](std::string name, std::string each) {
      read.emplace_back(std::move(name), std::move(each));
    });
    EXPECT_THAT(
        read, ElementsAre(Pair("OMP_PLACES", value + "\nOMP_NUM_THREADS=9"), Pair("OMP_NUM_THREADS", "2")));
  }
}

}  // namespace
}  // namespace kernsweep
