#!/usr/bin/env python3
"""Holds the rules of the house that no compiler holds: tidy.py [FOLDER]. Status 1 if one is broken.

Rules of one file are in rooms.py, style.py and wording.py, rules over all files in documents.py.
tidy_test.py breaks each once in a made-up tree and expects a report.
"""
import os
import sys

sys.dont_write_bytecode = True  # nothing is left in a source tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import documents  # noqa: E402
import rooms  # noqa: E402
import source as tree  # noqa: E402
import style  # noqa: E402
import wording  # noqa: E402


class Report:
    """Collects `path:line: [rule] what`; each rule of one file gets it bound to that file."""

    def __init__(self, root):
        self.root = root
        self.found = []

    def __call__(self, source, line, rule, what):
        self.found.append((source.path, line, rule, what))


def check(root):
    """[(path, line, rule, what)], sorted, of everything below root."""
    report = Report(root)
    sources = tree.read_tree(root)
    for source in sources:
        for rule in rooms.RULES + style.RULES + wording.RULES:
            rule(source, lambda line, name, what, source=source: report(source, line, name, what))
    for rule in documents.RULES:
        rule(sources, report)
    return sorted(report.found)


def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    root = arguments[0] if arguments else os.path.join(here, "..", "..")
    if not os.path.isdir(root):
        print(f"tidy: {root} is no folder; name the root of a source tree", file=sys.stderr)
        return 2
    found = check(root)
    for path, line, rule, what in found:
        print(f"{path}:{line}: [{rule}] {what}")
    print(f"tidy: {len(found)} broken rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
