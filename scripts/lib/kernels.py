# SPDX-License-Identifier: Apache-2.0
"""Other kernels than the usual one of Debian, unpacked beside it. Imported, not run.

Nothing of the host's package management changes: apt works on lists of its own in target/vm/KERNEL. Debian's packages come from the
mirror that the host uses, and their signatures are checked. There is no package of Ubuntu's keys in Debian: SHA_256 names its packages.
"""
import collections
import glob
import hashlib
import os
import re
import shutil

import machine

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
Kernel = collections.namedtuple("Kernel", "distribution suite image modules")
KERNELS = {  # a version that is empty is the newest of the suite
    "4.4": Kernel("ubuntu", "xenial", "linux-image-4.4.0-21-generic", None),
    "4.15": Kernel("ubuntu", "bionic", "linux-image-unsigned-4.15.0-20-generic", "linux-modules-4.15.0-20-generic"),
    "4.18": Kernel("ubuntu", "bionic-updates", "linux-image-unsigned-4.18.0-25-generic", "linux-modules-4.18.0-25-generic"),
    "5.4": Kernel("ubuntu", "focal", "linux-image-unsigned-5.4.0-26-generic", "linux-modules-5.4.0-26-generic"),
    "5.10": Kernel("debian", "bullseye", None, None),
    "newest": Kernel("debian", "stable-backports", None, None),
}
SHA_256 = {
    "linux-image-4.4.0-21-generic": "be0b48760d001839a8625e8de33011700a495255e3b258511ec4ffdab43c06ff",
    "linux-image-unsigned-4.15.0-20-generic": "377279cf295f84104208449a8a83246cb4af607dc58a77d21092c3cfbf500128",
    "linux-modules-4.15.0-20-generic": "c829da8d8fc3f4941ee7f2972b5c932bf728279c49cad0836a48238cb2875217",
    "linux-image-unsigned-4.18.0-25-generic": "48255bba33b59127b69a9b8fdca27a25187bffd151ed0762bf7205b23474a08a",
    "linux-modules-4.18.0-25-generic": "d21662c73ba590cce15b4360a282120d7f12b0c2febb72dd655ffe2ee92d7eee",
    "linux-image-unsigned-5.4.0-26-generic": "ce10287973c2ec9925a11c6cc5f86e9faa28591962f34e94a8c586f8df01e821",
    "linux-modules-5.4.0-26-generic": "82cf8aa4ab5d8b4bb78f452c7069ffc7429fe1d0e2eef13f4b35ebe0b848b1a4",
}


class Apt:
    """apt on lists of its own."""

    def __init__(self, folder, kernel):
        self.folder, self.kernel = folder, kernel
        for name in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        if kernel.distribution == "debian":
            mirrors, trust = [debian_mirror()], "signed-by=" + KEYRING
        else:
            mirrors, trust = ubuntu_mirrors(), "trusted=yes"
        sources = os.path.join(folder, "sources.list")
        with open(sources, "w") as file:
            file.writelines("deb [%s] %s %s main\n" % (trust, mirror, kernel.suite) for mirror in mirrors)
        self.options = [word for option in (
            "Dir::Etc::sourcelist=" + sources, "Dir::Etc::sourceparts=-", "Dir::State::lists=%s/lists" % folder,
            "Dir::Cache=%s/cache" % folder, "APT::Sandbox::User=root") for word in ("-o", option)]
        self.run("apt-get", "update")

    def run(self, tool, *arguments):
        return machine.run(tool, *self.options, *arguments, cwd=self.folder)

    def depends(self, package, pattern):
        return re.findall(r"Depends: (%s)" % pattern, self.run("apt-cache", "depends", package).stdout)

    def unpack(self, package, into):
        done = self.run("apt-get", "download", package)
        files = glob.glob(os.path.join(self.folder, package + "_*.deb"))
        if not files:
            raise machine.Unavailable("%s cannot be downloaded: %s" % (package, done.stdout.strip()[-200:]))
        if self.kernel.distribution != "debian":
            with open(files[0], "rb") as file:
                found = hashlib.sha256(file.read()).hexdigest()
            if found != SHA_256[package]:
                raise machine.Unavailable("the checksum of %s is %s, not %s" % (package, found, SHA_256[package]))
        machine.run("dpkg", "-x", files[0], into)
        os.remove(files[0])


def debian_mirror():
    mirror = re.search(r"^\S+", machine.run("apt-get", "indextargets", "--format", "$(REPO_URI)",
                                            "Created-By: Packages", "Component: main").stdout, re.M)
    if not mirror or not os.path.exists(KEYRING):
        raise machine.Unavailable("this host is no Debian with a mirror")
    return mirror.group(0)


def ubuntu_mirrors():
    """The mirrors that Debian's debootstrap knows; apt passes over those that do not answer."""
    folder = os.path.join(machine.FOLDER, "debootstrap")
    if not os.path.exists(folder):
        os.makedirs(folder)
        machine.run("apt-get", "download", "debootstrap", cwd=folder)
        for package in glob.glob(os.path.join(folder, "debootstrap_*.deb")):
            machine.run("dpkg", "-x", package, folder)
    for script in glob.glob(os.path.join(folder, "usr", "share", "debootstrap", "scripts", "gutsy")):
        with open(script) as text:
            return sorted(set(re.findall(r"^\s*default_mirror (http\S+)", text.read(), re.M)))
    shutil.rmtree(folder)
    raise machine.Unavailable("Debian's debootstrap, which knows a mirror of Ubuntu, cannot be had")


def packages_of(apt, kernel):
    if kernel.image:
        return [package for package in (kernel.image, kernel.modules) if package]
    images = apt.depends("linux-image-amd64", r"linux-image-\d\S+")
    if not images:
        raise machine.Unavailable("Debian's %s has no kernel for this host" % kernel.suite)
    version = images[0].partition("linux-image-")[2]
    return images + apt.depends(images[0], "linux-(?:binary|modules)-%s" % re.escape(version))


def prepare(name):
    """Like machine.prepare(), with this one of KERNELS."""
    usual = machine.prepare()
    folder = os.path.join(machine.FOLDER, "kernel-" + name)
    unpacked = os.path.join(folder, "unpacked")
    if os.path.exists(os.path.join(unpacked, "vmlinux")):
        return unpacked
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(unpacked)
    apt = Apt(folder, KERNELS[name])
    for package in packages_of(apt, KERNELS[name]):
        apt.unpack(package, unpacked)
    os.makedirs(os.path.join(unpacked, "bin"), exist_ok=True)
    shutil.copy2(os.path.join(usual, "bin", "busybox"), os.path.join(unpacked, "bin", "busybox"))
    images = glob.glob(os.path.join(unpacked, "**", "vmlinuz*"), recursive=True)
    if not images:
        raise machine.Unavailable("the packages of kernel %s hold no kernel" % name)
    shutil.move(images[0], os.path.join(unpacked, "vmlinux"))  # packed: the machine's firmware unpacks it, which takes seconds
    return unpacked
