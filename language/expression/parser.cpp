#include "language/expression/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

#include "language/expression/emitter.hpp"
#include "language/expression/functions.hpp"
#include "language/expression/lexer.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep::expression {
namespace {

struct Binary {
  Word word;
  Op op;
};

constexpr Binary kComparisons[] = {
    {Word::equal, Op::equal},     {Word::not_equal, Op::not_equal},
    {Word::less, Op::less},       {Word::less_equal, Op::less_equal},
    {Word::greater, Op::greater}, {Word::greater_equal, Op::greater_equal},
    {Word::key_in, Op::in},
};
constexpr Binary kSums[] = {{Word::plus, Op::add}, {Word::minus, Op::subtract}};
constexpr Binary kTerms[] = {{Word::star, Op::multiply},
                             {Word::slash, Op::divide},
                             {Word::double_slash, Op::floor_divide},
                             {Word::percent, Op::remainder}};

template <std::size_t Size>
std::optional<Op> op_of(Word word, const Binary (&table)[Size]) {
  for (const auto& entry : table) {
    if (entry.word == word) return entry.op;
  }
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : tokens_(std::move(tokens)), emitter_(text) {}

  Result<std::unique_ptr<const Code>> parse() {
    if (here().word == Word::end) return failure("column 1: the expression is empty");
    KS_RETURN_IF_ERROR(expression());
    if (here().word != Word::end) return expected("an operator or the end");
    return emitter_.take();
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  void step() { ++at_; }
  bool take(Word word) {
    if (here().word != word) return false;
    step();
    return true;
  }

  static tl::unexpected<Error> wrong(const Token& token, std::string_view what) {
    return failure(fmt::format("column {}: {}", token.column, what));
  }

  tl::unexpected<Error> expected(std::string_view what) const {
    const Token& found = here();
    std::string message = fmt::format("expected {}, found ", what);
    if (found.word == Word::end) return wrong(found, message + "the end");
    message += found.word == Word::text ? std::string(found.source) : fmt::format("'{}'", found.source);
    std::string lower(found.source);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view kWords[] = {"and", "or", "not", "in", "if", "else"};
    if (found.word == Word::name &&
        std::find(std::begin(kWords), std::end(kWords), lower) != std::end(kWords)) {
      message += fmt::format("; write '{}'", lower);
    } else if (found.word == Word::name && lower == "is") {
      message += "; write '==' or '!='";
    } else if (found.word == Word::comma) {
      message += "; a list is written [a, b]";
    }
    return wrong(found, message);
  }

  // Calls `part` one level deeper; error: that is deeper than kDepthMax.
  Status deeper(Status (Parser::*part)()) {
    if (depth_ == kDepthMax) {
      return wrong(here(),
                   fmt::format("more than {} levels inside each other; split the expression", kDepthMax));
    }
    ++depth_;
    Status read = (this->*part)();
    --depth_;
    return read;
  }

  Status expression() {
    const std::size_t start = emitter_.here();
    KS_RETURN_IF_ERROR(disjunction());
    const std::uint16_t column = here().column;
    if (!take(Word::key_if)) return Done{};
    emitter_.forget_one();
    const std::size_t middle = emitter_.here();
    KS_RETURN_IF_ERROR(disjunction());
    emitter_.condition_first(start, middle, column);
    const std::size_t over = emitter_.jump(Op::jump, column);
    if (!take(Word::key_else)) return expected("'else' and the value for when the condition is false");
    KS_RETURN_IF_ERROR(deeper(&Parser::expression));
    emitter_.land(over);
    return Done{};
  }

  Status disjunction() { return short_circuit(Word::key_or, Op::jump_if_true_keep, &Parser::conjunction); }
  Status conjunction() { return short_circuit(Word::key_and, Op::jump_if_false_keep, &Parser::inversion); }

  Status short_circuit(Word word, Op op, Status (Parser::*part)()) {
    KS_RETURN_IF_ERROR((this->*part)());
    while (here().word == word) {
      const std::size_t out = emitter_.jump(op, here().column);
      step();
      KS_RETURN_IF_ERROR((this->*part)());
      emitter_.land(out);
    }
    return Done{};
  }

  Status inversion() {
    const std::uint16_t column = here().column;
    if (!take(Word::key_not)) return comparison();
    KS_RETURN_IF_ERROR(deeper(&Parser::inversion));
    emitter_.unary(Op::logical_not, column);
    return Done{};
  }

  // The comparison at the current word, which is not consumed.
  std::optional<Op> comparison_here() const {
    if (here().word == Word::key_not && next().word == Word::key_in) return Op::not_in;
    return op_of(here().word, kComparisons);
  }

  Status comparison() {
    KS_RETURN_IF_ERROR(sum());
    std::vector<std::size_t> exits;
    while (const auto op = comparison_here()) {
      const std::uint16_t column = here().column;
      step();
      if (*op == Op::not_in) step();
      KS_RETURN_IF_ERROR(sum());
      if (comparison_here()) {
        exits.push_back(emitter_.chain(*op, column));
      } else {
        emitter_.binary(*op, column);
      }
    }
    for (const std::size_t exit : exits) emitter_.land(exit);
    return Done{};
  }

  Status sum() { return from_the_left(kSums, &Parser::term); }
  Status term() { return from_the_left(kTerms, &Parser::factor); }

  template <std::size_t Size>
  Status from_the_left(const Binary (&table)[Size], Status (Parser::*part)()) {
    KS_RETURN_IF_ERROR((this->*part)());
    while (const auto op = op_of(here().word, table)) {
      const std::uint16_t column = here().column;
      step();
      KS_RETURN_IF_ERROR((this->*part)());
      emitter_.binary(*op, column);
    }
    return Done{};
  }

  Status factor() {
    const Token& first = here();
    if (first.word != Word::minus && first.word != Word::plus) return power();
    step();
    constexpr std::uint64_t kOfLowest = std::uint64_t{1} << 63;
    if (first.word == Word::minus && here().word == Word::integer && here().magnitude == kOfLowest &&
        next().word != Word::double_star) {
      emitter_.push_constant(Operand::make(std::numeric_limits<std::int64_t>::min()), first.column);
      step();
      return Done{};
    }
    const std::size_t start = emitter_.here();
    KS_RETURN_IF_ERROR(deeper(&Parser::factor));
    emitter_.sign(first.word == Word::minus ? Op::negate : Op::affirm, start, first.column);
    return Done{};
  }

  Status power() {
    KS_RETURN_IF_ERROR(primary());
    const std::uint16_t column = here().column;
    if (!take(Word::double_star)) return Done{};
    KS_RETURN_IF_ERROR(deeper(&Parser::factor));
    emitter_.binary(Op::power, column);
    return Done{};
  }

  Status primary() {
    const Token& token = here();
    switch (token.word) {
      case Word::name:
        return name_or_call();
      case Word::left_bracket:
        return deeper(&Parser::list);
      case Word::left_paren:
        return deeper(&Parser::parenthesis);
      case Word::integer:
        if (token.magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
          return wrong(token, fmt::format("{} does not fit in 64 bits; write it as a float, with '.0'",
                                          token.source));
        }
        emitter_.push_constant(Operand::make(static_cast<std::int64_t>(token.magnitude)), token.column);
        break;
      case Word::real:
        emitter_.push_constant(Operand::make(token.real), token.column);
        break;
      case Word::text:
        emitter_.push_text(token.content, token.column);
        break;
      case Word::key_true:
      case Word::key_false:
        emitter_.push_constant(Operand::make(token.word == Word::key_true), token.column);
        break;
      case Word::key_null:
        emitter_.push_constant(Operand::make_null(), token.column);
        break;
      default:
        return expected("a value");
    }
    step();
    return Done{};
  }

  Status parenthesis() {
    step();
    KS_RETURN_IF_ERROR(expression());
    if (!take(Word::right_paren)) return expected("')'");
    return Done{};
  }

  Status list() {
    const std::uint16_t column = here().column;
    const std::size_t start = emitter_.here();
    std::size_t count = 0;
    step();
    while (here().word != Word::right_bracket) {
      KS_RETURN_IF_ERROR(expression());
      ++count;
      if (!take(Word::comma)) break;
    }
    if (!take(Word::right_bracket)) return expected("',' or ']'");
    emitter_.make_list(start, count, column);
    return Done{};
  }

  Status name_or_call() {
    const Token& token = here();
    const Function* function = find_function(token.source);
    if (next().word == Word::left_paren) {
      if (function == nullptr) return unknown_function(token);
      return deeper(&Parser::call);
    }
    if (function != nullptr) {
      return wrong(token,
                   fmt::format("{0} is a function and cannot be a name; call it: {0}(...)", token.source));
    }
    emitter_.push_name(token.source, token.column);
    step();
    return Done{};
  }

  static tl::unexpected<Error> unknown_function(const Token& token) {
    // For "math.log2", log2 is suggested.
    const std::size_t dot = token.source.rfind('.');
    const std::string_view last =
        dot == std::string_view::npos ? token.source : token.source.substr(dot + 1);
    return wrong(token, fmt::format("unknown function '{}'{}", token.source,
                                    did_you_mean(last, expression_functions())));
  }

  Status call() {
    const Token& token = here();
    const Function& function = *find_function(token.source);
    step();
    step();
    std::size_t count = 0;
    while (here().word != Word::right_paren) {
      KS_RETURN_IF_ERROR(expression());
      if (++count > 1) emitter_.binary(function.two, token.column);
      if (!take(Word::comma)) break;
    }
    if (here().word != Word::right_paren) return expected("',' or ')'");
    step();
    if (count < function.arguments_min || count > function.arguments_max) {
      const std::size_t wanted =
          count < function.arguments_min ? function.arguments_min : function.arguments_max;
      const std::string_view bound = function.arguments_min == function.arguments_max ? ""
                                     : count < function.arguments_min                 ? "at least "
                                                                                      : "at most ";
      return wrong(token, fmt::format("{} takes {}{} argument{}, not {}", function.name, bound, wanted,
                                      wanted == 1 ? "" : "s", count));
    }
    if (count == 1) emitter_.unary(function.one, token.column);
    return Done{};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Emitter emitter_;
};

}  // namespace

Result<std::unique_ptr<const Code>> compile(std::string_view text) {
  KS_ASSIGN_OR_RETURN(auto tokens, read_words(text));
  return Parser(text, std::move(tokens)).parse();
}

}  // namespace kernsweep::expression
