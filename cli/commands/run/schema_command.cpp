// The command `schema`: the JSON Schema of sweep files.
#include <cstdio>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "language/file/keys.hpp"

namespace kernsweep {
namespace {

class SchemaCommand : public Command {
 public:
  void declare(Options&) override {}
  int run(const Invocation&) override {
    std::printf("%s", sweep_json_schema().c_str());
    return 0;
  }
};

}  // namespace

CommandEntry schema_command() {
  return {"schema", "Print the JSON Schema of sweep files, for editors", kAnswerFooter,
          std::make_unique<SchemaCommand>()};
}

}  // namespace kernsweep
