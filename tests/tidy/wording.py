"""Turns that readers stumble over: refused in the strings of the product, its sweeps and its documents."""
import ast
import re

import source as tree

# (what is refused, what to write instead); a blank also matches a line's end.
TURNS = [(re.compile(turn.replace(" ", r"\s+"), re.IGNORECASE), better) for turn, better in [
    (r"\banew\b", "again, or re-: re-measure, restart"),
    (r"\b(hold|holds|held|holding)\b[^.;|`]{0,40}?\bagainst\b", "compare with"),
    (r"\b(fore)?(tell|tells|told|telling)\b", "report, print, show, estimate; apart: distinguish"),
    (r"\b(go|goes|going|went|gone) on\b", "continue"),
    (r"\b(stand|stands|stood|standing)\b", "is, appears"),
    (r"\bnobody\b", "no worker, no process, nothing, no reply"),
    (r"\b(worker|coordinator|client|slot|process|program|kernel|peer|host|job|one|thread)s?,? who\b"
     r"|\bwho (is|are|was|were) (here|connected)\b"
     r"|\bwho (else )?(answer|compute|connect|differ|load|measure|write|win)s?\b", "which, that, what"),
    (r"\bbeside\b", "next to; work that runs at the same time: while"),
    (r"\bof (which|whose)\b", "a sentence of its own, or: and one has"),
    (r"\bby (itself|themselves)\b", "automatically; alone: on its own"),
    (r"\bmainly because\b", "main cause"),
    (r"\bmay be the best\b", "could also be best"),
    (r"\bis all that (may|it|can|is)\b", "at most, the most that"),
    (r"\bof rates a\b", "the subject first: a larger rate is better"),
]]
# Right English, and words of formats that others read: taken out before the turns are looked for.
RIGHT = re.compile("|".join(turn.replace(" ", r"\s+") for turn in [
    r"\b(stand|stands|stood|standing)[ -](for|still|alone)\b", r"\bstand-ins?\b", r"\bas it stands\b",
    r"\b(all|both|each|half|most|none|one|some) of which\b",
    r"\b(compiled|linked|measured|run|tested) by (itself|themselves)\b",
    r"\bspeaks for itself\b",
    r"\btell\(",  # a function of a Python program that is kept in a string
    r"\Atold\Z", r"\Amay be the best\Z", r"`may be the best`",  # of an invariant; a mark of pivot --json
    r"`[^`\s]*`"]))  # a name, such as `results.told`

PRODUCT = ("cli", "cmake", "coordinator", "deploy", "kernels", "language", "python", "results", "shared",
           "tensors", "transport", "worker")
JS_STRING = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`")
CMAKE_STRING = re.compile(r"#[^\n]*|\"(?:\\.|[^\"\\])*\"")
SHELL_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#[^\n]*")


def joined(text, pattern, comments):
    """(line, text) of each string; those with only blanks and comments between them are one."""
    found, end = [], None
    for match in pattern.finditer(text):
        words, line = match.group(), text.count("\n", 0, match.start()) + 1
        if words.startswith(comments):
            continue
        between = text[end:match.start()] if end is not None else "x"
        words = words[words.find("(") + 1:words.rfind(")")] if words.startswith('R"') else words[1:-1]
        if found and not pattern.sub("", between).strip():
            found[-1] = (found[-1][0], found[-1][1] + words)
        else:
            found.append((line, words))
        end = match.end()
    return found


def strings_of_cpp(source):
    text = re.sub(r"(?m)^\s*#\s*include[^\n]*", "", source.text)
    return joined(text, tree.COMMENT_OR_STRING, ("//", "/*", "'"))


def strings_of_python(source):
    """All but those that document a module, a class or a function."""
    parsed = ast.parse(source.text)
    plain = [node.value for node in ast.walk(parsed)
             if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    return [(node.lineno, node.value) for node in ast.walk(parsed)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in plain]


def texts_of(source):
    """(line, text) of what people read of this file: strings, or all of it."""
    is_document = source.kind == ".md" and (source.under("docs") or source.path in (
        "README.md", "CONTRIBUTING.md"))
    if is_document or (source.under("sweeps") and source.kind in (".yaml", ".csv")):
        return [(1, source.text)]
    if not source.under(*PRODUCT) and source.path not in ("kernsweep", "test"):
        return []
    if source.is_cpp:
        return strings_of_cpp(source)
    if source.kind == ".py":
        return strings_of_python(source)
    if source.kind == ".js":
        return joined(source.text, JS_STRING, "//")
    if source.kind == ".cmake":
        return joined(source.text, CMAKE_STRING, "#")
    if source.kind == ".sh":
        return [(1, SHELL_COMMENT.sub("", source.text))]
    return [(1, source.text)] if source.kind == ".yaml" else []


def rule_turns(source, report):
    for line, text in texts_of(source):
        text = text.replace("\\n", "  ")  # escaped in a string: a blank, and no line of the file
        words = RIGHT.sub(lambda match: re.sub(r"\S", "-", match.group()), text)
        for turn, better in TURNS:
            for match in turn.finditer(words):
                at = line + words.count("\n", 0, match.start())
                report(at, "turns", f'"{" ".join(match.group().split())}": {better}')


RULES = [rule_turns]
