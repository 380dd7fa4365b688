# SPDX-License-Identifier: Apache-2.0
"""A disk with a volatile write cache, for a virtual machine: a block server (NBD) whose power can be cut. Imported, not run.

The cache keeps every version of each sector that was written and not flushed. At a cut each sector gets one of them, as the
manner of the cut says: the cache is dropped, kept, kept up to a moment, kept from a moment on, or kept here and there, by
whole writes or by single sectors. A flush covers the writes that were answered before it came, and no other. A disk that lies
acknowledges flushes and forced unit access, and does neither.

All disks of a machine write what they do into one journal, in order.
"""
import os
import select
import socket
import struct
import threading

SECTOR = 512
MANNERS = ("dropped", "kept", "up to a write", "up to a torn write", "from a write on", "some writes", "some sectors")

MAGIC, OPTION_MAGIC, REPLY_MAGIC = 0x4E42444D41474943, 0x49484156454F5054, 0x3E889045565A9
REQUEST_MAGIC, SIMPLE_REPLY_MAGIC = 0x25609513, 0x67446698
EXPORT_NAME, ABORT, INFO, GO = 1, 2, 6, 7
ACK, INFO_EXPORT = 1, 3
UNSUPPORTED = (1 << 31) + 1
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
FUA = 1
HAS_FLAGS, SENDS_FLUSH, SENDS_FUA = 1, 4, 8


class Cache:
    """An image and what a loss of power may leave in place of it."""

    def __init__(self, fd, tear):
        self.fd, self.tear = fd, tear
        self.versions = {}  # unit of tearing: [(0, what is durable), (number of a write, its bytes), ..]
        self.writes = 0

    def write(self, offset, data, forced):
        self.writes += 1
        first, last = offset // self.tear, (offset + len(data) - 1) // self.tear
        begin, end = first * self.tear, (last + 1) * self.tear
        old = os.pread(self.fd, end - begin, begin)
        new = old[:offset - begin] + data + old[offset - begin + len(data):]
        os.pwrite(self.fd, data, offset)
        for unit in range(first, last + 1):
            at = (unit - first) * self.tear
            if forced:
                self.versions.pop(unit, None)
            else:
                self.versions.setdefault(unit, [(0, old[at:at + self.tear])]).append((self.writes, new[at:at + self.tear]))

    def flush(self, last):
        """The writes up to this one are durable."""
        for unit, versions in list(self.versions.items()):
            durable = [version for version in versions if version[0] <= last]
            later = versions[len(durable):]
            if later:
                self.versions[unit] = [(0, durable[-1][1])] + later
            else:
                del self.versions[unit]

    def draw(self, random, manner):
        """The state that a loss of power leaves: unit and version, for each unit that does not have its newest one."""
        numbers = sorted({number for versions in self.versions.values() for number, _ in versions[1:]})
        middle = random.choice(numbers) if numbers else 0
        some = {number for number in numbers if random.random() < 0.5}
        stays = {
            "dropped": lambda number: False,
            "kept": lambda number: True,
            "up to a write": lambda number: number <= middle,
            "up to a torn write": lambda number: number < middle or number == middle and random.random() < 0.5,
            "from a write on": lambda number: number >= middle,
            "some writes": some.__contains__,
        }
        left = {}
        for unit, versions in self.versions.items():
            if manner == "some sectors":
                version = random.choice(versions)
            else:
                version = [each for each in versions if each[0] == 0 or stays[manner](each[0])][-1]
            if version is not versions[-1]:
                left[unit] = version
        return left

    def put(self, left, fd):
        for unit, (_, data) in left.items():
            os.pwrite(fd, data, unit * self.tear)


class Requests:
    """Serves the requests of a machine."""

    def __init__(self, connection):
        self.connection, self.buffer = connection, bytearray()

    def has_more(self):
        return bool(self.buffer) or bool(select.select([self.connection], [], [], 0)[0])

    def read(self, length):
        while len(self.buffer) < length:
            data = self.connection.recv(1 << 20)
            if not data:
                raise EOFError
            self.buffer += data
        data = bytes(self.buffer[:length])
        del self.buffer[:length]
        return data


class Journal:
    """The requests to all disks of a machine, in order: (bytes that had been reported before it, disk, action, ..)."""

    def __init__(self):
        self.lock = threading.Lock()
        self.entries = []
        self.reports = None  # the file that tells what the machine has acknowledged

    def note(self, disk, *action):
        try:
            told = os.stat(self.reports).st_size
        except (FileNotFoundError, TypeError):  # the machine does not run yet
            told = 0
        self.entries.append((told, disk) + action)

    def begin(self, reports):
        self.entries, self.reports = [], reports


class CachedDisk:
    """An image file behind a socket. The file has what reads see; `cache` has what a cut may leave in place of it."""

    def __init__(self, image, address, tear=SECTOR, journal=None, number=0):
        self.image, self.address, self.lies = image, address, False
        self.journal, self.number = journal or Journal(), number
        self.fd = os.open(image, os.O_RDWR)
        self.bytes = os.fstat(self.fd).st_size
        self.cache = Cache(self.fd, tear)
        self.writes_left = None  # until the disk answers no more; None: it always answers
        self.is_stuck = threading.Event()
        self.is_free = threading.Event()  # no machine is connected
        self.is_free.set()
        if os.path.exists(address):
            os.remove(address)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(address)
        self.listener.listen()
        self.server = threading.Thread(target=self.serve, daemon=True)
        self.server.start()

    def close(self):
        """Call it when the machine has ended."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.server.join()
        self.listener.close()
        os.close(self.fd)

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
                self.is_free.clear()
            except OSError:
                return
            try:
                with connection:
                    requests = Requests(connection)
                    self.shake_hands(connection, requests)
                    self.answer(connection, requests)
            except (EOFError, ConnectionError, struct.error):
                pass
            self.is_free.set()

    def shake_hands(self, connection, requests):
        flags = HAS_FLAGS | SENDS_FLUSH | SENDS_FUA
        connection.sendall(struct.pack(">QQH", MAGIC, OPTION_MAGIC, 3))
        requests.read(4)
        while True:
            _, option, length = struct.unpack(">QII", requests.read(16))
            requests.read(length)
            if option == EXPORT_NAME:
                connection.sendall(struct.pack(">QH", self.bytes, flags))
                return
            if option in (GO, INFO):
                connection.sendall(struct.pack(">QIIIHQH", REPLY_MAGIC, option, INFO_EXPORT, 12, 0, self.bytes, flags))
            kind = ACK if option in (GO, INFO, ABORT) else UNSUPPORTED
            connection.sendall(struct.pack(">QIII", REPLY_MAGIC, option, kind, 0))
            if option == GO:
                return
            if option == ABORT:
                raise EOFError

    def answer(self, connection, requests):
        waiting = []  # answers that were not sent yet
        answered = self.cache.writes  # the last write of which the machine may know
        while True:
            if waiting and not requests.has_more():
                connection.sendall(b"".join(waiting))
                waiting, answered = [], self.cache.writes
            _, flags, kind, handle, offset, length = struct.unpack(">IHHQQI", requests.read(28))
            payload = requests.read(length) if kind == WRITE else b""
            if kind == DISCONNECT:
                return
            with self.journal.lock:
                if kind == WRITE:
                    self.write(offset, payload, bool(flags & FUA))
                elif kind == FLUSH:
                    self.flush(answered)
                answer = os.pread(self.fd, length, offset) if kind == READ else b""
            if self.is_stuck.is_set():
                continue  # what comes is in the cache, or passed over, and not acknowledged
            waiting.append(struct.pack(">IIQ", SIMPLE_REPLY_MAGIC, 0, handle) + answer)

    def write(self, offset, data, forced):
        if self.writes_left is not None:
            self.writes_left -= 1
            if self.writes_left <= 0:
                self.is_stuck.set()
        forced = forced and not self.lies and not self.is_stuck.is_set()
        self.journal.note(self.number, "write", offset, data, forced)
        self.cache.write(offset, data, forced)

    def flush(self, answered):
        if not self.lies and not self.is_stuck.is_set():
            self.journal.note(self.number, "flush", answered)
            self.cache.flush(answered)

    def stick_after(self, writes):
        """From that write on nothing is acknowledged, so that the cut finds it in the cache."""
        with self.journal.lock:
            self.writes_left = writes

    def cut_power(self, random, manner):
        """The machine is dead: every sector of the cache is now durable or gone. Returns of how many units another version than the
        newest is left."""
        self.is_free.wait()
        with self.journal.lock:
            left = self.cache.draw(random, manner)
            self.cache.put(left, self.fd)
            self.cache = Cache(self.fd, self.cache.tear)
            self.writes_left = None
            self.is_stuck.clear()
            return len(left)
