// The table of the language against everything that is made from it.
#include "language/file/keys.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "language/file/setting.hpp"
#include "shared/base/dtype.hpp"
#include "shared/text/choices.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

std::string file(const std::string& path) {
  std::ifstream stream(source_folder() + "/" + path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Language, DefaultsOfTheTableAreThoseOfTheRules) {
  // Each default, written as the table writes it, is put into an empty sweep: nothing may change.
  std::size_t tried = 0;
  const std::function<void(std::span<const Key>)> visit = [&](std::span<const Key> keys) {
    for (const auto& key : keys) {
      if (key.is_setting() && !key.fallback.empty() && !key.fallback.starts_with("the family")) {
        Sweep sweep;
        auto value =
            parse_yaml(key.fallback, std::make_shared<const TextSource>(TextSource{"table", true}));
        ASSERT_TRUE(value);
        const auto set = apply_setting(key, std::string(key.name), *value, sweep);
        ASSERT_TRUE(set) << set.error().message;
        const Sweep empty;
        EXPECT_EQ(sweep.rules, empty.rules) << key.name;
        EXPECT_EQ(sweep.caches, empty.caches);
        EXPECT_EQ(sweep.processes, empty.processes);
        EXPECT_EQ(sweep.order, empty.order);
        EXPECT_EQ(sweep.hosts, empty.hosts);
        EXPECT_EQ(sweep.seed, empty.seed);
        ++tried;
      }
      visit(key.keys);
    }
  };
  visit(language());
  EXPECT_GE(tried, 20u);
}

TEST(Language, TheSchemaListsExactlyTheKeysOfTheTable) {
  const auto schema = nlohmann::json::parse(sweep_json_schema());
  const std::function<void(std::span<const Key>, const nlohmann::json&)> compare =
      [&](std::span<const Key> keys, const nlohmann::json& node) {
        std::set<std::string> listed;
        for (const auto& [name, property] : node.at("properties").items()) listed.insert(name);
        const auto names = names_of(keys);
        EXPECT_EQ(listed, std::set<std::string>(names.begin(), names.end()));
        EXPECT_EQ(node.at("additionalProperties"), false);
        for (const auto& key : keys) {
          const auto& property = node.at("properties").at(std::string(key.name));
          EXPECT_TRUE(property.contains("description")) << key.name;
          if (key.kind == KeyKind::section && !key.keys.empty()) compare(key.keys, property);
          if (key.kind == KeyKind::switch_section || key.kind == KeyKind::bounds)
            compare(key.keys, property.at("anyOf").at(1));
          if (key.name == "axes") compare(key.keys, property.at("additionalProperties").at("anyOf").at(2));
          if (key.name == "constraints") compare(key.keys, property.at("items").at("anyOf").at(1));
          if (key.name == "overrides") compare(key.keys, property.at("items"));
        }
      };
  compare(language(), schema);
  const auto& settable =
      schema.at("properties").at("overrides").at("items").at("properties").at("set").at("properties");
  EXPECT_TRUE(settable.contains("measure.samples.min"));
  EXPECT_FALSE(settable.contains("measure.processes"));
}

TEST(Language, TheStoredSchemaIsTheOneThatTheTableMakes) {
  EXPECT_TRUE(file("sweeps/kernsweep.schema.json") == sweep_json_schema())
      << "regenerate with: kernsweep schema > sweeps/kernsweep.schema.json";
}

TEST(Language, TheDocumentedTableIsTheOneThatTheParserReads) {
  const std::string document = file("docs/reference/sweep-language.md");
  EXPECT_TRUE(document.find("\n" + language_reference()) != std::string::npos)
      << "replace the table of docs/reference/sweep-language.md by:\n"
      << language_reference();
}

TEST(Language, EveryExampleOfTheDocumentsIsASweep) {
  // Blocks that begin with `sweep: 1` are whole files; tables are left out of them.
  std::string document = file("README.md");
  for (const char* page :
       {"reference/sweep-language.md", "reference/programs.md", "guides/first-sweep.md",
        "guides/own-programs.md", "guides/own-pack.md", "guides/gpus.md", "guides/tune-a-kernel.md"})
    document += file(std::string("docs/") + page);
  int examples = 0;
  for (std::size_t at = document.find("```yaml\n"); at != std::string::npos;
       at = document.find("```yaml\n", at)) {
    at += 8;
    const std::string block = document.substr(at, document.find("```", at) - at);
    if (block.find("sweep: 1\n") == std::string::npos) continue;
    const auto e = Expansion::parse(block, source_folder() + "/sweeps/example.yaml", {});
    EXPECT_TRUE(e) << e.error().message << "\n" << block;
    ++examples;
  }
  EXPECT_GE(examples, 10);
}

TEST(Language, TheFullExampleUsesEveryKeyOfAWholeFile) {
  const auto node = parse_yaml(file("tests/unit/language/full_example.yaml"),
                               std::make_shared<const TextSource>(TextSource{"full_example.yaml", true}));
  ASSERT_TRUE(node);
  for (const auto& key : language()) {
    const std::set<std::string_view> of_programs = {"command", "commands", "build",   "setup",
                                                    "cleanup", "metrics",  "python",  "operands",
                                                    "source",  "call",     "compile", "launch"};
    if (of_programs.contains(key.name)) continue;
    EXPECT_NE(node->find(key.name), nullptr) << key.name;
  }
}

TEST(Language, PathsOfSettingsLeadToTheirKeys) {
  EXPECT_EQ(setting_at("measure.samples.min").key->name, "min");
  EXPECT_EQ(setting_at("verify").key->name, "verify");
  EXPECT_EQ(setting_at("verify.tolerance.f32").steps.back(), "f32");
  std::vector<std::string> dtypes;
  for (const Dtype dtype : kAllDtypes) dtypes.emplace_back(name_of(dtype));
  // tf32 is not an element type, but with errors of its own; the others hold for the types that are not
  // named.
  for (const char* name : {"tf32", "relative", "absolute"}) dtypes.emplace_back(name);
  EXPECT_EQ(split_choices(setting_at("verify.tolerance").key->choices), dtypes);
  EXPECT_EQ(setting_at("tags.a.b").steps.back(), "a.b");
  for (const char* none : {"", "measure", "measure.", "measure.samples", "axes", "axes.a",
                           "measure.samples.min.x", ".", "x"}) {
    EXPECT_EQ(setting_at(none).key, nullptr) << none;
  }
  for (const auto& path : setting_paths(false)) EXPECT_NE(setting_at(path).key, nullptr) << path;
}

}  // namespace
}  // namespace kernsweep::sweep_test
