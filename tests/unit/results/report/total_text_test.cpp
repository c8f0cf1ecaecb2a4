// Totals of a network: one choice for all layers, the best of each, and mixed only where that is shown.
#include "results/report/total_text.hpp"

#include <cmath>
#include <optional>
#include <tuple>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::sweep_named;
using test::why;

class Total : public test::QueryTest {
 protected:
  // A network of layers with `count`, for each batch.
  void begin_network() {
    SweepRecord record = sweep_named("net", {"variant", "label", "n", "count", "batch", "layout"});
    record.problem = {false, true, true, true, true, false};
    begin(record);
  }
  // `processes` whose times differ by at most `spread`.
  void put_layer(const std::string& variant, const std::string& label, Value count, double median,
                 const std::string& layout = "row", int batch = 1, double spread = 0.004,
                 int processes = 5) {
    const auto point = static_cast<std::uint64_t>(points_++);
    for (int process = 0; process < processes; ++process) {
      // Another order in each point, so that none is the fastest in all processes.
      const int order = static_cast<int>((process * 3 + point * 2) % 5);
      Job made = job({variant, label, static_cast<std::int64_t>(label.size()), count, batch, layout},
                     median * (1 + spread * order / 4));
      made.record.point = point;
      put(made);
    }
  }
  TotalAnswer asked(TotalQuestion question = {}) {
    if (question.layer.empty()) question.layer = {"label", "n"};
    Reader r = reader();
    return good(total(r, question));
  }
  std::string refusal(TotalQuestion question = {}) {
    if (question.layer.empty()) question.layer = {"label", "n"};
    Reader r = reader();
    return why(total(r, question));
  }

 private:
  int points_ = 0;
};

// `a` takes 1 ms for the first layer and 4 ms for the second, `b` 2 ms for each; the second occurs 3 times.
TEST_F(Total, CountsEachLayerAndMixesOnlyWhereThatIsShown) {
  begin_network();
  put_layer("a", "conv1", 1, 1e-3);
  put_layer("b", "conv1", 1, 2e-3);
  put_layer("a", "conv22", 3, 4e-3);
  put_layer("b", "conv22", 3, 2e-3);
  put_layer("c", "conv1", 1, 3e-3);  // and nothing for the other layer
  const TotalAnswer answer = asked({.layers = 2});
  ASSERT_EQ(answer.networks.size(), 1U);
  const TotalNetwork& network = answer.networks.front();
  EXPECT_NEAR(network.best.seconds, (1e-3 + 3 * 2e-3) * 1.002, 1e-9);
  ASSERT_EQ(network.choices.size(), 3U);
  EXPECT_EQ(network.choices[0].values.front(), Value("b"));
  EXPECT_NEAR(network.choices[0].time.seconds, (2e-3 + 3 * 2e-3) * 1.002, 1e-9);
  EXPECT_NEAR(network.choices[1].time.seconds, (1e-3 + 3 * 4e-3) * 1.002, 1e-9);
  EXPECT_TRUE(network.choices[1].slower.shown);
  EXPECT_TRUE(std::isnan(network.choices[2].time.seconds));
  EXPECT_TRUE(network.mixed_saves.shown);
  EXPECT_NEAR(network.mixed_saves.of.ratio, 8.0 / 7, 1e-9);
  EXPECT_LT(network.mixed_saves.of.bounds.low, 8.0 / 7);
  EXPECT_GT(network.mixed_saves.of.bounds.low, 1.13);
  EXPECT_EQ(network.others, 1U);
  EXPECT_EQ(network.shown, 1U);
  EXPECT_THAT(text_of(answer, "r.db"), IsGolden());
  EXPECT_THAT(rounded(to_json(answer)), IsGolden());
}

// Twenty layers in which both take the same: by chance one is a little faster here, the other one there.
// The best of each layer is less than each of both, and yet mixing is not shown to save anything.
TEST_F(Total, CallsNothingSavedThatIsChosenByChance) {
  begin_network();
  for (int layer = 0; layer < 20; ++layer)
    for (const char* variant : {"a", "b"})
      put_layer(variant, "layer" + std::to_string(layer), 1,
                1e-3 * (1 + 0.004 * ((layer * 7 + (*variant == 'a' ? 3 : 1)) % 5)), "row", 1, 0.03);
  const TotalNetwork network = asked().networks.front();
  EXPECT_GT(network.best_saves.of.ratio, 1);
  EXPECT_GT(network.others, 0U);
  EXPECT_EQ(network.shown, 0U);
  EXPECT_FALSE(network.mixed_saves.shown);
  EXPECT_EQ(network.mixed_saves.of.ratio, 1);
  EXPECT_FALSE(network.choices[1].slower.shown);
}

// A network for each batch; with the layout held fixed, too, `a` needs the same one in both layers.
TEST_F(Total, OfEachNetworkAndOfChoicesOfSeveralSettings) {
  begin_network();
  for (const int batch : {1, 8})
    for (const char* layout : {"row", "column"})
      for (const char* label : {"conv1", "conv22"}) {
        const bool fits = (*layout == 'r') == (std::string(label) == "conv1");
        put_layer("a", label, 2, batch * (fits ? 1e-3 : 3e-3), layout, batch);
      }
  const TotalAnswer free = asked();
  ASSERT_EQ(free.networks.size(), 2U);
  EXPECT_NEAR(free.networks[1].choices[0].time.seconds, 4 * 8e-3 * 1.002, 1e-9);
  EXPECT_EQ(free.networks[0].others, 0U);
  const TotalAnswer fixed = asked({.same = {"variant", "layout"}, .where = "batch = 8"});
  ASSERT_EQ(fixed.networks.size(), 1U);
  EXPECT_NEAR(fixed.networks[0].choices[0].time.seconds, 2 * (8e-3 + 24e-3) * 1.002, 1e-9);
  EXPECT_THAT(text_of(asked({.same = {"variant", "layout"}}), "r.db"), IsGolden());
}

// `n` follows from the label; a batch makes networks of its own even where it has one value in each layer.
TEST_F(Total, AddsUpWhatFollowsFromTheNameOfALayer) {
  begin_network();
  put_layer("a", "conv1", 1, 1e-3);
  put_layer("a", "conv22", 3, 4e-3);
  const TotalQuestion by_label{.layer = {"label"}, .table = {"label", "n"}};
  const TotalAnswer one = asked(by_label);
  ASSERT_EQ(one.networks.size(), 1U);
  EXPECT_EQ(one.networks[0].layers.size(), 2U);
  EXPECT_TRUE(one.networks[0].has_single);
  EXPECT_THAT(text_of(one, "r.db"), IsGolden());
  put_layer("a", "conv333", 3, 4e-3, "row", 8);
  EXPECT_EQ(asked(by_label).networks.size(), 2U);
}

// Two models whose layers are called alike, with sizes of their own.
TEST_F(Total, TellsModelsOfOneTableApart) {
  SweepRecord record = sweep_named("net", {"variant", "label", "n", "model", "count"});
  record.problem = {false, true, true, true, true};
  begin(record);
  int n = 0;
  for (const char* model : {"A", "B"})
    for (const char* label : {"conv1", "conv2"}) put({"a", label, ++n, model, 1}, 1e-3);
  const TotalAnswer answer = asked({.layer = {"label"}, .table = {"label", "n", "model"}});
  ASSERT_EQ(answer.networks.size(), 2U);
  EXPECT_EQ(answer.networks[0].layers.size(), 2U);
  EXPECT_EQ(answer.follow, std::vector<std::string>{"n"});
}

TEST_F(Total, SaysWhereItsIntervalsAreNotKnownAndLayersAreMissing) {
  begin_network();
  put_layer("a", "conv1", 1, 1e-3, "row", 1, 0, 1);
  put_layer("b\x1b[2J", "conv22", 2, 1e-3, "row", 1, 0, 1);
  const TotalAnswer answer = asked({.layers = 3});
  EXPECT_FALSE(answer.networks.front().has_single);
  EXPECT_THAT(text_of(answer, "r.db"), IsGolden());
}

// No column of imported results belongs to the problem: layers are distinguished by what the question
// names.
TEST_F(Total, TellsLayersApartBySettings) {
  SweepRecord record = sweep_named("imported", {"label", "count", "library"});
  record.problem = {false, false, false};
  begin(record);
  std::uint64_t point = 0;
  for (const auto& [label, count, median] :
       {std::tuple{"conv1", 1, 5.0}, {"conv2", 2, 3.0}, {"conv3", 2, 7.0}})
    for (const int slower : {1, 2}) {
      Job made = job({label, count, slower == 1 ? "a" : "b"}, median * slower);
      made.record.point = point++;
      put(made);
    }
  const TotalAnswer answer = asked({.layer = {"label"}});
  ASSERT_EQ(answer.networks.size(), 1U);
  EXPECT_EQ(answer.networks[0].layers.size(), 3U);
  EXPECT_NEAR(answer.networks[0].best.seconds, 25, 1e-9);
  EXPECT_EQ(answer.same, std::vector<std::string>{"library"});
  EXPECT_EQ(answer.networks[0].layers[0].best.setting, "library=a");
  EXPECT_THAT(refusal({.layer = {"label"}, .same = {"label"}}), IsGolden());
}

TEST_F(Total, SaysWhatIsWrongWithAQuestion) {
  begin("plain", {"variant", "m"});
  put({"a", 1}, 1e-3);
  EXPECT_THAT(refusal({.layer = {"m"}}), IsGolden());
  begin_network();
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
  put_layer("a", "conv1", 0, 1e-3);
  EXPECT_THAT(refusal(), IsGolden());
  EXPECT_THAT(refusal({.layer = {"lable"}}), IsGolden());
  EXPECT_THAT(refusal({.same = {"batch"}}), IsGolden());
  EXPECT_THAT(refusal({.where = "batch = 9"}), IsGolden());
}

}  // namespace
}  // namespace kernsweep
