#include "kernels/command/report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kernsweep::command {
namespace {

constexpr std::string_view kMark = "kernsweep:";
constexpr std::size_t kLineMax = 1024;

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

}  // namespace

void Report::clear() {
  seconds.reset();
  flops.reset();
  bytes.reset();
  error.clear();
  kind_ = Line::undecided;
  line_.clear();
  output_.clear();
}

void Report::add_output(std::string_view more) {
  output_ += more;
  if (output_.size() > 2 * kKeptBytes) output_.erase(0, output_.size() - kKeptBytes);
}

std::string_view Report::output() const {
  const std::string_view all = output_;
  return all.substr(all.size() - std::min(all.size(), kKeptBytes));
}

void Report::add(std::string_view more) {
  while (!more.empty()) {
    const auto newline = more.find('\n');
    const bool whole = newline != std::string_view::npos;
    std::string_view piece = more.substr(0, whole ? newline + 1 : more.size());
    more.remove_prefix(piece.size());
    if (kind_ == Line::undecided) {
      const auto wanted = kMark.size() - line_.size();
      line_ += piece.substr(0, wanted);
      piece.remove_prefix(std::min(wanted, piece.size()));
      if (line_ == kMark) {
        kind_ = Line::ours;
      } else if (!kMark.starts_with(line_)) {
        kind_ = Line::output;
        add_output(line_);
        line_.clear();
      }
    }
    if (kind_ == Line::ours && line_.size() < kLineMax) line_ += piece.substr(0, kLineMax - line_.size());
    if (kind_ == Line::output) add_output(piece);
    if (whole) end_line();
  }
}

void Report::finish() {
  end_line();
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
    const std::string_view name = word.substr(0, equals);
    std::optional<double>* const said = name == "seconds" ? &seconds
                                        : name == "flops" ? &flops
                                        : name == "bytes" ? &bytes
                                                          : nullptr;
    const auto number =
        equals == std::string_view::npos ? std::nullopt : number_of(word.substr(equals + 1));
    any = true;
    good = said != nullptr && number.has_value() && !said->has_value();
    if (good) *said = number;
  }
  if ((any && good) || !error.empty()) return;
  constexpr std::size_t kShown = 200;
  error =
      "the command printed '" + line_.substr(0, kShown) + (line_.size() > kShown ? "..." : "") +
      "'; such a line holds seconds=, flops= or bytes=, each at most once in a run and with a number that "
      "is not negative";
}

}  // namespace kernsweep::command
