#include "kernels/command/report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace kernsweep::command {
namespace {

constexpr std::string_view kMark = "kernsweep:";
constexpr std::size_t kLineMax = 1024;

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

// The part after the prefix: "metric.score" -> "score". Nothing if there is none.
std::optional<std::string_view> part_after(std::string_view prefix, std::string_view word) {
  if (!word.starts_with(prefix)) return std::nullopt;
  word.remove_prefix(prefix.size());
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const bool is_name = !word.empty() && word.size() < KS_NAME_MAX && std::ranges::all_of(word, fits);
  return is_name ? std::optional(word) : std::nullopt;
}

}  // namespace

void Report::clear() {
  seconds.reset();
  flops.reset();
  bytes.reset();
  metrics.clear();
  error.clear();
  kind_ = Line::undecided;
  line_.clear();
  output_.clear();
  is_cut_ = false;
}

void Report::add_output(std::string_view more) {
  output_ += more;
  is_cut_ = is_cut_ || output_.size() > kept_bytes_;
  if (output_.size() > 2 * kept_bytes_) output_.erase(0, output_.size() - kept_bytes_);
}

std::string_view Report::output() const {
  const std::string_view all = output_;
  return all.substr(all.size() - std::min(all.size(), kept_bytes_));
}

// The line begins with the mark, behind blanks and what changes the colour, or may yet begin with it.
void Report::decide() {
  constexpr std::size_t kBeforeMost = 64;
  std::string_view rest = line_;
  while (!rest.empty()) {
    const auto blanks = std::min(rest.find_first_not_of(" \t"), rest.size());
    rest.remove_prefix(blanks);
    if (!rest.starts_with('\x1b')) break;
    const auto end = rest.find_first_of("mK");
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const bool may_be = rest.starts_with('\x1b') || kMark.starts_with(rest);
  if (rest == kMark) {
    kind_ = Line::ours;
    line_ = kMark;
  } else if (!may_be || line_.size() > kBeforeMost) {
    kind_ = Line::output;
    add_output(line_);
    line_.clear();
  }
}

void Report::add(std::string_view more) {
  while (!more.empty()) {
    const auto newline = more.find('\n');
    bool whole = newline != std::string_view::npos;
    std::string_view piece = more.substr(0, whole ? newline + 1 : more.size());
    // What follows a carriage return overwrites the line, as progress bars do.
    const auto back = kind_ == Line::ours ? std::string_view::npos : piece.find('\r');
    const bool returns = back != std::string_view::npos && !piece.substr(back + 1).starts_with('\n');
    if (returns) {
      piece = piece.substr(0, back + 1);
      whole = true;
    }
    more.remove_prefix(piece.size());
    for (; kind_ == Line::undecided && !piece.empty(); piece.remove_prefix(1)) {
      line_ += piece.front();
      decide();
    }
    if (kind_ == Line::ours && line_.size() < kLineMax) line_ += piece.substr(0, kLineMax - line_.size());
    if (kind_ == Line::output) add_output(piece);
    if (whole) end_line();
  }
}

void Report::finish() {
  end_line();
  for (const Metric& metric : metrics) {
    if (metric.value || !error.empty()) continue;
    error = "the command printed 'better." + metric.name + "=' or 'unit." + metric.name +
            "=' and no 'metric." + metric.name + "='";
  }
}

void Report::end_line() {
  if (kind_ == Line::ours) {
    while (!line_.empty() && (line_.back() == '\n' || line_.back() == '\r')) line_.pop_back();
    read_words(std::string_view(line_).substr(kMark.size()));
  } else {
    add_output(line_);
  }
  line_.clear();
  kind_ = Line::undecided;
}

void Report::read_words(std::string_view words) {
  bool any = false, good = true;
  while (good) {
    const auto start = words.find_first_not_of(" \t");
    if (start == std::string_view::npos) break;
    words.remove_prefix(start);
    const std::string_view word = words.substr(0, words.find_first_of(" \t"));
    words.remove_prefix(word.size());
    const auto equals = word.find('=');
    any = true;
    good = equals != std::string_view::npos && read_word(word.substr(0, equals), word.substr(equals + 1));
  }
  if ((any && good) || !error.empty()) return;
  constexpr std::size_t kShown = 200;
  error =
      "the command printed '" + line_.substr(0, kShown) + (line_.size() > kShown ? "..." : "") +
      "'; such a line holds seconds=, flops= or bytes=, each at most once in a run and with a number that "
      "is not negative, and metric.NAME= with a number, better.NAME=larger or smaller and unit.NAME=";
}

Report::Metric* Report::metric_named(std::string_view name) {
  const auto known = std::ranges::find(metrics, name, &Metric::name);
  if (known != metrics.end()) return &*known;
  if (metrics.size() == kMetricsMax) return nullptr;
  return &metrics.emplace_back(Metric{std::string(name), std::nullopt, KS_BETTER_BY_NAME, ""});
}

bool Report::read_word(std::string_view name, std::string_view value) {
  for (const auto& [known, said] : {std::pair("seconds", &seconds), {"flops", &flops}, {"bytes", &bytes}}) {
    if (name != known) continue;
    const auto number = number_of(value);
    if (!number || *number < 0 || said->has_value()) return false;
    *said = number;
    return true;
  }
  if (const auto counted = part_after("metric.", name)) {
    const auto number = number_of(value);
    Metric* const metric = number ? metric_named(*counted) : nullptr;
    if (!metric || metric->value) return false;
    metric->value = number;
    return true;
  }
  if (const auto judged = part_after("better.", name)) {
    if (value != "larger" && value != "smaller") return false;
    Metric* const metric = metric_named(*judged);
    if (!metric) return false;
    metric->better = value == "larger" ? KS_LARGER_IS_BETTER : KS_SMALLER_IS_BETTER;
    return true;
  }
  const auto measured = part_after("unit.", name);
  Metric* const metric =
      measured && !value.empty() && value.size() < KS_UNIT_MAX ? metric_named(*measured) : nullptr;
  if (metric) metric->unit = value;
  return metric != nullptr;
}

}  // namespace kernsweep::command
