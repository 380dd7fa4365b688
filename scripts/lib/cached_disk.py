# SPDX-License-Identifier: Apache-2.0
"""A disk with a volatile write cache, for a virtual machine: a block server (NBD) whose power can be cut. Imported, not run.

What was written and not flushed is kept in all its versions, sector by sector. At a cut each sector gets one of them, as the
manner of the cut says: the cache is dropped, kept, kept up to a moment, kept from a moment on, or kept here and there, by
whole writes or by single sectors. A disk that lies acknowledges flushes and forced unit access, and does neither.
"""
import os
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


class CachedDisk:
    """An image file behind a socket. The file has what reads see; `cache` has what a cut may leave in place of it."""

    def __init__(self, image, address, tear=SECTOR):
        self.fd = os.open(image, os.O_RDWR)
        self.bytes = os.fstat(self.fd).st_size
        self.address, self.tear, self.lies = address, tear, False
        self.cache = {}  # unit of tearing: [(0, what is durable), (number of a write, its bytes), ..]
        self.writes = 0
        self.writes_left = None  # until the disk answers no more; None: it always answers
        self.is_stuck = threading.Event()
        self.lock = threading.Lock()
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
            except OSError:
                return
            try:
                with connection, connection.makefile("rb") as stream:
                    self.shake_hands(connection, stream)
                    self.answer(connection, stream)
            except (EOFError, ConnectionError, BrokenPipeError, struct.error):
                pass

    def shake_hands(self, connection, stream):
        flags = HAS_FLAGS | SENDS_FLUSH | SENDS_FUA
        connection.sendall(struct.pack(">QQH", MAGIC, OPTION_MAGIC, 3))
        read(stream, 4)
        while True:
            _, option, length = struct.unpack(">QII", read(stream, 16))
            read(stream, length)
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

    def answer(self, connection, stream):
        while True:
            _, flags, kind, handle, offset, length = struct.unpack(">IHHQQI", read(stream, 28))
            payload = read(stream, length) if kind == WRITE else b""
            if kind == DISCONNECT:
                return
            with self.lock:
                if kind == WRITE:
                    self.write(offset, payload, bool(flags & FUA))
                elif kind == FLUSH:
                    self.flush()
                answer = os.pread(self.fd, length, offset) if kind == READ else b""
            if self.is_stuck.is_set():
                continue  # what comes is in the cache, or passed over, and not acknowledged
            connection.sendall(struct.pack(">IIQ", SIMPLE_REPLY_MAGIC, 0, handle) + answer)

    def write(self, offset, data, forced):
        self.writes += 1
        if self.writes_left is not None:
            self.writes_left -= 1
            if self.writes_left <= 0:
                self.is_stuck.set()
        first, last = offset // self.tear, (offset + len(data) - 1) // self.tear
        begin, end = first * self.tear, (last + 1) * self.tear
        old = os.pread(self.fd, end - begin, begin)
        new = old[:offset - begin] + data + old[offset - begin + len(data):]
        os.pwrite(self.fd, data, offset)
        for unit in range(first, last + 1):
            at = (unit - first) * self.tear
            if forced and not self.lies and not self.is_stuck.is_set():
                self.cache.pop(unit, None)
            else:
                self.cache.setdefault(unit, [(0, old[at:at + self.tear])]).append((self.writes, new[at:at + self.tear]))

    def flush(self):
        if not self.lies and not self.is_stuck.is_set():
            self.cache.clear()

    def stick_after(self, writes):
        """From that write on nothing is acknowledged, so that the cut finds it in the cache."""
        with self.lock:
            self.writes_left = writes

    def cut_power(self, random, manner):
        """What the cache held is now durable or gone. Returns of how many units another version than the newest is left."""
        with self.lock:
            numbers = sorted({number for versions in self.cache.values() for number, _ in versions[1:]})
            middle = random.choice(numbers) if numbers else 0
            some = {number for number in numbers if random.random() < 0.5}
            changed = 0
            for unit, versions in self.cache.items():
                if manner == "some sectors":
                    left = random.choice(versions)
                else:
                    stays = {
                        "dropped": lambda number: False,
                        "kept": lambda number: True,
                        "up to a write": lambda number: number <= middle,
                        "up to a torn write": lambda number: number < middle or number == middle and random.random() < 0.5,
                        "from a write on": lambda number: number >= middle,
                        "some writes": some.__contains__,
                    }[manner]
                    left = [version for version in versions if version[0] == 0 or stays(version[0])][-1]
                if left is not versions[-1]:
                    os.pwrite(self.fd, left[1], unit * self.tear)
                    changed += 1
            self.cache.clear()
            self.writes_left = None
            self.is_stuck.clear()
            return changed


def read(stream, length):
    data = stream.read(length)
    if len(data) != length:
        raise EOFError
    return data
