#include "results/report/bits_text.hpp"

#include <fmt/format.h>

#include "results/report/json.hpp"
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
  std::string text = "{\"sweep\": ";
  append_json(Value(answer.sweep), text);
  text += fmt::format(
      ", \"sweep_id\": {}, \"jobs\": {}, \"left_out\": {{\"failed\": {}, \"grade\": {}, \"without_hash\": "
      "{}}}",
      answer.id.value, answer.jobs, answer.failed, answer.graded_below, answer.without_hash);
  return text + ", \"axes\": " + to_json(answer.axes) + ", \"variants\": " + to_json(answer.variants) + "}";
}

}  // namespace kernsweep
