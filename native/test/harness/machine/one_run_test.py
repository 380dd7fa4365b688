#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two runs of scripts/prove/machine-devices in one tree would overwrite each other's disks: the script refuses the second
one."""
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 4)


def run(tree):
    """Runs without QEMU and without apt-get: the script gets no further than to look for them."""
    return subprocess.run([sys.executable, "-B", os.path.join(tree, "scripts", "prove", "machine-devices"), "nvme"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={"PATH": tree}, check=False)


def check(done, code, words):
    if done.returncode != code or words not in done.stdout:
        sys.exit("exit code %d, not %d with \"%s\": %s" % (done.returncode, code, words, done.stdout))


with tempfile.TemporaryDirectory() as tree:
    shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(tree, "scripts"))
    shutil.copytree(os.path.join(ROOT, "native", "test", "harness", "machine"),
                    os.path.join(tree, "native", "test", "harness", "machine"))
    check(run(tree), 77, "SKIPPED: no virtual machine here")
    with open(os.path.join(tree, "target", "vm", "machine-devices.lock"), "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate()
        lock.write("4711\n")
        lock.flush()
        check(run(tree), 1, "process 4711 has the disks in %s" % os.path.join(tree, "target", "vm"))
    check(run(tree), 77, "SKIPPED: no virtual machine here")
print("the second of two runs is refused, and the next one is not")
