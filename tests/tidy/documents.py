"""Sweeps that state their question, problem lists that name their source, documents that can be found."""
import os
import re

LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
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


RULES = [rule_sweeps, rule_links]
