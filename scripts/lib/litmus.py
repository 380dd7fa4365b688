# SPDX-License-Identifier: Apache-2.0
"""Litmus tests of native/test/harness/model/arm, judged by herd7 against Arm's own memory model.

Each file says in its condition what must not happen. Lines of the form

    (* weaken THREAD NTH INSTRUCTION = OTHER [and ...] : Sometimes *)

put another instruction into a thread's column, for the NTH time that it stands there. Sometimes: then it happens, so the order
is needed. Never: something else, which the file names, keeps the order as well.
"""
import os
import re
import shutil
import subprocess

SECONDS = 60
WEAKEN = re.compile(r"\(\* weaken (.*?) : (Sometimes|Never) \*\)")
CHANGE = re.compile(r"(\d+) (\d+) (.*?) = (.*)")


def is_installed():
    return shutil.which("herd7") is not None


def observed(text, folder):
    """Sometimes, Never or Always; or what herd7 said in place of that."""
    path = os.path.join(folder, "test.litmus")
    with open(path, "w") as file:
        file.write(text)
    try:
        done = subprocess.run(["herd7", path], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "nothing within %d s" % SECONDS
    found = re.search(r"^Observation \S+ (\w+)", done.stdout, re.M)
    return found.group(1) if found else (done.stderr + done.stdout)[-300:]


def weakened(text, changes):
    lines = text.split("\n")
    for thread, nth, old, new in changes:
        left = int(nth)
        for number, line in enumerate(lines):
            cells = line.rstrip(";").split("|") if line.startswith(" ") and line.endswith(";") else []
            if len(cells) > int(thread) and cells[int(thread)].strip() == old:
                left -= 1
                if left == 0:
                    cells[int(thread)] = " %s " % new
                    lines[number] = "|".join(cells) + ";"
                    break
        if left != 0:
            raise ValueError("thread %s has no %s for the %s. time" % (thread, old, nth))
    return "\n".join(lines)


def judge(path, folder):
    """(number of tests, None or what is wrong)"""
    os.makedirs(folder, exist_ok=True)
    with open(path) as file:
        text = file.read()
    cases = [("as it is", [], "Never")]
    for words, expected in WEAKEN.findall(text):
        cases.append((words, [CHANGE.fullmatch(change).groups() for change in words.split(" and ")], expected))
    for words, changes, expected in cases:
        found = observed(weakened(text, changes), folder)
        if found != expected:
            return len(cases), "%s: %s, not %s" % (words, found, expected)
    return len(cases), None
