#include "language/expression/functions.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace kernsweep {
namespace expression {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr Function kFunctions[] = {
    {"abs", 1, 1, Op::absolute, Op::absolute},
    {"ceil_div", 2, 2, Op::ceil_div, Op::ceil_div},
    {"is_pow2", 1, 1, Op::is_pow2, Op::is_pow2},
    {"len", 1, 1, Op::length, Op::length},
    {"log2", 1, 1, Op::log2, Op::log2},
    {"max", 1, kAny, Op::maximum_of, Op::maximum},
    {"min", 1, kAny, Op::minimum_of, Op::minimum},
    {"round", 1, 2, Op::round_whole, Op::round_digits},
};

}  // namespace

const Function* find_function(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const Function& function) { return function.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string_view spelling(Op op) {
  constexpr std::string_view kSpellings[] = {
      "constant", "list", "name", "list", "jump",  "if",   "and",     "or",     "chain",  //
      "==",       "!=",   "<",    "<=",   ">",     ">=",   "in",      "not in",           //
      "+",        "-",    "*",    "/",    "//",    "%",    "**",      "min",    "max",   "ceil_div",
      "round",  //
      "not",      "-",    "+",    "abs",  "round", "log2", "is_pow2", "len",    "min",   "max",
  };
  static_assert(std::size(kSpellings) == static_cast<std::size_t>(Op::maximum_of) + 1);
  return kSpellings[static_cast<std::size_t>(op)];
}

}  // namespace expression

std::vector<std::string> expression_functions() {
  std::vector<std::string> names;
  for (const auto& function : expression::kFunctions) names.emplace_back(function.name);
  return names;
}

}  // namespace kernsweep
