// The stored inputs of a result: each in its column, for any name of a worker, a file or an operand.
#include "coordinator/net/recording.hpp"
#include "results/read/show.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::coordinator {
namespace {

class RecordingInputs : public ::testing::Test {
 protected:
  RecordingInputs() {
    recording_.add(sweep_, std::make_shared<const Expansion>(test::good(Expansion::parse(
                               "sweep: 1\nname: s\nkernel: gemm\naxes: {m: [1, 2, 3]}\n", "", {}))));
  }

  static wire::Input& add(wire::OutcomeBody& body, const std::string& name, const std::string& content) {
    wire::Input& input = *body.add_inputs();
    input.set_name(name);
    input.set_content_hash(digest_of(content).hex());
    return input;
  }
  static void describe(wire::TensorOrigin& origin, const std::string& dtype,
                       std::vector<std::int64_t> shape) {
    origin.set_dtype(dtype);
    origin.mutable_shape()->Add(shape.begin(), shape.end());
  }
  void record(const wire::OutcomeBody& body) {
    PendingResult result;
    result.attempt = {{sweep_, next_job_++, 0}, 1};
    result.body = body.SerializeAsString();
    ASSERT_TRUE(recording_.record(result));
    ASSERT_TRUE(store_.commit());
  }
  std::string asked(const std::string& query) { return test::asked(path_, query); }

  test::Folder folder_;
  std::string path_ = folder_.file("r.db");
  Store store_ = test::good(Store::open_for_writing(path_));
  SweepId sweep_ = test::good(store_.begin_sweep(test::sweep_named("s", {"m"}))).id;
  Recording recording_{store_, "test"};
  std::uint64_t next_job_ = 0;
};

constexpr const char* kColumns =
    "select name, dtype, shape, source, generator, seed from input order by name";

TEST_F(RecordingInputs, AreStoredAsTheyWereGenerated) {
  wire::OutcomeBody body;
  wire::Input& made = add(body, "A", "a");
  describe(*made.mutable_origin(), "f32", {2, 3});
  made.mutable_origin()->set_distribution("uniform(0, 1)");
  made.mutable_origin()->set_seed(18446744073709551);
  made.set_identity(std::string(digest_of("tensor").view()));
  made.set_generator("philox4x32-7/2");
  made.set_bytes(24);
  record(body);
  EXPECT_EQ(asked(kColumns),
            "A|f32|2x3|uniform(0, 1) seed 18446744073709551|philox4x32-7/2|18446744073709551");
  EXPECT_EQ(asked("select identity, bytes from input"), digest_of("tensor").hex() + "|24");
}

TEST_F(RecordingInputs, OfAFileHaveItsPathAndNoSeedWhateverItIsCalled) {
  wire::OutcomeBody body;
  wire::Input& file = add(body, "A", "a");
  describe(*file.mutable_origin(), "f32", {4});
  file.mutable_origin()->set_file("x]w [2,3] seed 7");
  file.set_summary("f32[4] x]w [2,3] seed 7");
  wire::Input& part = add(body, "B", "b");
  describe(*part.mutable_origin(), "bf16", {});
  part.mutable_origin()->set_file("m.safetensors");
  part.mutable_origin()->set_file_member("layer seed 7");
  part.set_generator("a generator seed 7");
  record(body);
  EXPECT_EQ(asked(kColumns),
            "A|f32|4|x]w [2,3] seed 7||null\n"
            "B|bf16||m.safetensors:layer seed 7|a generator seed 7|null");
}

TEST_F(RecordingInputs, WithAShapeThatCannotBeHaveNone) {
  wire::OutcomeBody body;
  describe(*add(body, "A", "a").mutable_origin(), "f32", {2, -3});
  describe(*add(body, "B", "b").mutable_origin(), "f32", std::vector<std::int64_t>(9, 2));
  record(body);
  EXPECT_EQ(asked("select name, shape from input order by name"), "A|\nB|");
}

TEST_F(RecordingInputs, AreShownWhateverTheOperandsAreCalled) {
  wire::OutcomeBody body;
  body.add_samples_s(1);
  const std::string forged = "A=" + digest_of("b").hex() + " x";
  wire::Input& strange = add(body, forged, "a");
  describe(*strange.mutable_origin(), "f64", {1});
  describe(*add(body, "B", "b").mutable_origin(), "f32", {2});
  wire::Input& no_hash = add(body, "C", "c");
  no_hash.set_content_hash("no hash B=" + digest_of("b").hex());
  record(body);
  auto reader = test::good(Reader::open(path_));
  const Shown shown = test::good(show(reader, "1"));
  std::vector<std::string> told;
  for (const auto& section : shown.sections)
    for (const auto& [name, value] : section.entries)
      if (section.title.starts_with("input ") && name == "dtype")
        told.push_back(section.title + ": " + value.to_text());
  EXPECT_THAT(told, testing::ElementsAre("input " + forged + ": f64", "input B: f32"));
}

}  // namespace
}  // namespace kernsweep::coordinator
