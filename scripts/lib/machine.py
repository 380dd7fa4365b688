# SPDX-License-Identifier: Apache-2.0
"""A small Linux in QEMU: Debian's kernel, unpacked and not installed, and an initramfs made here. Imported, not run.

A machine is started with a list of QEMU's arguments for its devices and a shell script, its job. The machine loads the kernel
modules it was given, runs the job, and powers off. The job prints to the second serial port, the kernel to the first.
"""
import glob
import lzma
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "target", "vm")
BUILD = os.path.join(FOLDER, "build")
TOOLS_FOLDER = os.path.join(FOLDER, "tools")
TOOLS_LIBRARIES = ":".join(os.path.join(TOOLS_FOLDER, *parts) for parts in (
    ("lib", "x86_64-linux-gnu"), ("usr", "lib", "x86_64-linux-gnu")))
QEMU = "qemu-system-x86_64"
SKIPPED = 77
EXIT_LINE = re.compile(r"^MACHINE EXIT (\d+)\s*$", re.M)

INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /m /run /mnt /sbin /usr/bin /usr/sbin
/bin/busybox --install -s
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs m /m
mount -t tmpfs shm /dev/shm
mount -t tmpfs run /run
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/tmp
stty -F /dev/ttyS1 raw -echo
ip link set lo up
while read -r module; do
  insmod "/modules/$module.ko" || echo "init: insmod $module failed" >/dev/ttyS1
done </modules/list
cd /m
sh /job >/dev/ttyS1 2>&1 </dev/null
echo "MACHINE EXIT $?" >/dev/ttyS1
poweroff -f
"""


TOOLS = {  # programs that are unpacked like the kernel, with the packages of their libraries
    "dmsetup": ("dmsetup", "libdevmapper1.02.1"),
    "lvm": ("lvm2", "libdevmapper1.02.1", "libdevmapper-event1.02.1", "libedit2", "libaio1", "libbsd0", "libmd0"),
    "mdadm": ("mdadm",),
    "rdma": ("iproute2", "libmnl0", "libbsd0", "libmd0"),
    "nvme": ("nvme-cli", "libnvme1", "libjson-c5", "libdbus-1-3", "libssl3", "libuuid1"),
}


class Unavailable(Exception):
    """There can be no virtual machine on this host; says why."""


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def as_root(*command):
    return run(*(command if os.geteuid() == 0 else ("sudo", "-n") + command),
               env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def install_qemu():
    if shutil.which(QEMU):
        return
    if not shutil.which("apt-get"):
        raise Unavailable("%s is missing, and there is no apt-get to install it with" % QEMU)
    print("Installing qemu-system-x86 ..", flush=True)
    try:
        as_root("apt-get", "update")
        done = as_root("apt-get", "install", "-y", "--no-install-recommends", "qemu-system-x86")
    except OSError as error:
        raise Unavailable("qemu-system-x86 cannot be installed: %s" % error) from error
    if not shutil.which(QEMU):
        raise Unavailable("qemu-system-x86 cannot be installed: " + (done.stdout.strip().splitlines() or ["?"])[-1])


def newest_kernel_package():
    found = re.search(r"Depends: (linux-image-\d\S+)", run("apt-cache", "depends", "linux-image-amd64").stdout)
    if not found:
        as_root("apt-get", "update")
        found = re.search(r"Depends: (linux-image-\d\S+)", run("apt-cache", "depends", "linux-image-amd64").stdout)
    if not found:
        raise Unavailable("Debian's package linux-image-amd64 is in no source of this host")
    return found.group(1)


def kernel_of(image):
    """The ELF kernel in a vmlinuz: QEMU boots that at once (PVH), where the other way round takes seconds to unpack."""
    sectors = image[0x1F1]
    offset, length = struct.unpack_from("<II", image, 0x248)
    begin = (sectors + 1) * 512 + offset
    kernel = lzma.LZMADecompressor().decompress(image[begin:begin + length])
    if kernel[:4] != b"\x7fELF":
        raise Unavailable("Debian's kernel is packed in a way that is not known here")
    return kernel


def unpack_packages():
    """Leaves kernel, modules and busybox in target/vm/unpacked."""
    unpacked = os.path.join(FOLDER, "unpacked")
    if os.path.exists(os.path.join(unpacked, "vmlinux")):
        return unpacked
    shutil.rmtree(unpacked, ignore_errors=True)
    os.makedirs(unpacked)
    for package in (newest_kernel_package(), "busybox-static"):
        done = run("apt-get", "download", package, cwd=unpacked)
        files = glob.glob(os.path.join(unpacked, package + "_*.deb"))
        if not files:
            raise Unavailable("%s cannot be downloaded: %s" % (package, done.stdout.strip()))
        run("dpkg", "-x", files[0], unpacked)
        os.remove(files[0])
    with open(glob.glob(os.path.join(unpacked, "boot", "vmlinuz-*"))[0], "rb") as file:
        kernel = kernel_of(file.read())
    with open(os.path.join(unpacked, "vmlinux.new"), "wb") as file:
        file.write(kernel)
    os.rename(os.path.join(unpacked, "vmlinux.new"), os.path.join(unpacked, "vmlinux"))
    return unpacked


def prepare():
    """The files of a machine, as a folder. From here on SIGTERM ends the script by an exception, so that no machine outlives it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    install_qemu()
    return unpack_packages()


def libraries_of(program):
    """The shared libraries that a program needs, its loader among them, as paths."""
    return re.findall(r"(/\S+) \(0x", run("ldd", program, env=dict(os.environ, LD_LIBRARY_PATH=TOOLS_LIBRARIES)).stdout)


def find_program(name):
    """The host's own, or one that is unpacked into target/vm/tools and not installed."""
    found = shutil.which(name, path=os.environ["PATH"] + ":/sbin:/usr/sbin")
    if found or name not in TOOLS:
        return found
    paths = [os.path.join(TOOLS_FOLDER, *parts, name) for parts in (("sbin",), ("usr", "sbin"))]
    if not any(map(os.path.exists, paths)):
        os.makedirs(TOOLS_FOLDER, exist_ok=True)
        for package in TOOLS[name]:
            done = run("apt-get", "download", package, cwd=TOOLS_FOLDER)
            files = glob.glob(os.path.join(TOOLS_FOLDER, package + "_*.deb"))
            if not files:
                raise Unavailable("%s cannot be downloaded: %s" % (package, done.stdout.strip()))
            run("dpkg", "-x", files[0], TOOLS_FOLDER)
            os.remove(files[0])
    return next(filter(os.path.exists, paths), None)


def build(*targets):
    """Makes these CMake targets in target/vm/build, optimised."""
    for command in (["cmake", "-S", os.path.join(ROOT, "native"), "-B", BUILD, "-DBURST_TESTS=ON",
                     "-DCMAKE_BUILD_TYPE=RelWithDebInfo"], ["cmake", "--build", BUILD, "--target", *targets]):
        done = run(*command)
        if done.returncode != 0:
            sys.exit(done.stdout[-3000:] + "\nthe build failed")


def empty_disk(name, size):
    """QEMU's arguments for a disk of zeros that a device names by drive=NAME."""
    image = os.path.join(FOLDER, name + ".img")
    with open(image, "wb"):
        pass
    run("truncate", "-s", size, image)
    return ["-drive", "if=none,format=raw,cache=writeback,id=%s,file=%s" % (name, image)]


class Initramfs:
    """A cpio archive (newc), put together in memory."""

    def __init__(self, unpacked):
        self.unpacked = unpacked
        self.entries = {}
        self.modules = []
        self.kernel_modules = None
        self.add_text("/init", INIT, 0o755)
        self.add_file(os.path.join(unpacked, "bin", "busybox"), "/bin/busybox")
        for module in ("virtio_pci", "virtio_console"):
            self.add_module(module)

    def add(self, path, mode, data=b""):
        parent = os.path.dirname(path)
        if parent != "/" and parent not in self.entries:
            self.add(parent, 0o040755)
        self.entries[path] = (mode, data)

    def add_text(self, path, text, mode=0o644):
        self.add(path, 0o100000 | mode, text.encode())

    def add_file(self, source, path):
        with open(source, "rb") as file:
            self.add(path, 0o100755 if os.access(source, os.X_OK) else 0o100644, file.read())

    def add_program(self, source, path=None):
        self.add_file(source, path or "/bin/" + os.path.basename(source))
        for library in libraries_of(source):
            place = library if not library.startswith(FOLDER) else "/lib/x86_64-linux-gnu/" + os.path.basename(library)
            if place not in self.entries:
                self.add_file(os.path.realpath(library), place)

    def add_burstlog(self):
        """The command, with the libraries that it loads by name if they are there."""
        self.add_program(os.path.join(BUILD, "burstlog"))
        for library in re.findall(r"lib(?:blkid|z)\.so\.1 \(libc6,x86-64\) => (/\S+)", run("/sbin/ldconfig", "-p").stdout):
            self.add_program(library, library)

    def add_folder(self, source, path):
        for folder, _, names in os.walk(source):
            for name in names:
                file = os.path.join(folder, name)
                if os.path.isfile(file):
                    self.add_program(file, os.path.join(path, os.path.relpath(file, source)))

    def find_modules(self):
        self.kernel_modules = {}
        for path in glob.glob(os.path.join(self.unpacked, "**", "modules", "*", "kernel", "**", "*.ko*"), recursive=True):
            self.kernel_modules[os.path.basename(path).partition(".")[0].replace("-", "_")] = path

    def add_module(self, name):
        """A kernel module behind those that it needs; one that is built into the kernel is not there and not needed."""
        if self.kernel_modules is None:
            self.find_modules()
        name = name.replace("-", "_")
        if name in self.modules or name not in self.kernel_modules:
            return
        path = self.kernel_modules[name]
        with lzma.open(path) if path.endswith(".xz") else open(path, "rb") as file:
            data = file.read()
        needed = re.search(rb"\0depends=([^\0]*)\0", data).group(1).decode()
        softly = b" ".join(re.findall(rb"\0softdep=pre: ([^\0]*)\0", data)).decode()
        for other in filter(None, needed.split(",") + softly.split()):
            self.add_module("crc32c_generic" if other == "crc32c" else other)
        self.modules.append(name)
        self.add("/modules/%s.ko" % name, 0o100644, data)

    def write(self, path):
        self.add_text("/modules/list", "".join(name + "\n" for name in self.modules))
        with open(path, "wb") as file:
            for number, (name, (mode, data)) in enumerate(list(self.entries.items()) + [("/TRAILER!!!", (0, b""))], 1):
                name = name[1:].encode() + b"\0"
                head = "070701" + "".join("%08x" % value for value in (
                    number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0))
                file.write(head.encode() + name + bytes(-(len(head) + len(name)) % 4))
                file.write(data + bytes(-len(data) % 4))


def command_of(unpacked, initramfs, memory, cpus, kernel_log):
    """QEMU's command for a machine without devices. The processor is emulated: KVM inside a virtual machine may be there and
    break."""
    return ["nice", "-n", "19", QEMU, "-nodefaults", "-no-user-config", "-nic", "none", "-display", "none", "-no-reboot",
            "-M", "pc", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(cpus), "-m", memory,
            "-kernel", os.path.join(unpacked, "vmlinux"), "-initrd", initramfs,
            "-append", "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check tsc=reliable random.trust_cpu=on",
            "-chardev", "file,id=kernel,path=" + kernel_log, "-serial", "chardev:kernel"]


class Machine:
    """One run of QEMU."""

    def __init__(self, unpacked, initramfs, devices=(), memory="512M", cpus=1):
        self.text = ""
        self.kernel_log = os.path.join(FOLDER, "kernel.log")
        command = command_of(unpacked, initramfs, memory, cpus, self.kernel_log) + [
            "-chardev", "stdio,id=job,signal=off", "-serial", "chardev:job"] + list(devices)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def wait(self, seconds, show=None):
        """Runs to the end of the job, which may take so long. Returns the job's exit code; None if it did not end."""
        timer = threading.Timer(seconds, self.kill)
        timer.start()
        try:
            for line in self.process.stdout:
                line = line.decode(errors="replace")
                self.text += line
                if show is not None and not EXIT_LINE.match(line):
                    show(line)
            self.process.wait()
        finally:
            timer.cancel()
            self.kill()
        ended = EXIT_LINE.findall(self.text)
        return int(ended[-1]) if ended else None

    def last_words(self):
        """The end of what the kernel said, for a machine that ended in another way than by its job."""
        try:
            with open(self.kernel_log, errors="replace") as log:
                return "".join(log.readlines()[-15:])
        except OSError:
            return ""
