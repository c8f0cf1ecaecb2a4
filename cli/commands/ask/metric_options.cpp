#include "cli/commands/ask/metric_options.hpp"

#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "results/answer/best/best_metric.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

void MetricOptions::declare(Options& to) {
  to.option("--metric", metric_,
            "median_s (default), gflops, gbps, min_s, max_s, of single calls p90_s, p99_s, p999_s, "
            "energy_j, cpu_s, peak_memory_bytes, or a name of the table metric");
  to.option("--better", better_,
            "Which numbers of a name of the table metric are the better ones: larger or smaller "
            "(default: as was declared, or as its unit says)")
      .one_of({"larger", "smaller"});
  to.option("--grade", grade_, "Worst grade to use: A, B or C (default: B)");
  add_margin(to, margin_);
}

Status MetricOptions::choose(Reader& reader, BestQuestion& question) const {
  KS_ASSIGN_OR_RETURN(const auto rules, comparison_rules(margin_));
  question.rules = rules;
  if (!metric_.empty()) {
    KS_RETURN_IF_ERROR(choose_metric(reader, metric_, question));
  }
  question.better = better_named(better_);
  if (question.better != Better::unknown && question.metric != BestMetric::counted)
    return failure("--better is only for names of the table metric; for " +
                   std::string(name_of(question.metric)) + " a " +
                   std::string(name_of(better_in(question))) + " value is always better");
  if (grade_.empty()) return Done{};
  if (grade_.size() != 1 || grade_[0] < 'A' || grade_[0] > 'C')
    return failure("--grade is A, B or C, not '" + grade_ + "'");
  question.worst_grade = grade_[0];
  return Done{};
}

}  // namespace kernsweep
