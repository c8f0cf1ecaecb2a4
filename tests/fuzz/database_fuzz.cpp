// A small results database, some of its bytes altered, or cut short, or with any bytes as its log: opened
// for reading, for writing, or given to `recover`. Each gives an error with words, or answers; never a
// crash, a hang, or undefined behaviour; and what recover() writes is whole.
//
// The input is a script of alterations (how much, where, which bytes), not a file: 60 pages of which most
// are alike would leave a fuzzer little to find.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "results/answer/best/best.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/read/show.hpp"
#include "results/recovery/recovery.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/bits_text.hpp"
#include "results/report/export.hpp"
#include "results/report/json.hpp"
#include "results/report/show_text.hpp"
#include "results/store/store.hpp"
#include "results/text/table.hpp"
#include "tests/fuzz/database/seed.hpp"
#include "tests/fuzz/folder.hpp"
#include "tests/fuzz/script.hpp"

using namespace kernsweep;
using namespace kernsweep::fuzz;

namespace {

constexpr std::size_t kPageBytes = 8192;
constexpr int kAlterationsMax = 64;

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

const Folder& folder() {
  static const Folder one;
  return one;
}

const std::string& seed() {
  static const std::string bytes = [] {
    const std::string path = folder().file("seed.db");
    make_seed(path);
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }();
  return bytes;
}

std::string altered(Script& script, std::string& log) {
  std::string bytes = seed();
  for (int n = 0; n < kAlterationsMax && !script.over(); ++n) {
    const std::uint32_t how = script.below(16);
    if (how == 15) {
      log = script.text();
      continue;
    }
    const std::size_t page = script.byte() * kPageBytes % bytes.size();
    const std::size_t place = (page + (script.byte() << 8 | script.byte()) % kPageBytes) % bytes.size();
    if (how < 8) {
      bytes[place] = static_cast<char>(script.byte());
    } else if (how < 10) {
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << script.below(8)));
    } else if (how < 13) {
      const std::string text = script.text();
      bytes.replace(place, text.size(), text);
    } else if (how == 13) {  // one page in the place of another
      const std::size_t other = script.byte() * kPageBytes % bytes.size();
      bytes.replace(page, kPageBytes, bytes.substr(other, kPageBytes));
    } else if (place > 0) {
      bytes.resize(place);
    }
  }
  return bytes;
}

template <class T>
bool fine(const Result<T>& result) {
  KS_ASSERT(result || !result.error().message.empty());
  return result.has_value();
}

// A part that was not altered is not reported as damaged.
void judge_whole(const std::string& path) {
  auto reader = Reader::open(path);
  KS_ASSERT(reader.has_value());
  const auto rows = reader->query("select count(*) from results");
  KS_ASSERT(rows && rows->rows[0][0] == Value(static_cast<std::int64_t>(kSeedRows)));
  const auto troubles = check_whole(path);
  KS_ASSERT(troubles && troubles->empty());
}

void read(const std::string& path) {
  auto reader = Reader::open(path);
  if (!fine(reader)) return;
  fine(reader->sweeps());
  fine(reader->all_accepted(SweepId{1}));
  if (const auto sweep = reader->find_sweep("first"); fine(sweep)) fine(reader->columns(sweep->id));
  if (const auto answer = best(*reader, {}); fine(answer)) {
    KS_ASSERT(is_json_object(to_json(*answer)));
    static_cast<void>(text_of(*answer, path, 10));
  }
  if (const auto answer = bits(*reader, {}); fine(answer)) KS_ASSERT(is_json_object(to_json(*answer)));
  if (const auto answer = sweep_effects(*reader, ""); fine(answer))
    KS_ASSERT(is_json_object(to_json(*answer)));
  for (const char* result : {"1", "6", "999"}) {
    const auto shown = show(*reader, result);
    if (!fine(shown)) continue;
    KS_ASSERT(is_json_object(to_json(*shown)));
    static_cast<void>(summary_of(*shown, "") + text_of(*shown));
  }
  ExportQuestion question;
  question.all_sweeps = true;
  question.format = ExportFormat::jsonl;
  fine(export_rows(*reader, question, [](std::string_view) { return Status(Done{}); }));
  for (const char* view : {"results", "attempt_history", "first", "event"}) {
    const auto rows = reader->query(std::string("select * from ") + view);
    if (fine(rows)) static_cast<void>(text_table(*rows));
  }
}

void write(const std::string& path) {
  auto store = Store::open_for_writing(path);
  if (!fine(store)) return;
  fine(store->identity());
  fine(store->to_be_continued());
  fine(store->has_other_sweeps("gemm", SweepId{1}));
  fine(EarlierResults::read(path, "gemm", SweepId{1}));
  for (const std::uint32_t sweep : {1, 2})
    fine(store->earlier(
        SweepId{sweep}, [](const Store::AnsweredRun&) {}, [](const AttemptId&, bool) {}));
  const auto begun = store->begin_sweep(a_sweep("second"));
  if (!fine(begun)) return;
  const std::vector<Value> values = {Value("naive"), Value(7), Value("f32")};
  for (const std::uint64_t index : {3, 11}) fine(store->record(an_attempt(begun->id, index, values)));
  fine(store->commit());
  fine(store->finish_sweep(begun->id, SweepState::finished, 1.8e9));
}

void save(const std::string& path) {
  const std::string to = folder().file("new.db");
  const auto troubles = check_whole(path);
  fine(troubles);
  const auto saved = recover(path, to);
  if (fine(saved)) {
    const auto left = check_whole(to);
    KS_ASSERT(left && left->empty());
    KS_ASSERT(Store::open_for_writing(to).has_value());
    static_cast<void>(text_of(*saved, path, to));
  } else {
    KS_ASSERT(!std::filesystem::exists(to));
  }
  read(saved ? to : path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Script script(bytes, size);
  const std::string path = folder().file("x.db");
  for (const char* name : {"x.db", "new.db"}) {
    for (const char* ending : {"", "-wal", "-shm", "-lock"})
      std::remove((folder().file(name) + ending).c_str());
  }
  const std::uint32_t what = script.below(3);
  std::string log;
  const std::string written = altered(script, log);
  write_file(path, written);
  if (!log.empty()) write_file(path + "-wal", log);
  if (log.empty() && written == seed()) judge_whole(path);
  if (what == 0) read(path);
  if (what == 1) write(path);
  if (what == 2) save(path);
  return 0;
}
