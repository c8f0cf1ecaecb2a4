#include "results/report/bits_text.hpp"

#include <fmt/format.h>

#include "results/report/json_object.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

std::string text_of(const BitsAnswer& answer, const BitsQuestion& question) {
  std::string text;
  if (answer.axes.rows.empty()) {
    text = "no two points to compare\n";
  } else {
    text = text_table(answer.axes);
  }
  if (!answer.variants.rows.empty()) text += "\n" + text_table(answer.variants);
  const std::uint64_t left = answer.failed + answer.graded_below + answer.without_hash;
  return text + fmt::format("{} of {} left out: {} failed, {} graded below {}, {} without an output hash\n",
                            text_of_count(left), counted(answer.jobs, "job", "jobs"),
                            text_of_count(answer.failed), text_of_count(answer.graded_below),
                            question.worst_grade, text_of_count(answer.without_hash));
}

std::string to_json(const BitsAnswer& answer) {
  JsonObject left_out, object;
  left_out.count("failed", answer.failed).count("grade", answer.graded_below);
  left_out.count("without_hash", answer.without_hash);
  object.add("sweep", answer.sweep).count("sweep_id", answer.id.value).count("jobs", answer.jobs);
  object.add_raw("left_out", left_out.text()).add_raw("axes", to_json(answer.axes));
  return object.add_raw("variants", to_json(answer.variants)).text();
}

}  // namespace kernsweep
