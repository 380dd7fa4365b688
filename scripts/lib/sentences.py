#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sentences of the comments that a reader would have to read twice.

    scripts/lib/sentences.py [--long [N]] [PATH]...     default: all sources of the tree

Prints each sentence that begins with a word that puts off its actor, and exits 1 if there is one. With --long prints those
of more than N words (30) instead, the longest first, for somebody to read: no rule, since a colon may hold two short ones.
"""
import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OPENING = re.compile(r"(Of|What|Whatever|Whoever|Whose|Who|Where what)\b(?![^.]*\?)")  # a question is none
BEGINS = re.compile(r"(?:^|(?<=[.!?])\s+)(?=[A-Z\"'`{<])")
BLOCK = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S | re.M)
HASHES = re.compile(r"(?:^[ \t]*#(?!!)[^\n]*\n)+|(?<=\s)# [^\n]*|^\s*\"\"\".*?\"\"\"", re.S | re.M)
BARE = re.compile(r"^[ \t]*(?:/\*+|\*+/|\*|//+|#+|\"\"\")?[ \t]?|\*/[ \t]*$|\"\"\"$", re.M)
APART = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|@]|<p>|<li>|<h\d>|<pre>|\d+\.\s))|</?(?:p|li|ul|pre|h\d)>")


def comments(path, text):
    """(number of its first line, the comment bare of its marks)"""
    pattern = BLOCK if re.search(r"\.(c|h|hpp|cpp|java)$", path) else HASHES
    for found in pattern.finditer(text):
        if found.group().lstrip()[:1] not in "'\"" or found.group().lstrip().startswith('"""'):
            yield text.count("\n", 0, found.start()) + 1, BARE.sub("", found.group())


def sentences(path, text):
    for line, comment in comments(path, text):
        for part in APART.split(comment):
            for sentence in BEGINS.split(part):
                yield line, " ".join(sentence.split())


def sources():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", "target")]
        for name in names:
            path = os.path.join(folder, name)
            if re.search(r"\.(c|h|hpp|cpp|java|sh|py|cmake)$|CMakeLists\.txt$", name) or (
                    "." not in name and os.access(path, os.X_OK)):
                yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", type=int, nargs="?", const=30)
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    found = []
    for path in options.paths or sources():
        with open(path, errors="replace") as file:
            text = file.read()
        for line, sentence in sentences(path, text):
            words = len(sentence.split())
            if words > options.long if options.long else OPENING.match(sentence):
                found.append((words if options.long else 0, os.path.relpath(path, ROOT), line, sentence))
    for words, path, line, sentence in sorted(found, key=lambda each: (-each[0],) + each[1:]):
        print("%s:%d: %s%s" % (path, line, "%d words: " % words if words else "", sentence))
    return 1 if found and not options.long else 0


if __name__ == "__main__":
    sys.exit(main())
