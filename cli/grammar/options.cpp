#include "cli/grammar/options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <utility>

namespace kernsweep {
namespace {

CLI::Option* not_empty(CLI::Option* option) {
  option->check([](const std::string& word) {
    return std::string(word.empty() ? "is empty; leave the option out, or give it a word" : "");
  });
  return option;
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}
Option& Option::hidden() {
  option_->group("");
  return *this;
}
Option& Option::range(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}
Option& Option::range(double low, double high) {
  option_->check(CLI::Range(low, high));
  return check([](const std::string& word) {  // which is in every range of CLI11
    double number = 0;
    const bool is_nan = CLI::detail::lexical_cast(word, number) && std::isnan(number);
    return is_nan ? "'" + word + "' is not a number" : std::string();
  });
}
Option& Option::one_of(std::initializer_list<const char*> words) {
  option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
  return *this;
}
Option& Option::check(std::function<std::string(const std::string&)> complaint) {
  option_->check(std::move(complaint));
  return *this;
}
Option& Option::count(int at_least, int at_most) {
  option_->expected(at_least, at_most);
  return *this;
}
Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option Options::option(const char* names, std::string& into, const char* what) {
  return Option(not_empty(app_->add_option(names, into, what)));
}
Option Options::option(const char* names, std::uint32_t& into, const char* what) {
  return Option(app_->add_option(names, into, what));
}
Option Options::option(const char* names, std::int32_t& into, const char* what) {
  return Option(app_->add_option(names, into, what));
}
Option Options::option(const char* names, std::uint64_t& into, const char* what) {
  return Option(app_->add_option(names, into, what));
}
Option Options::option(const char* names, double& into, const char* what) {
  return Option(app_->add_option(names, into, what));
}
Option Options::option(const char* names, std::optional<std::uint32_t>& into, const char* what) {
  return Option(app_->add_option(names, into, what));
}
Option Options::option(const char* names, const std::function<void(const std::string&)>& take,
                       const char* what) {
  return Option(not_empty(app_->add_option_function(names, take, what)));
}
Option Options::option(const char* names, std::vector<std::string>& into, const char* what) {
  CLI::Option* const added = not_empty(app_->add_option(names, into, what));
  if (!added->get_positional()) added->take_all()->allow_extra_args(false);
  return Option(added);
}
Option Options::flag(const char* names, bool& into, const char* what) {
  return Option(app_->add_flag(names, into, what));
}
Option Options::flag(const char* names, std::string& into, const char* what) {
  return Option(app_->add_flag(names, into, what));
}
Options Options::exactly_one(const char* title) {
  CLI::Option_group* const group = app_->add_option_group(title);
  group->require_option(1);
  return Options(group);
}

}  // namespace kernsweep
