# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of README.md, CONTRIBUTING.md, SECURITY.md and docs/*.md. The line before a block says how it is kept true:

    <!-- from FILE: NAME -->       it is the lines of FILE between `doc: NAME` and `end`, in a program that a test runs
    <!-- run -->                   scripts/check/run-docs runs it
    <!-- run after COMMANDS -->    the same, after commands that a reader need not see
    <!-- not run: REASON -->

Blocks of C, C++, Java and sh have such a line. Those of XML, JSON, YAML and properties are loaded by a test of the appender,
where they have an element Burst; `not loaded: REASON` spares them that. A block of `text`, and an indented one, is to be read.
"""
import glob
import re
import textwrap

FENCE = re.compile(r"^(?: *<!-- ([^\n]*?) -->\n)?^( *)```(\w*)\n(.*?)^ *```$", re.M | re.S)
PROGRAMS = {"c", "cpp", "java", "sh"}
CONFIGURATIONS = {"xml", "json", "yaml", "properties"}
KINDS = {"c": (".c", ".h"), "cpp": (".cpp", ".hpp"), "java": (".java",)}
TESTED = re.compile(r"^examples/|/src/test/|^native/test/|^it-tests/")


def pages():
    return ["README.md", "CONTRIBUTING.md", "SECURITY.md"] + sorted(glob.glob("docs/*.md"))


class Block:
    def __init__(self, page, text, match):
        self.page, self.line = page, text.count("\n", 0, match.start(3)) + 1
        self.marker, self.language, self.text = match.group(1) or "", match.group(3), textwrap.dedent(match.group(4))

    def commands(self):
        """The command that runs the block; None if it is not to be run."""
        run = re.fullmatch(r"run(?: after (.*))?", self.marker)
        return (run.group(1) or "") + "\n" + self.text if run and self.language == "sh" else None

    def wrong(self):
        """The block's error, or None."""
        if self.language not in PROGRAMS | CONFIGURATIONS | {"text"}:
            return "a block of `%s`: nobody tests such a one" % self.language
        if re.fullmatch(r"not run: \S.*", self.marker) or self.commands() is not None:
            return None
        quoted = re.fullmatch(r"from (\S+): ([\w-]+)", self.marker)
        if not quoted:
            return "nobody tests this block: `from`, `run` or `not run`" if self.language in PROGRAMS else None
        file, name = quoted.groups()
        if not TESTED.search(file) or not file.endswith(KINDS.get(self.language, ())):
            return "%s is no program of a test in that language" % file
        return None if region(file, name) == self.text else "the block is not what %s has as `%s`" % (file, name)


def region(file, name):
    try:
        lines = open(file).read().splitlines()
    except OSError:
        return None
    begins = [number for number, line in enumerate(lines) if re.search(r"(//|/\*) doc: %s( \*/)?$" % re.escape(name), line)]
    if len(begins) != 1:
        return None
    ends = [number for number, line in enumerate(lines) if number > begins[0] and re.search(r"(//|/\*) end( \*/)?$", line)]
    return textwrap.dedent("".join(line + "\n" for line in lines[begins[0] + 1:ends[0]])) if ends else None


def blocks():
    for page in pages():
        text = open(page).read()
        for match in FENCE.finditer(text):
            yield Block(page, text, match)
