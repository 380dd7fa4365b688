# SPDX-License-Identifier: Apache-2.0
"""The states in which a loss of power may leave a machine's disks, each checked on this host. Imported, not run.

A record is what the disks were before, the journal of what they were told, and what the machine had acknowledged before each
entry. Power may be lost behind any entry, and each such moment leaves many states. A state is made from the record alone, so it
can be made again. To check it the log's disk is mounted by a loop device, and the log is recovered as after a start of the machine:
no line is lost that had left the machine by then. Everything happens in a mount namespace of this process.
"""
import ctypes
import errno
import fcntl
import os
import pickle
import random
import re
import struct
import subprocess
import time

from cached_disk import MANNERS, Cache

PLACE = "/mnt"  # where the machine has the log's disk; its ring knows the log file by that name
LOOP_GET_FREE, LOOP_CONFIGURE, LOOP_AUTOCLEAR = 0x4C82, 0x4C0A, 4
NEW_MOUNTS, PRIVATE_TREE = 0x20000, 0x44000
CHECK_SECONDS = 120
LEAST_SPACE = 2 << 30  # of /dev/shm, to keep the images there

LOST = re.compile(r"VIOLATION .*: recovery reports [1-9]\d* lost records|\bLOST: record")  # say machine-writer and `burstlog recover`

libc = ctypes.CDLL(None, use_errno=True)


class Loss(Exception):
    """A state that does not hold what it must; says what."""


class LostLine(Loss):
    """An acknowledged line is gone, or the recovery reports lost records."""


def call(function, *arguments):
    if function(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def mount(source, kind):
    call(libc.mount, source.encode(), PLACE.encode(), kind.encode(), 0, None)


def unmount():
    for _ in range(100):
        if libc.umount2(PLACE.encode(), 0) == 0:
            return
        time.sleep(0.02)
    raise OSError(ctypes.get_errno(), "%s cannot be unmounted" % PLACE)


class Loop:
    """A loop device over a file. It goes with the last that has it open."""

    def __init__(self, path):
        with open(path, "r+b") as file, open("/dev/loop-control", "rb") as control:
            while True:
                number = fcntl.ioctl(control, LOOP_GET_FREE)
                self.path = "/dev/loop%d" % number
                if not os.path.exists(self.path):
                    os.mknod(self.path, 0o060600, os.makedev(7, number))
                self.fd = os.open(self.path, os.O_RDWR)
                info = struct.pack("=5Q4I", 0, 0, 0, 0, 0, 0, 0, 0, LOOP_AUTOCLEAR).ljust(232, b"\0")
                try:
                    fcntl.ioctl(self.fd, LOOP_CONFIGURE, struct.pack("=II", file.fileno(), 512) + info + bytes(64))
                    return
                except OSError as error:
                    os.close(self.fd)
                    if error.errno != errno.EBUSY:  # somebody was faster
                        raise

    def close(self):
        os.close(self.fd)


def why_not():
    """Why this host can check no states; None if it can. From here on the process has mounts of its own."""
    if os.geteuid() != 0:
        return "root is needed to mount them"
    try:
        call(libc.unshare, NEW_MOUNTS)
        call(libc.mount, b"none", b"/", None, PRIVATE_TREE, None)
        with open("/dev/loop-control", "rb"):
            return None
    except OSError as error:
        return str(error)


def best_folder(other):
    """A folder in memory, if there is room: images are copied over and over."""
    try:
        space = os.statvfs("/dev/shm")
        return "/dev/shm" if space.f_bavail * space.f_frsize >= LEAST_SPACE else other
    except OSError:
        return other


def copy_of(fd, path):
    """A copy with the same holes."""
    if os.path.exists(path):
        os.remove(path)
    copy = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    end = os.fstat(fd).st_size
    os.ftruncate(copy, end)
    at = 0
    while True:
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:  # a hole up to the end
            return copy
        behind = os.lseek(fd, at, os.SEEK_HOLE)
        while at < behind:
            at += os.pwrite(copy, os.pread(fd, min(behind - at, 1 << 20), at), at)


class Record:
    """One run of a machine: begun before its disks were told anything."""

    def __init__(self, folder, name, life, disks, acknowledged):
        self.name, self.ring_on, self.file_system = name, life.ring_on, life.file_system
        self.tears = [disk.cache.tear for disk in disks]
        self.images = [os.path.join(folder, "%d.begin" % number) for number in range(len(disks))]
        for disk, image in zip(disks, self.images):
            os.close(copy_of(disk.fd, image))
        self.begin = list(acknowledged)
        self.has_ring = life.has_ring
        self.entries, self.reports, self.moments = [], b"", []

    def end(self, entries, reports_path):
        self.entries = entries
        if os.path.exists(reports_path):
            with open(reports_path, "rb") as file:
                self.reports = file.read()

        self.moments = list(self.find_moments())

    def find_moments(self):
        """For each number of entries: the last line of each thread that had left the machine when it had told its disks so much,
        and what it did."""
        lines, threads, rolls = list(self.begin), set(), 0
        at = 0
        for told in [entry[0] for entry in self.entries] + [len(self.reports)]:
            while (end := self.reports.find(b"\n", at, told)) >= 0:
                kind, thread, number = self.reports[at:end].split()
                at = end + 1
                if kind in b"FA":
                    lines[int(thread)] = max(lines[int(thread)], int(number))
                    threads.add(int(thread))
                rolls += {b"R": 1, b"D": -1}.get(kind, 0)
            yield tuple(lines), "recovery" if len(threads) < len(lines) else "roll" if rolls else "load"

    def points(self):
        """All moments, with their phases: of a ring that is not made yet there is nothing to see."""
        return [(point, phase) for point, (_, phase) in enumerate(self.moments) if self.has_ring or phase != "recovery"]

    def keep(self, folder, state):
        """Leaves all that is needed to make the state again."""
        os.makedirs(folder, exist_ok=True)
        kept = []
        for number, image in enumerate(self.images):
            kept.append(os.path.join(folder, "%d.begin" % number))
            with open(image, "rb") as file:
                os.close(copy_of(file.fileno(), kept[-1]))
        fields = dict(self.__dict__, images=kept)
        with open(os.path.join(folder, "record"), "wb") as file:
            pickle.dump((fields, state), file)

    @classmethod
    def load(cls, folder):
        """A kept record, and the state."""
        record = cls.__new__(cls)
        with open(os.path.join(folder, "record"), "rb") as file:
            record.__dict__, state = pickle.load(file)
        record.images = [os.path.join(folder, os.path.basename(image)) for image in record.images]
        return record, state


class Tally:
    """Counts of the checks."""

    def __init__(self):
        self.states, self.moments, self.lines = 0, 0, 0
        self.phases = {"load": 0, "recovery": 0, "roll": 0}

    def __str__(self):
        return "%d states of %d moments (%d under load, %d in a recovery, %d in a roll), %d acknowledged lines looked for" % (
            self.states, self.moments, *self.phases.values(), self.lines)


class CrashStates:
    """Goes through a record, from its begin to its end."""

    def __init__(self, record, folder, programs):
        self.record, self.folder, self.programs = record, folder, programs
        self.caches = []
        for number, image in enumerate(record.images):
            with open(image, "rb") as file:
                now = copy_of(file.fileno(), os.path.join(folder, "%d.now" % number))
                self.caches.append(Cache(now, record.tears[number]))
        self.at = 0
        self.state = None  # that is being checked
        self.seen = set()
        self.last_lines = record.moments[-1][0]

    def close(self):
        for cache in self.caches:
            os.close(cache.fd)

    def go_to(self, point):
        for _, disk, action, *what in self.record.entries[self.at:point]:
            getattr(self.caches[disk], action)(*what)
        self.at = point

    def choose(self, count, drawing):
        """Moments: all of them if count is None; else so many, half of them in recoveries and rolls if there are any."""
        points = self.record.points()
        if count is None:
            return [point for point, _ in points]
        rare = [point for point, phase in points if phase != "load"]
        rest = [point for point, _ in points]
        return sorted(drawing.choice(rare if rare and i % 2 else rest) for i in range(count)) if points else []

    def check(self, count, seed, tally):
        """Checks so many states, or one behind each entry if count is None."""
        before = None
        for turn, point in enumerate(self.choose(count, random.Random("%s moments" % seed))):
            self.go_to(point)
            self.state = (point, "%s %d %d" % (seed, point, turn))
            if self.check_state(self.state, tally):
                tally.moments += point != before
                before = point

    def check_state(self, state, tally):
        """Whether it was one that was not seen yet. The machine is at its moment."""
        point, seed = state
        drawing = random.Random(seed)
        manners = [drawing.choice(MANNERS) for _ in self.caches]
        left = [cache.draw(drawing, manner) for cache, manner in zip(self.caches, manners)]
        wanted, phase = self.record.moments[point]
        identity = (wanted, tuple(cache.writes for cache in self.caches),
                    tuple(tuple(sorted((unit, version[0]) for unit, version in each.items())) for each in left))
        if identity in self.seen:
            return False
        self.seen.add(identity)
        try:
            self.recover(left, wanted, drawing.random() < 0.3)
        except Loss as loss:
            raise type(loss)("%s, behind entry %d of %d (%s), ring %s, log %s, seed '%s': %s" % (
                self.record.name, point, len(self.record.entries), phase, manners[0], manners[1], seed, loss)) from loss
        tally.states += 1
        tally.lines += sum(wanted)
        tally.phases[phase] += 1
        return True

    def recover(self, left, wanted, by_command):
        paths = []
        for number, (cache, versions) in enumerate(zip(self.caches, left)):
            paths.append(os.path.join(self.folder, "%d.state" % number))
            copy = copy_of(cache.fd, paths[-1])
            cache.put(versions, copy)
            os.close(copy)
        loops = [Loop(path) for path in paths]
        try:
            try:
                mount(loops[1].path, self.record.file_system)
            except OSError as error:
                raise Loss("%s cannot be mounted: %s" % (self.record.file_system, error)) from error
            try:
                ring = loops[0].path if self.record.ring_on == "device" else PLACE + "/ring"
                if by_command:
                    self.run("burstlog", "recover", ring)
                said = self.run("machine-writer", ring, PLACE + "/lines/log", "pwrite", "process", str(len(wanted)), "0")
                self.judge(said, wanted)
            finally:
                unmount()
        finally:
            for loop in loops:
                loop.close()

    def run(self, program, *arguments):
        try:
            done = subprocess.run([self.programs[program], *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=CHECK_SECONDS, check=False)
        except subprocess.TimeoutExpired as late:
            raise Loss("%s does not end within %d s" % (program, CHECK_SECONDS)) from late
        if done.returncode != 0:
            kind = LostLine if LOST.search(done.stdout) else Loss
            raise kind("%s ends with %d: %s" % (program, done.returncode, done.stdout.strip()[-2000:]))
        return done.stdout

    def judge(self, said, wanted):
        found = {int(words[1]): int(words[2]) for words in map(str.split, said.splitlines()) if words[:1] == ["F"]}
        for thread, number in enumerate(wanted):
            if found[thread] < number:
                raise LostLine("thread %d: line %d was acknowledged, the log ends with line %d" % (thread, number, found[thread]))
            if found[thread] > self.last_lines[thread] + 1:
                raise Loss("thread %d: the log has line %d, and line %d was the last to be acknowledged" % (
                    thread, found[thread], self.last_lines[thread]))
