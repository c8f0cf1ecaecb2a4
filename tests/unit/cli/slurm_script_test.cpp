#include "cli/launch/slurm_script.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <fstream>

namespace kernsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SlurmJob plain_job() {
  SlurmJob job;
  job.program = "/opt/kernsweep/bin/kernsweep";
  job.version = "0.1.0";
  job.sweep_file = "naps.yaml";
  job.database = "naps.db";
  job.listen = "tcp://*:*";
  job.job_name = "naps";
  job.nodes = 2;
  return job;
}

std::string refusal(const SlurmJob& job) {
  const Status checked = check_slurm_job(job);
  return checked ? "accepted" : checked.error().message;
}

// Runs bash on a script: its exit status and its output.
std::pair<int, std::string> run_bash(const std::string& script) {
  std::string path = ::testing::TempDir() + "kernsweep-script-XXXXXX";
  const int made = mkstemp(path.data());
  EXPECT_GE(made, 0);
  std::ofstream(path) << script;
  FILE* const shell = popen(("bash " + path + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> bytes{};
  while (const std::size_t got = fread(bytes.data(), 1, bytes.size(), shell))
    output.append(bytes.data(), got);
  const int status = pclose(shell);
  close(made);
  remove(path.c_str());
  return {WEXITSTATUS(status), output};
}

// The lines of the script that give names, run by bash as member `task` of an array ("": of none).
std::string names_in_bash(const SlurmJob& job, const std::string& task) {
  const std::string script = slurm_script(job);
  const auto from = script.find("kernsweep=");
  const auto to = script.find("\nsay()");
  const std::string head = "SLURM_JOB_ID=12\n" +
                           (task.empty() ? "" : "SLURM_ARRAY_JOB_ID=11 SLURM_ARRAY_TASK_ID=" + task + "\n");
  return run_bash(head + script.substr(from, to - from) +
                  "\nprintf '%s|' \"$kernsweep\" \"$database\" \"$join\" \"$job\"")
      .second;
}

TEST(SlurmScript, IsOneThatBashCanRead) {
  std::vector<SlurmJob> jobs(3, plain_job());
  jobs[1].join = "a b'c.join";
  jobs[2].array = "1-3";
  jobs[2].replacements = {"--set", "seed={task}"};
  for (const SlurmJob& job : jobs) {
    ASSERT_TRUE(check_slurm_job(job));
    // -n: read and not run; the line is separate, as on the command line.
    const auto [status, output] = run_bash("set -n\n" + slurm_script(job));
    EXPECT_EQ(status, 0) << output;
    EXPECT_EQ(output, "");
  }
}

TEST(SlurmScript, AsksForWholeNodesAndForASignalBeforeTheLimit) {
  SlurmJob job = plain_job();
  job.partition = "long";
  job.gres = "gpu:a100:2";
  job.time = "1-12:00";
  job.account = "p17";
  job.lead_s = 300;
  job.extra = {"#SBATCH --constraint=skylake"};
  const std::string script = slurm_script(job);
  for (const char* line :
       {"\n#SBATCH --nodes=2\n", "\n#SBATCH --exclusive\n", "\n#SBATCH --partition=long\n",
        "\n#SBATCH --gres=gpu:a100:2\n", "\n#SBATCH --time=1-12:00\n", "\n#SBATCH --account=p17\n",
        "\n#SBATCH --signal=B:USR1@300\n", "\n#SBATCH --requeue\n", "\n#SBATCH --no-kill\n",
        "\n#SBATCH --constraint=skylake\n", "\n#SBATCH --output=naps-%j.log\n"})
    EXPECT_THAT(script, HasSubstr(line));
  // sbatch reads no directive after the first command.
  EXPECT_LT(script.rfind("#SBATCH"), script.find("kernsweep="));
}

TEST(SlurmScript, OddFileNamesArriveAsTheyAre) {
  SlurmJob job = plain_job();
  job.program = "/opt/it's here/\"kern\" $HOME/kernsweep";
  job.database = "a b/$(date) 'x'.db";
  ASSERT_TRUE(check_slurm_job(job));
  EXPECT_EQ(names_in_bash(job, ""),
            "/opt/it's here/\"kern\" $HOME/kernsweep|a b/$(date) 'x'.db|a b/$(date) 'x'-12.join|12|");
}

TEST(SlurmScript, MembersOfAnArrayShareNoFile) {
  SlurmJob job = plain_job();
  const std::string program = job.program;
  EXPECT_EQ(names_in_bash(job, ""), program + "|naps.db|naps-12.join|12|");
  EXPECT_EQ(names_in_bash(job, "7"), program + "|naps-7.db|naps-7-12.join|11_7|");
  job.array = "7-9";
  job.database = "run{task}/x";  // a job with its own {task} gets no second one
  EXPECT_EQ(names_in_bash(job, "7"), program + "|run7/x|run7/x-12.join|11_7|");
}

TEST(SlurmScript, FileNamesThatCannotBeQuotedAreRefused) {
  for (const auto member :
       {&SlurmJob::sweep_file, &SlurmJob::database, &SlurmJob::join, &SlurmJob::program}) {
    for (const char* bad : {"two\nlines", "carriage\rreturn", "del\x7f", "esc\x1b[0m"}) {
      SlurmJob job = plain_job();
      job.*member = bad;
      EXPECT_THAT(refusal(job), IsGolden()) << bad;
    }
  }
}

TEST(SlurmScript, OptionsThatSbatchWouldMisreadAreRefused) {
  for (const auto member : {&SlurmJob::partition, &SlurmJob::gres, &SlurmJob::time, &SlurmJob::account,
                            &SlurmJob::job_name, &SlurmJob::array}) {
    for (const char* bad : {"a b", "a\nb", "a'b", "a\"b", "a\\b", "$(x)", "a#b"}) {
      SlurmJob job = plain_job();
      job.*member = bad;
      EXPECT_THAT(refusal(job), IsGolden()) << bad;
    }
  }
}

TEST(SlurmScript, WrongNumbersAreRefusedWithTheirOption) {
  const auto with = [](auto change) {
    SlurmJob job = plain_job();
    change(job);
    return refusal(job);
  };
  EXPECT_EQ(refusal(plain_job()), "accepted");
  EXPECT_THAT(with([](SlurmJob& job) { job.nodes = 0; }), IsGolden());
  EXPECT_THAT(with([](SlurmJob& job) { job.time = "soon"; }), IsGolden());
  EXPECT_THAT(with([](SlurmJob& job) { job.array = "1-x"; }), IsGolden());
  for (const char* listen : {"", "foo", "7777", "tcp://", "tcp://:7777", "tcp://*", "tcp://*:", "tcp://*:0",
                             "tcp://*:65536", "tcp://*:http", "tcp://a b:1", "ipc://@here", "udp://*:7777"})
    EXPECT_THAT(with([=](SlurmJob& job) { job.listen = listen; }), IsGolden());
  for (const char* listen : {"tcp://*:*", "tcp://*:7777", "tcp://[::]:1", "tcp://node1.example:65535"})
    EXPECT_EQ(with([=](SlurmJob& job) { job.listen = listen; }), "accepted");
  EXPECT_THAT(with([](SlurmJob& job) { job.lead_s = 0; }), IsGolden());
  // sbatch holds the lead in 16 bits.
  EXPECT_EQ(with([](SlurmJob& job) { job.lead_s = 65'535; }), "accepted");
  EXPECT_THAT(with([](SlurmJob& job) { job.lead_s = 65'536; }), IsGolden());
  // 120 s is the lead: a limit of two minutes leaves no time to measure.
  EXPECT_THAT(with([](SlurmJob& job) { job.time = "2"; }), IsGolden());
  EXPECT_EQ(with([](SlurmJob& job) { job.time = "2:01"; }), "accepted");
  EXPECT_EQ(with([](SlurmJob& job) { job.time = "infinite"; }), "accepted");
  EXPECT_THAT(with([](SlurmJob& job) { job.extra = {"--constraint=x"}; }), IsGolden());
  EXPECT_THAT(with([](SlurmJob& job) { job.extra = {"#SBATCH -C x\nrm x"}; }), IsGolden());
}

TEST(SlurmScript, ThePlaceOfTheMembersNumberNeedsAnArray) {
  SlurmJob job = plain_job();
  job.replacements = {"--set", "seed={task}"};
  EXPECT_THAT(refusal(job), IsGolden());
  job.array = "1-2";
  EXPECT_EQ(refusal(job), "accepted");
  EXPECT_THAT(slurm_script(job), HasSubstr("--set seed=\"$SLURM_ARRAY_TASK_ID\""));
}

TEST(SlurmScript, WithoutACoordinatorHasOnlyWorkers) {
  SlurmJob job = plain_job();
  job.join = "far.join";
  const std::string script = slurm_script(job);
  EXPECT_EQ(names_in_bash(job, ""), job.program + "||far.join|12|");
  EXPECT_THAT(script, Not(HasSubstr("\" coordinator")));
  EXPECT_THAT(slurm_script(plain_job()), HasSubstr("\" coordinator naps.yaml"));
}

TEST(SlurmScript, IsKnownWhateverVersionWroteIt) {
  SlurmJob job = plain_job();
  job.version = "9.9";
  EXPECT_TRUE(is_slurm_script(slurm_script(job)));
  for (const char* other : {"", "#!/bin/bash", "#!/bin/bash\n", "#!/bin/bash\necho 1\n# kernsweep slurm:"})
    EXPECT_FALSE(is_slurm_script(other)) << other;
}

TEST(SlurmTime, HasAllFormsOfSbatch) {
  // The six forms of sbatch(1), --time, by hand: a minute is 60 s, an hour 3600 s, a day 86400 s.
  const std::pair<const char*, std::uint64_t> forms[] = {
      {"90", 5400},       {"1:30", 90},          {"2:00:01", 7201}, {"1-2", 93'600},
      {"1-2:03", 93'780}, {"1-2:03:04", 93'784}, {"0", 0},          {"UNLIMITED", 0}};
  for (const auto& [text, seconds] : forms) {
    const auto read = slurm_seconds(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, seconds) << text;
  }
  for (const char* bad :
       {"", ":", "1:", ":1", "1:2:3:4", "-1", "1-", "1-2:3:4:5", "1h", "1.5", "99999999999"})
    EXPECT_FALSE(slurm_seconds(bad)) << bad;
}

TEST(SlurmArray, FirstMemberIsTheFirstNumber) {
  for (const auto& [text, first] :
       {std::pair<const char*, std::uint64_t>{"0-7:2%3", 0}, {"4,9", 4}, {"12", 12}, {"9,1-1,3-4:5", 9}}) {
    const auto read = first_of_array(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, first);
  }
  for (const char* bad : {"", "-1", "a", "1;2", "%2", ",", "9-1", "1,9-1", "1-", "1,", "1-3:0", "1:3",
                          "1-2-3", "1-3:", "1%0", "1%", "1-3%2,4", "1-3:2:1"})
    EXPECT_FALSE(first_of_array(bad)) << bad;
}

}  // namespace
}  // namespace kernsweep
