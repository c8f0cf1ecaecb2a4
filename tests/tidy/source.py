"""One file of the tree, as the tidy rules see it: its lines, and C++ without comments and strings."""
import os
import re

SKIPPED_FOLDERS = {".git", "build", "dist", "__pycache__"}
CPP = {".cpp", ".hpp", ".h", ".c", ".cc", ".cu", ".cuh"}
CODE = CPP | {".py", ".sh", ".cmake", ".proto"}
TEXT = CODE | {".md", ".txt", ".yaml", ".yml", ".json", ".csv", ".supp", ".sql", ".js"}
COMMENT_OR_STRING = re.compile(
    r'R"(?P<raw>[^()\\\s]*)\(.*?\)(?P=raw)"'  # before plain strings: it may hold quotes
    r'|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'",  # but 1'000 is a number
    re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Source:
    def __init__(self, root, path):
        self.path = path
        self.name = os.path.basename(path)
        self.kind = os.path.splitext(path)[1]
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.text = file.read()
        if not self.kind and self.text.startswith("#!"):
            self.kind = ".sh" if "sh" in self.text.split("\n", 1)[0] else ".py"
        if self.name == "CMakeLists.txt":
            self.kind = ".cmake"
        self.lines = self.text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        self.is_cpp = self.kind in CPP
        self.is_code = self.kind in CODE
        self.code = self.without_comments() if self.is_cpp else []
        self.includes = self.find_includes() if self.is_cpp else []

    def without_comments(self):
        def blank(match):
            return re.sub(r"[^\n]", " ", match.group())
        return COMMENT_OR_STRING.sub(blank, self.text).split("\n")

    def find_includes(self):
        """(line, "<" or '"', path) of each include."""
        found = []
        for number, line in enumerate(self.lines, 1):
            match = INCLUDE.match(line)
            if match:
                found.append((number, match[1], match[2]))
        return found

    def under(self, *folders):
        return any(self.path.startswith(folder + "/") for folder in folders)


def read_tree(root):
    """Every text file below root, sorted, as Source."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            kind = os.path.splitext(name)[1]
            if kind in TEXT or (not kind and is_script(os.path.join(folder, name))):
                found.append(Source(root, path))
    return found


def is_script(path):
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
