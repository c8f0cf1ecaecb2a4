// Checks the values for a batch script; declared in cli/launch/slurm_script.hpp.
#include <algorithm>
#include <cctype>

#include "cli/launch/slurm_script.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Status check_word(const std::string& what, const std::string& text) {
  if (has_control(text))
    return failure(what +
                   " has a line break or another control character, which no script can hold safely");
  return Done{};
}

// sbatch reads its options without a shell: they cannot be quoted. Valid values have only these characters.
Status check_option(const std::string& option, const std::string& text) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string("_.:,=@+%/[]()*&|-").find(static_cast<char>(c)) != std::string::npos;
  };
  if (std::all_of(text.begin(), text.end(), fits)) return Done{};
  return failure(option + " '" + text +
                 "' has a blank, a quote or another character that sbatch would misread");
}

std::optional<std::uint64_t> some_number(const std::string& text) {
  const auto value = number_of<std::uint64_t>(text);
  return value && *value <= 1'000'000'000 ? value : std::nullopt;
}

// Reads "1:2:3" as numbers; returns an empty list if a part is not a number.
std::vector<std::uint64_t> numbers_of(const std::string& text) {
  std::vector<std::uint64_t> found;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(':', at), text.size());
    const auto number = some_number(text.substr(at, end - at));
    if (!number) return {};
    found.push_back(*number);
    at = end + 1;
  }
  return found;
}

bool names_task(const SlurmJob& job) {
  const auto named = [](const std::string& text) { return text.find(kTaskPlace) != std::string::npos; };
  return named(job.database) || named(job.join) ||
         std::any_of(job.replacements.begin(), job.replacements.end(), named);
}

// Checks tcp://HOST:PORT (port * is any), because libzmq would report an error only after the job has got
// its nodes. ipc:// is rejected: it works on one machine only, and no join file is written for it.
Status check_listen(const std::string& listen) {
  const std::string_view tcp = "tcp://";
  const auto colon = listen.rfind(':');
  const auto port = colon == std::string::npos ? std::nullopt : some_number(listen.substr(colon + 1));
  const bool any_port = colon != std::string::npos && listen.substr(colon + 1) == "*";
  const bool fits = listen.starts_with(tcp) && colon > tcp.size() &&
                    listen.find_first_of(" /", tcp.size()) == std::string::npos &&
                    (any_port || (port && *port >= 1 && *port <= 65'535));
  if (fits) return Done{};
  return failure(
      "--listen '" + listen +
      "' is not an address for workers of other nodes; write it as tcp://*:7777, with a port from 1 "
      "to 65535, or * for any");
}

// The first member of one part of an array: "7", "0-15" or "0-15:4". nullopt: the part is not valid.
std::optional<std::uint64_t> first_of_part(const std::string& text) {
  const auto dash = text.find('-');
  const auto first = some_number(text.substr(0, dash));
  if (dash == std::string::npos || !first) return first;
  const auto colon = text.find(':', dash);
  const auto last = some_number(text.substr(dash + 1, colon - std::min(colon, dash + 1)));
  const auto step = colon == std::string::npos ? 1 : some_number(text.substr(colon + 1));
  return last && *first <= *last && step && *step >= 1 ? first : std::nullopt;
}

Status check_words(const SlurmJob& job) {
  const std::pair<const char*, std::string> words[] = {{"the name of the sweep file", job.sweep_file},
                                                       {"--db", job.database},
                                                       {"--join", job.join},
                                                       {"--program", job.program},
                                                       {"--listen", job.listen}};
  for (const auto& [what, text] : words) {
    KS_RETURN_IF_ERROR(check_word(what, text));
  }
  for (const std::string& word : job.replacements) {
    KS_RETURN_IF_ERROR(check_word("a replacement of an axis or a setting", word));
  }
  for (const std::string& word : job.worker_options) {
    KS_RETURN_IF_ERROR(check_word("--worker", word));
  }
  for (const std::string& line : job.extra) {
    KS_RETURN_IF_ERROR(check_word("--extra", line));
    if (!line.starts_with("#SBATCH -"))
      return failure(
          "--extra takes a whole line for sbatch, such as '#SBATCH --constraint=skylake', not '" + line +
          "'");
  }
  return Done{};
}

}  // namespace

Result<std::uint64_t> slurm_seconds(const std::string& text) {
  if (text == "infinite" || text == "unlimited" || text == "INFINITE" || text == "UNLIMITED") return 0;
  const auto wrong =
      failure("--time '" + text +
              "' is not a time limit; write minutes, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, "
              "DAYS-HOURS, DAYS-HOURS:MINUTES or DAYS-HOURS:MINUTES:SECONDS");
  const auto dash = text.find('-');
  if (dash != std::string::npos) {
    const auto days = some_number(text.substr(0, dash));
    const auto rest = numbers_of(text.substr(dash + 1));
    if (!days || rest.empty() || rest.size() > 3) return wrong;
    std::uint64_t seconds = *days * 86'400;
    const std::uint64_t units[] = {3600, 60, 1};
    for (std::size_t i = 0; i < rest.size(); ++i) seconds += rest[i] * units[i];
    return seconds;
  }
  const auto parts = numbers_of(text);
  switch (parts.size()) {
    case 1:
      return parts[0] * 60;
    case 2:
      return parts[0] * 60 + parts[1];
    case 3:
      return parts[0] * 3600 + parts[1] * 60 + parts[2];
    default:
      return wrong;
  }
}

Result<std::uint64_t> first_of_array(const std::string& text) {
  const auto wrong =
      failure("--array '" + text +
              "' is not a list of numbers; write it as sbatch does: 0-7, 1,4,9 or 0-15:4%2, the "
              "smaller number first");
  const auto percent = text.find('%');  // "%2": at most 2 members run at a time
  if (percent != std::string::npos && some_number(text.substr(percent + 1)).value_or(0) == 0) return wrong;
  const std::string list = text.substr(0, percent);
  std::optional<std::uint64_t> first;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto of_part = first_of_part(list.substr(at, end - at));
    if (!of_part) return wrong;
    if (!first) first = of_part;
    at = end + 1;
  }
  return *first;
}

Status check_slurm_job(const SlurmJob& job) {
  if (job.nodes == 0) return failure("--nodes 0 leaves no node to measure on; give at least 1");
  const std::pair<const char*, std::string> options[] = {
      {"--partition", job.partition}, {"--gres", job.gres},         {"--time", job.time},
      {"--account", job.account},     {"--job-name", job.job_name}, {"--array", job.array}};
  for (const auto& [option, text] : options) {
    KS_RETURN_IF_ERROR(check_option(option, text));
  }
  KS_RETURN_IF_ERROR(check_words(job));
  if (job.join.empty()) KS_RETURN_IF_ERROR(check_listen(job.listen));
  if (!job.time.empty()) {
    KS_ASSIGN_OR_RETURN(const auto limit, slurm_seconds(job.time));
    if (limit != 0 && limit <= job.lead_s) {
      return failure("--time " + job.time + " is not longer than the " + std::to_string(job.lead_s) +
                     " s before the limit in which workers finish; give more time, or a smaller --lead");
    }
  }
  if (job.lead_s == 0 || job.lead_s > 65'535)
    return failure("--lead " + std::to_string(job.lead_s) + " is not possible; sbatch takes 1 to 65535 s");
  if (!job.array.empty()) {
    KS_RETURN_IF_ERROR(first_of_array(job.array));
  } else if (names_task(job)) {
    return failure(std::string(kTaskPlace) +
                   " stands for the number of an array's member; give --array too");
  }
  return Done{};
}

}  // namespace kernsweep
