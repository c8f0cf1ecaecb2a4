#!/usr/bin/env python3
"""Writes cpython_table.tsv: expressions and what CPython answers to them.

    python3 make_cpython_table.py > cpython_table.tsv

Lines: "# name <TAB> value" gives a name its value, "expression <TAB> answer" is a row. A value is null,
true, false, i<decimal>, f<hexadecimal float>, s<text>, or error: CPython raises, or some intermediate
integer leaves 64 bits, or the answer is complex. Every operator is applied by CPython itself, one node of
its syntax tree at a time, so that
intermediate results can be looked at; where that gives an answer, eval() of the whole must give the same.

Left out: what the language of sweep files deliberately does not have (arithmetic on texts and lists, min
and max of a text), nan (its place in lists depends on object identity in CPython), and float powers that
underflow (the C library
decides whether that is an error).
"""
import ast
import math
import operator
import random
import sys
import warnings

SEED = 20261121
RANDOM_ROWS = 3200
LOWEST, HIGHEST = -(2**63), 2**63 - 1

NAMES = {
    "a": 7, "b": -3, "n": 4096, "zero": 0, "one": 1, "big": 2**53 + 1, "lowest": LOWEST, "highest": HIGHEST,
    "x": 2.5, "y": -0.75, "tiny": 1e-300, "huge": 1.5e300, "whole": 16.0, "fzero": 0.0,
    "yes": True, "no": False, "none": None, "t": "f32", "u": "openblas", "empty": "", "accent": "caf\u00e9",
}


def ceil_div(left, right):
    return -(-left // right)


def is_pow2(number):
    if isinstance(number, (str, list, type(None))):
        raise TypeError("a number")
    return 1 <= number < math.inf and number == int(number) and int(number) & (int(number) - 1) == 0


FUNCTIONS = {"min": min, "max": max, "abs": abs, "round": round, "log2": math.log2, "ceil_div": ceil_div,
             "is_pow2": is_pow2, "len": len}


class LeftOut(Exception):
    """The row has no place in the table."""


class Wrong(Exception):
    """The expected answer is `error`."""


BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
          ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
           ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda l, r: l in r, ast.NotIn: lambda l,
               r: l not in r}


def checked(value):
    if isinstance(value, complex):
        raise Wrong
    if isinstance(value, int) and not LOWEST <= value <= HIGHEST:
        raise Wrong
    if isinstance(value, float) and math.isnan(value):
        raise LeftOut
    return value


def applied(function, *arguments):
    try:
        return checked(function(*arguments))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise Wrong from None


def power(left, right):
    if isinstance(left, int) and isinstance(right, int) and abs(left) > 1 and right > 64:
        raise Wrong
    answer = operator.pow(left, right)
    if isinstance(answer, float) and math.isfinite(left) and math.isfinite(right) and left != 0:
        if abs(answer) < 1e-307:
            raise LeftOut
    return answer


def binary(kind, left, right):
    if kind is ast.Pow:
        return applied(power, left, right)
    if isinstance(left, str) and kind is ast.Mod:
        raise LeftOut
    if isinstance(left, (str, list)) or isinstance(right, (str, list)):
        applied(BINARY[kind], left, right)
        raise LeftOut
    return applied(BINARY[kind], left, right)


def call(name, arguments):
    if name in ("min", "max") and len(arguments) == 1 and isinstance(arguments[0], str):
        raise LeftOut
    if name == "ceil_div":  # the negations inside it may leave 64 bits where the answer does not
        left, right = arguments
        if any(isinstance(argument, (str, list)) for argument in arguments):
            raise Wrong
        return applied(ceil_div, left, right)
    return applied(FUNCTIONS[name], *arguments)


def answer(node):
    if isinstance(node, ast.Constant):
        return checked(node.value)
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, ast.List):
        return [answer(item) for item in node.elts]
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.USub) and ast.unparse(node.operand) == str(2**63):
            return LOWEST
        return applied(UNARY[type(node.op)], answer(node.operand))
    if isinstance(node, ast.BinOp):
        left = answer(node.left)
        return binary(type(node.op), left, answer(node.right))
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            value = answer(part)
            if bool(value) == isinstance(node.op, ast.Or):
                return value
        return value
    if isinstance(node, ast.IfExp):
        return answer(node.body) if answer(node.test) else answer(node.orelse)
    if isinstance(node, ast.Compare):
        left = answer(node.left)
        for kind, right in zip(node.ops, node.comparators):
            right = answer(right)
            if not applied(COMPARE[type(kind)], left, right):
                return False
            left = right
        return True
    if isinstance(node, ast.Call):
        return call(node.func.id, [answer(argument) for argument in node.args])
    raise AssertionError(ast.dump(node))


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return "f" + value.hex()
    assert "\t" not in value and "\n" not in value
    return "s" + value


def same(left, right):
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and (left == right and str(left) == str(right))


def row(text):
    """The answer's text; raises LeftOut."""
    tree = ast.parse(text, mode="eval").body
    try:
        value = answer(tree)
    except Wrong:
        return "error"
    whole = eval(compile(text, "row", "eval"), {"__builtins__": {}}, {**FUNCTIONS, **NAMES})
    assert same(value, whole), (text, value, whole)
    return "error" if isinstance(value, list) else canonical(value)


class Maker:
    """Random expressions, as text with every part in brackets or none where precedence is to be tried."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self):
        kind = self.random.random()
        if kind < 0.35:
            return str(self.random.randint(0, 12))
        if kind < 0.45:
            return str(self.pick(16, 32, 63, 64, 100, 255, 1024, 1_000_003, 2**31, 2**53, 2**53 + 1,
                HIGHEST))
        if kind < 0.6:
            return self.pick("0.5", "0.1", "1.5", "2.0", "2.675", "3.", ".25", "1e3", "1e-3", "1e22",
                "123456.789", "1E2",
                             "9007199254740993.0", "9223372036854775807.0", "1_000", "0.0")
        if kind < 0.9:
            return self.pick("a", "b", "n", "zero", "one", "big", "lowest", "highest", "x", "y",
                "whole", "fzero", "yes",
                             "no")
        if kind < 0.93:
            return self.pick("tiny", "huge")
        return self.pick("True", "False", f"-{self.random.randint(1, 9)}",
                         f"-{self.random.randint(1, 99)}.5")

    def text(self):
        return self.pick("t", "u", "empty", "accent", "'f32'", '"blas"', "'f'", '""', "'openblas'",
            "'\u00e9'", "'z'",
                         r"'it\'s'", r'"a\\b"')

    def list(self, depth):
        item = self.pick(self.number, self.number, self.text, lambda: self.arithmetic(depth - 1))
        tail = self.pick("", "", "", ",")
        items = [item() for _ in range(self.random.randint(0, 4))]
        return "[" + ", ".join(items) + (tail if items else "") + "]"

    def arithmetic(self, depth):
        if depth <= 0:
            return self.number()
        kind = self.random.random()
        if kind < 0.55:
            op = self.pick("+", "-", "*", "/", "//", "%", "//", "%", "**")
            left, right = self.arithmetic(depth - 1), self.arithmetic(depth - 1)
            if op == "**" and self.random.random() < 0.8:
                right = self.pick("0", "1", "2", "3", "5", "31", "-1", "-2", "0.5", "-0.5", "2**3", "-1**2")
            return f"{left} {op} {right}"
        if kind < 0.65:
            return f"({self.arithmetic(depth - 1)})"
        if kind < 0.75:
            return self.pick("-", "+", "- -", "-") + self.arithmetic(depth - 1)
        if kind < 0.93:
            return self.call(depth)
        return f"({self.choice(depth - 1)})"

    def call(self, depth):
        def argument():
            return self.arithmetic(depth - 1)
        name = self.pick("min", "max", "abs", "round", "round", "log2", "ceil_div", "is_pow2", "len")
        if name in ("min", "max"):
            if self.random.random() < 0.3:
                return f"{name}({self.list(depth)})"
            return f"{name}({', '.join(argument() for _ in range(self.random.randint(2, 4)))})"
        if name == "round" and self.random.random() < 0.6:
            number = argument()
            digits = self.pick("0", "1", "2", "-1", "-2", "-3", "-18", "-19", "4", "None", "a", "x")
            return f"round({number}, {digits})"
        if name == "ceil_div":
            return f"ceil_div({argument()}, {argument()})"
        if name == "len":
            return f"len({self.pick(self.text(), self.list(depth), self.text(), argument())})"
        return f"{name}({argument()})"

    def comparison(self, depth):
        kind = self.random.random()
        if kind < 0.6:
            parts = [self.arithmetic(depth - 1) for _ in range(self.pick(2, 2, 2, 3, 4))]
            ops = [self.pick("==", "!=", "<", "<=", ">", ">=") for _ in parts[1:]]
        elif kind < 0.75:
            parts = [self.text() for _ in range(self.pick(2, 2, 3))]
            ops = [self.pick("==", "!=", "<", "<=", ">", ">=", "in", "not in") for _ in parts[1:]]
        elif kind < 0.9:
            parts = [self.pick(self.text(), self.arithmetic(depth - 1), "none"), self.list(depth)]
            ops = [self.pick("in", "not in", "in", "==")]
        elif kind < 0.95:
            parts = [self.list(depth), self.list(depth)]
            ops = [self.pick("==", "!=", "<", "<=", ">", ">=")]
        else:
            parts = [self.pick("none", "None", self.text(), self.number(),
                self.list(depth)) for _ in range(2)]
            ops = [self.pick("==", "!=", "<", "in", ">=")]
        return parts[0] + "".join(f" {op} {part}" for op, part in zip(ops, parts[1:]))

    def logic(self, depth):
        kind = self.random.random()
        if depth <= 0 or kind < 0.4:
            return self.pick(self.comparison, self.comparison, self.comparison,
                self.arithmetic)(max(depth, 1))
        if kind < 0.75:
            return f"{self.logic(depth - 1)} {self.pick('and', 'or')} {self.logic(depth - 1)}"
        if kind < 0.85:
            return f"not {self.logic(depth - 1)}"
        if kind < 0.93:
            return f"({self.logic(depth - 1)})"
        return self.pick(self.text(), "none", "empty", "[]", "zero")

    def choice(self, depth):
        return f"{self.arithmetic(depth)} if {self.logic(depth)} else {self.arithmetic(depth)}"

    def expression(self):
        depth = self.pick(1, 2, 2, 3)
        return self.pick(self.arithmetic, self.arithmetic, self.comparison, self.logic, self.choice)(depth)


def main():
    with open(__file__.replace("make_cpython_table.py", "chosen.txt"), encoding="utf-8") as file:
        chosen = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    maker = Maker(SEED)
    rows, seen, errors = [], set(), 0
    warnings.simplefilter("ignore", SyntaxWarning)  # `1 < 'a'` and the like are there on purpose
    for text in chosen:
        try:
            rows.append((text, row(text)))
        except (LeftOut, SyntaxError) as problem:
            sys.exit(f"chosen.txt: {text}: {problem!r}")
        seen.add(text)
    wanted = len(rows) + RANDOM_ROWS
    while len(rows) < wanted:
        text = maker.expression()
        if text in seen or len(text) > 300:
            continue
        try:
            expected = row(text)
        except LeftOut:
            continue
        # Most random expressions with strange numbers fail: a quarter of the rows is enough of that.
        if expected == "error" and (errors + 1) * 4 > len(rows) + 4:
            continue
        errors += expected == "error"
        seen.add(text)
        rows.append((text, expected))
    print(f"# made by make_cpython_table.py with CPython {sys.version_info.major}.{sys.version_info.minor}")
    for name, value in NAMES.items():
        print(f"# {name}\t{canonical(value)}")
    for text, expected in rows:
        print(f"{text}\t{expected}")


if __name__ == "__main__":
    main()
