// Regular expressions over text of programs. Wraps RE2, whose time is linear in the text whatever the
// pattern, so that no pattern hangs a job.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace re2 {
class RE2;
}

namespace kernsweep {

class Pattern {
 public:
  // RE2's syntax; groups are named as in `(?<value>[0-9.]+)`, `(?P<value>...)` too. ^ and $ are the ends of
  // a line. Error: what is wrong with it.
  static Result<Pattern> of(const std::string& text);

  // The names of groups.
  std::vector<std::string> groups() const;
  bool has_group(std::string_view name) const;

  using Match = std::map<std::string, std::string_view, std::less<>>;  // named groups that took part
  // Parts of `text`: matches that do not overlap, in their order, at most `most`.
  std::vector<Match> matches(std::string_view text, std::size_t most) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace kernsweep
