"""Sweeps that state their question, problem lists that name their source, documents that can be found."""
import ast
import os
import re

import rooms

STEMS_MAX = 30
# Places in tests that look for a piece of a text, at most so many: what should stay is data of the test's
# input. Make them fewer, never more.
PIECES_MAX = {".cpp": 175, ".py": 72}
TWO_WORDS = re.compile(r"[A-Za-z]{2}.* .*[A-Za-z]{2}")
ROOM_ROW = re.compile(r"\| `([a-z0-9_/]+)` \| [^|]* \| (?:`([^`]+)`)? \| ([^|]*) \|$")
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
TYPE = re.compile(r"(?:struct|class|union|enum class) (\w+)(?: final)?(?: : [^{]*)? \{")
NAMESPACE = re.compile(r"namespace ([\w:]+) \{")
INDEXES = ["README.md", "docs/README.md", "docs/decisions/README.md"]


def rule_sweeps(sources, report):
    for source in sources:
        first = source.lines[0] if source.lines else ""
        folder, _ = os.path.split(source.path)
        if folder == "sweeps" and source.kind == ".yaml":
            if not re.fullmatch(r"# .*\?", first):
                report(source, 1, "sweeps", "a sweep's first line is the question that it answers: `# ...?`")
        elif folder == "sweeps/problems" and source.kind == ".csv" and not first.startswith("# "):
            report(source, 1, "sweeps", "a problem list begins with a comment that names its source")


def anchors(source):
    """What `#...` of a link to this page may say: one for each heading, as GitHub makes them."""
    found, in_code = set(), False
    for line in source.lines:
        in_code ^= line.startswith("```")
        if not in_code and re.match(r"#+ ", line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("# ")).lower()
            anchor, more = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-"), 0
            while anchor + (f"-{more}" if more else "") in found:
                more += 1
            found.add(anchor + (f"-{more}" if more else ""))
    return found


def rule_links(sources, report):
    by_path = {source.path: source for source in sources}
    linked = set()
    for source in sources:
        if source.kind != ".md":
            continue
        for number, line in enumerate(source.lines, 1):
            for target, anchor in LINK.findall(line):
                if re.match(r"[a-z]+:", target) or not target + anchor:
                    continue
                path = source.path
                if target:
                    path = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if source.path in INDEXES:
                    linked.add(path)
                if not (path in by_path or os.path.exists(os.path.join(report.root, path))):
                    report(source, number, "links", f"{target} is not there")
                elif anchor and path in by_path and anchor[1:] not in anchors(by_path[path]):
                    report(source, number, "links", f"{path} has no heading for {anchor}")
    for source in sources:
        if source.kind == ".md" and source.under("docs") and source.path not in linked | set(INDEXES):
            report(source, 1, "links", "nobody finds this document: link it from docs/README.md")


def rule_folders(sources, report):
    """A folder has few things: a header and its source count once. Sweeps and recorded data may be many."""
    stems, first = {}, {}
    for source in sources:
        folder, name = os.path.split(source.path)
        if source.under("sweeps", "tests/fuzz/corpus", "tests/golden", "tests/recorded"):
            continue
        stems.setdefault(folder, set()).add(name.split(".")[0])
        first.setdefault(folder, source)
    for folder, names in stems.items():
        if len(names) > STEMS_MAX:
            report(first[folder], 1, "folders",
                   f"{folder} holds {len(names)} things, more than {STEMS_MAX}: it is two rooms")


def pieces_of_prose(source):
    """Lines where a test asks for a piece of a text: each HasSubstr; an assertIn of two words or more."""
    if source.is_cpp:
        return [number for number, line in enumerate(source.code, 1)
                if "HasSubstr" in line and not re.match(r"\s*using ", line)]
    calls = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Attribute) and node.func.attr == "assertIn"]
    return [call.lineno for call in calls if TWO_WORDS.search(words_of(call.args[0]))]


def words_of(node):
    """What is written in a literal, on one line; the values in an f-string are left out."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return " ".join(str(text) for text in texts).replace("\n", " ")


def rule_pieces(sources, report):
    """Wording is left to golden files, so that a better sentence changes no test."""
    for kind, most in PIECES_MAX.items():
        found = [(source, line) for source in sources if source.under("tests") and source.kind == kind
                 for line in pieces_of_prose(source)]
        if len(found) > most:
            report(*found[-1], "pieces", f"tests look for {len(found)} pieces of texts, more than {most}: "
                                         "assert a value, or the whole text (IsGolden, assert_golden)")


def golden_names(test):
    """[(line, method, name)] of each assert_golden in a test method whose name is written out."""
    return [(call.lineno, method.name, call.args[0].value)
            for method in ast.walk(ast.parse(test.text))
            if isinstance(method, ast.FunctionDef) and method.name.startswith("test")
            for call in ast.walk(method)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            and call.func.attr == "assert_golden" and isinstance(call.args[0], ast.Constant)]


def rule_goldens(sources, report):
    """A test and its golden file change together: both name the same methods and texts."""
    for test in sources:
        path = os.path.join(report.root, os.path.splitext(test.path)[0] + ".golden")
        if test.kind != ".py" or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            kept = {line.rstrip().split(".", 1)[1] for line in file if line.startswith("== ")}
        for line, method, name in golden_names(test):
            if f"{method} {name}" not in kept:
                report(test, line, "goldens", f"the golden file has no text '{method} {name}'")
        for method in sorted({text.split(" ")[0] for text in kept}):
            if f"def {method}(" not in test.text:
                report(test, 1, "goldens", f"the golden file has texts of {method}, which is no test")


def rule_types(sources, report):
    """A program that links two types of one name does what neither of its headers says."""
    defined = {}
    for source in sources:
        if not source.name.endswith(".hpp") or source.under("tests"):
            continue
        namespaces = [match[1] for match in map(NAMESPACE.match, source.code) if match]
        for number, line in enumerate(source.code, 1):
            if match := TYPE.match(line):
                name = "::".join(namespaces[:1] + [match[1]])
                if name in defined:
                    report(source, number, "types", f"{name} is defined in {defined[name]} too")
                defined[name] = source.path


def rule_architecture(sources, report):
    """The rooms of docs/architecture.md are the folders of the tree, and include what rooms.py allows."""
    page = next((source for source in sources if source.path == "docs/architecture.md"), None)
    if not page:
        return
    rows = {}
    for number, line in enumerate(page.lines, 1):
        if match := ROOM_ROW.match(line):
            rows[match[1]] = (number, match[2], re.findall(r"`([^`]+)`", match[3]))
    shown = set(rooms.MAY_INCLUDE) - {"tests", "kernels"}
    paths = {source.path for source in sources}
    for folder in sorted({os.path.dirname(source.path) for source in sources if source.is_cpp}):
        if folder.split("/")[0] in shown and folder not in rows:
            report(page, 1, "architecture", f"the page has no row for {folder}")
    for room, (number, first, allowed) in rows.items():
        if not any(path.startswith(room + "/") for path in paths):
            report(page, number, "architecture", f"there is no {room}")
        elif first and f"{room}/{first}" not in paths:
            report(page, number, "architecture", f"there is no {room}/{first} to be opened first")
        if allowed != rooms.MAY_INCLUDE.get(room, []):
            report(page, number, "architecture", f"rooms.py lets {room} include other rooms than these")


RULES = [rule_sweeps, rule_links, rule_folders, rule_pieces, rule_goldens, rule_types, rule_architecture]
