#include "cli/commands/repair/library_probe.hpp"

#include <algorithm>
#include <map>

#include "cli/commands/run/slot_question.hpp"
#include "shared/base/installation.hpp"
#include "worker/catalogue.hpp"
#include "worker/host/doctor/library_fit.hpp"
#include "worker/process/environment.hpp"

namespace kernsweep {
namespace {

struct Question {
  std::string variant, library;                    // `library`: empty if the variant has a fixed one
  std::map<std::string, std::string> environment;  // added to the usual environment of a slot
};

Result<Child> ask(const std::string& pack, const Question& question) {
  std::vector<std::string> words = {"--runtime", pack,  "gemm", question.variant,
                                    "dtype=f32", "m=8", "n=8",  "k=8"};
  if (!question.library.empty()) words.push_back("blas.library=" + question.library);
  return ask_slot(std::move(words), slot_environment(question.environment, 1));
}

std::vector<SlotAnswer> ask_all(const std::string& pack, const std::vector<Question>& questions) {
  std::vector<Result<Child>> children;
  for (const Question& question : questions) children.push_back(ask(pack, question));
  std::vector<SlotAnswer> answers;
  for (Result<Child>& child : children) answers.push_back(answer_of(child));
  return answers;
}

std::string pack_of_products() {
  const auto catalogue = read_catalogue(pack_folders(), false, "gemm");
  if (!catalogue) return "";
  return pack_with(*catalogue, "gemm", "blas").value_or("");
}

// Adds a library, or only its names if it is already known: different files may load the same library.
void merge(LibraryConditions library, std::vector<LibraryConditions>& out) {
  const std::string file = chosen_kernels(library.runtime).file;
  for (LibraryConditions& known : out) {
    if (file.empty() || chosen_kernels(known.runtime).file != file) continue;
    known.also.push_back(library.name);
    known.also.insert(known.also.end(), library.also.begin(), library.also.end());
    return;
  }
  out.push_back(std::move(library));
}

void try_settings(const std::string& pack, const HostConditions& host, LibraryConditions& library) {
  const ChosenKernels now = chosen_kernels(library.runtime);
  const auto processor = level_of_processor(host.instructions);
  if (!now.level || !processor || !is_narrower(*now.level, *processor)) return;
  for (const auto& [variable, value] :
       better_settings(now, *processor, host.cpu_vendor == "AuthenticAMD")) {
    const auto answers = ask_all(pack, {{"blas", library.name, {{variable, value}}}});
    library.tried.push_back({variable, value, answers[0].runtime});
    const auto level = chosen_kernels(answers[0].runtime).level;
    if (level && is_narrower(*now.level, *level)) return;
  }
}

}  // namespace

void ask_libraries(const std::vector<LibraryFile>& files, HostConditions& host) {
  const std::string pack = pack_of_products();
  std::vector<Question> questions;
  for (const LibraryFile& file : files) questions.push_back({"blas", file.name, {}});
  questions.push_back({"onednn", "", {}});
  std::vector<SlotAnswer> answers(questions.size(),
                                  {.reason = "not asked: there is no pack of matrix products here"});
  if (!pack.empty()) answers = ask_all(pack, questions);
  for (std::size_t i = 0; i < files.size(); ++i) {
    LibraryConditions library{files[i].name, files[i].also, answers[i].runtime, answers[i].reason, {}};
    merge(std::move(library), host.blas);
  }
  for (LibraryConditions& library : host.blas) try_settings(pack, host, library);
  host.onednn = LibraryConditions{"oneDNN", {}, answers.back().runtime, answers.back().reason, {}};
}

}  // namespace kernsweep
