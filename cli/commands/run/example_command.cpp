// The command `example`: the sweeps of the installation, to read, to change and to run.
#include <algorithm>
#include <filesystem>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "language/file/text_file.hpp"
#include "results/report/json.hpp"
#include "shared/base/installation.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = std::size_t{1} << 20;  // bytes of a sweep file

fs::path folder_of_sweeps() {
  return fs::path(installation_folder()) / "share" / "kernsweep" / "sweeps";
}

// "first_look", "claims/C3": paths below the folder, without .yaml, in order; those of the folder first.
std::vector<std::string> names_of_sweeps() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder_of_sweeps(), error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".yaml")
      names.push_back(at->path().lexically_relative(folder_of_sweeps()).replace_extension().string());
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair(name.find('/') != std::string::npos, name);
  });
  return names;
}

// The first line of the file, which is the question that the sweep answers.
std::string question_of(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : line;
}

// The text for a copy in another folder: `table` is relative to the folder of the file, and
// `env.PYTHONPATH` to that of the worker, for which sweeps use the folder above; both become absolute
// paths.
std::string with_places(std::string text, const fs::path& folder) {
  for (const auto& [mark, from] :
       {std::pair<std::string, fs::path>{"table: ", folder}, {"env.PYTHONPATH: ", folder.parent_path()}}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
      at += mark.size();
      const std::string value = text.substr(at, text.find_first_of(" ,}\n", at) - at);
      std::string quoted;
      append_json(Value((from / value).string()), quoted);
      text.replace(at, value.size(), quoted);
      at += quoted.size();
    }
  }
  return text;
}

class ExampleCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("name", name_, "Name of the example; without it, a line for each");
  }

  int run(const Invocation&) override {
    const std::vector<std::string> names = names_of_sweeps();
    if (names.empty())
      return report_error("this installation has no example sweeps: " + folder_of_sweeps().string() +
                          " has none");
    return name_.empty() ? list(names) : print(names);
  }

 private:
  static int list(const std::vector<std::string>& names) {
    std::size_t width = 0;
    for (const std::string& name : names) width = std::max(width, name.size());
    std::string out;
    for (const std::string& name : names) {
      const auto text = read_text_file((folder_of_sweeps() / (name + ".yaml")).string(), kLongest);
      out += name + std::string(width + 2 - name.size(), ' ') +
             (text ? question_of(*text) : text.error().message) + "\n";
    }
    return print_answer(out +
                        "\n`kernsweep example first_look > first_look.yaml` gives a file to change, "
                        "and `kernsweep run first_look.yaml` measures it\n");
  }

  int print(const std::vector<std::string>& names) const {
    const std::string wanted = name_.ends_with(".yaml") ? name_.substr(0, name_.size() - 5) : name_;
    const auto is_wanted = [&](const std::string& name) {
      return name == wanted || name.substr(name.find('/') + 1) == wanted;
    };
    const auto found = std::ranges::find_if(names, is_wanted);
    if (found == names.end())
      return report_error("there is no example sweep '" + name_ + "'" + did_you_mean(wanted, names));
    const auto text = read_text_file((folder_of_sweeps() / (*found + ".yaml")).string(), kLongest);
    if (!text) return report_error(text.error().message);
    return print_answer(with_places(*text, folder_of_sweeps()));
  }

  std::string name_;
};

}  // namespace

CommandEntry example_command() {
  return {"example", "Print an example sweep file, or list them", kAnswerFooter,
          std::make_unique<ExampleCommand>()};
}

}  // namespace kernsweep
