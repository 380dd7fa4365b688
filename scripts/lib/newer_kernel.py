# SPDX-License-Identifier: Apache-2.0
"""The kernel of Debian's backports, unpacked beside the usual one, for what that one lacks. Imported, not run.

Nothing of the host's package management changes: apt works on lists of its own in target/vm/newer, from the mirror that the host uses.
"""
import glob
import os
import re
import shutil

import machine

SUITE = "stable-backports"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Apt:
    def __init__(self, folder):
        self.folder = folder
        mirror = re.search(r"^\S+", machine.run("apt-get", "indextargets", "--format", "$(REPO_URI)",
                                                "Created-By: Packages", "Component: main").stdout, re.M)
        if not mirror or not os.path.exists(KEYRING):
            raise machine.Unavailable("this host is no Debian with a mirror")
        for name in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        sources = os.path.join(folder, "sources.list")
        with open(sources, "w") as file:
            file.write("deb [signed-by=%s] %s %s main\n" % (KEYRING, mirror.group(0), SUITE))
        self.options = [word for option in (
            "Dir::Etc::sourcelist=" + sources, "Dir::Etc::sourceparts=-", "Dir::State::lists=%s/lists" % folder,
            "Dir::Cache=%s/cache" % folder, "APT::Sandbox::User=root") for word in ("-o", option)]

    def run(self, tool, *arguments):
        return machine.run(tool, *self.options, *arguments, cwd=self.folder)

    def depends(self, package, pattern):
        return re.findall(r"Depends: (%s)" % pattern, self.run("apt-cache", "depends", package).stdout)

    def unpack(self, package, into):
        done = self.run("apt-get", "download", package)
        files = glob.glob(os.path.join(self.folder, package + "_*.deb"))
        if not files:
            raise machine.Unavailable("%s cannot be downloaded: %s" % (package, done.stdout.strip()[-200:]))
        machine.run("dpkg", "-x", files[0], into)
        os.remove(files[0])


def prepare():
    """Like machine.prepare(), with the newer kernel."""
    usual = machine.prepare()
    folder = os.path.join(machine.FOLDER, "newer")
    unpacked = os.path.join(folder, "unpacked")
    if os.path.exists(os.path.join(unpacked, "vmlinux")):
        return unpacked
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(unpacked)
    apt = Apt(folder)
    apt.run("apt-get", "update")
    images = apt.depends("linux-image-amd64", r"linux-image-\d\S+")
    if not images:
        raise machine.Unavailable("Debian's %s has no kernel for this host" % SUITE)
    version = images[0].partition("linux-image-")[2]
    for package in images + apt.depends(images[0], "linux-(?:binary|modules)-%s" % re.escape(version)):
        apt.unpack(package, unpacked)
    os.makedirs(os.path.join(unpacked, "bin"), exist_ok=True)
    shutil.copy2(os.path.join(usual, "bin", "busybox"), os.path.join(unpacked, "bin", "busybox"))
    images = glob.glob(os.path.join(unpacked, "**", "vmlinuz*"), recursive=True)
    if not images:
        raise machine.Unavailable("the packages of kernel %s hold no kernel" % version)
    shutil.move(images[0], os.path.join(unpacked, "vmlinux"))  # packed: the machine's firmware unpacks it, which takes seconds
    return unpacked
