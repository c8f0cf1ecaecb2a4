"""Sizes, names and words: STYLE as tests."""
import ast
import re

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 69
LINE_COLUMNS_MAX = 109

TYPE_NAME = re.compile(r"\b(?:class|struct|enum(?:\s+class)?|union|using|concept)\s+"
                       r"(\w*(?:Manager|Helpers?|Utils?|Info|Data))\b")
FUNCTION_NAME = re.compile(r"(?<![.\w>:])(process|handle)\s*\(")
FILE_NAME = re.compile(r"(^|_)(utils?|helpers?|manager|misc|common)(_|\.)")
# In pieces, so that this file does not break its own rule.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|\bnot (yet )?imple" r"mented\b",
                        re.IGNORECASE)
SLEEP = re.compile(r"\bsleep_(for|until)\b|\b(u|nano)sleep\s*\(|\btime\.sle" r"ep\b|(?<!\w)::sleep\s*\("
                   r"|\bWaitForNotificationWithTimeout\b")
USING = re.compile(r"\s*using [\w:]+::(\w+);")
SHELL_SLEEP = re.compile(r"^\s*sleep\s")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(work|home/\w+|root|Users|mnt|tmp/h)/|\bx86_64-linux-gnu\b"
                          r"|\b(deb|security)\.debian\.org\b|\bpypi\.org\b")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
NOT_A_FUNCTION = re.compile(r"^\s*(template\s*<[^{]*>\s*)?"
                            r"(namespace|class|struct|enum|union|extern|typedef|using|concept)\b")


def rule_size(source, report):
    if source.is_code and len(source.lines) > FILE_LINES_MAX:
        report(1, "size", f"{len(source.lines)} lines, more than {FILE_LINES_MAX}: this is two things")
    for number, line in enumerate(source.lines, 1):
        if source.is_code and len(line) > LINE_COLUMNS_MAX:
            report(number, "size", f"{len(line)} columns, more than {LINE_COLUMNS_MAX}")


def rule_function(source, report):
    spans = []
    if source.is_cpp:
        spans = cpp_functions(source.code)
    elif source.kind == ".py":
        spans = [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(source.text))
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    elif source.kind == ".sh":
        spans = shell_functions(source.lines)
    for first, last in spans:
        if last - first + 1 > FUNCTION_LINES_MAX:
            report(first, "function", f"{last - first + 1} lines, more than {FUNCTION_LINES_MAX}")


def shell_functions(lines):
    first = None
    for number, line in enumerate(lines, 1):
        if re.match(r"^\w+\(\) \{", line):
            first = number
        elif line == "}" and first:
            yield first, number
            first = None


def cpp_functions(code):
    """(first line, last line) of each outermost block whose head has parentheses.

    A heuristic: braces are counted in code without comments and strings. The text between the last `;`, `{`
    or `}` and a `{` is the block's head. Blocks of namespaces and types are searched; all others are one
    piece, so that a lambda counts for its owner.
    """
    head, head_line, depth_inside, start = "", 1, 0, None
    text = PREPROCESSOR.sub(lambda match: "\n" * match.group().count("\n"), "\n".join(code))
    line = 1
    for position, char in enumerate(text):
        if char == "\n":
            line += 1
        if start is not None:
            depth_inside += (char == "{") - (char == "}")
            if depth_inside == 0:
                following = text[position + 1:position + 200].lstrip()[:1]
                if following in (",", "{"):  # a member's braces: the constructor's body comes later
                    start = None
                    continue
                yield start, line
                start, head = None, ""
        elif char == "{" and "(" in head and not NOT_A_FUNCTION.match(head):
            start, depth_inside = head_line, 1
        elif char in "{};":
            head = ""
        elif head.strip() or not char.isspace():
            if not head.strip():
                head_line = line
            head += char


def rule_header(source, report):
    if source.kind not in (".hpp", ".h") or source.name.endswith("_body.hpp"):  # meant to be included again
        return
    first = next((line.strip() for line in source.code if line.strip()), "")
    guarded = source.kind == ".h" and re.match(r"#ifndef \w+_H$", first)  # one that C includes too
    if first != "#pragma once" and not guarded:
        report(1, "header", "a header's first code is #pragma once")
    for number, line in enumerate(source.code, 1):
        if re.match(r"^\s*using namespace\b(?!.*_literals;)", line):
            report(number, "header", "no `using namespace` in a header")


def rule_names(source, report):
    if source.is_code and FILE_NAME.search(source.name):
        report(1, "names", f"{source.name} says nothing: name the one thing that it is")
    for number, line in enumerate(source.code, 1):
        for pattern in (TYPE_NAME, FUNCTION_NAME):
            match = pattern.search(line)
            if match:
                report(number, "names", f"{match[1]} says nothing: such a thing is two things")


def rule_words(source, report):
    for number, line in enumerate(source.lines, 1):
        if UNFINISHED.search(line):
            report(number, "words", "unfinished work belongs in an issue, not in the tree")
        if MACHINE_PATH.search(line):
            report(number, "words", "this names one machine; find the place at run time")


def rule_using(source, report):
    """clang-tidy's own check looks into the main file only, and reads several of ours as one."""
    if source.kind not in (".cpp", ".cc"):
        return
    whole = "\n".join(source.code)
    for number, line in enumerate(source.code, 1):
        match = USING.match(line)
        if match and len(re.findall(rf"\b{match[1]}\b", whole)) == len(
                re.findall(rf"(?m)^\s*using [\w:]+::{match[1]};", whole)):
            report(number, "using", f"{match[1]} is named nowhere else in this file")


def rule_assert(source, report):
    for number, line in enumerate(source.code, 1):
        if re.search(r"(?<!\w)assert\s*\(", line) or "<cassert>" in line:
            report(number, "assert", "assert vanishes from a release: KS_ASSERT, or a Result")


def rule_result(source, report):
    if source.under("tests"):
        return
    for number, line in enumerate(source.code, 1):
        if match := re.search(r"if \(!(\w+)\) return tl::unexpected(<Error>)?\(\1\.error\(\)\)", line):
            report(number, "result", f"KS_RETURN_IF_ERROR({match[1]}): shared/base/try.hpp")


def rule_sleep(source, report):
    if not source.under("tests") or not source.is_code:
        return
    for number, line in enumerate(source.code if source.is_cpp else source.lines, 1):
        if SLEEP.search(line) or (source.kind == ".sh" and SHELL_SLEEP.search(line)):
            report(number, "sleep", "a test waits for what it wants, with a limit; it never sleeps")


def rule_blanks(source, report):
    if not source.is_code and source.kind != ".md":
        return
    for number, line in enumerate(source.lines, 1):
        if line != line.rstrip():
            report(number, "blanks", "blanks at the end of a line")
        if "\t" in line:
            report(number, "blanks", "a tab")
    if source.text and not source.text.endswith("\n"):
        report(len(source.lines), "blanks", "no newline at the end of the file")


RULES = [rule_size, rule_function, rule_header, rule_names, rule_words, rule_using, rule_assert,
         rule_result, rule_sleep, rule_blanks]
