# SPDX-License-Identifier: Apache-2.0
"""Virtual machines that begin where one of them stood when it had booted and waited for its order. Imported, not run.

A machine that may have a snapshot loads no driver of its disks before its order: the disks under the snapshot change. QEMU gives
no snapshot of an NVMe drive; such a machine boots each time.
"""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

import machine

BOOT_SECONDS = 300  # of a busy machine


class Monitor:
    """QEMU's own port (QMP)."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + BOOT_SECONDS
        while True:
            try:
                self.socket.connect(self.path)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        self.stream = self.socket.makefile("rw")
        self.stream.readline()
        self.ask("qmp_capabilities")
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def ask(self, command, **arguments):
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline())
            if "error" in answer:
                raise machine.Unavailable("QEMU refuses %s: %s" % (command, answer["error"]["desc"]))
            if "return" in answer:
                return answer["return"]

    def wait_for(self, query, wanted):
        end = time.monotonic() + BOOT_SECONDS
        while (status := self.ask(query).get("status")) != wanted:
            if status == "failed" or time.monotonic() > end:
                raise machine.Unavailable("QEMU answers %s to %s, not %s" % (status, query, wanted))
            time.sleep(0.02)


class Started:
    """A machine that runs. Orders go in at its second serial port, and what it prints comes out there, into a file; its reports
    go through a port that holds up the program until they have left."""

    def __init__(self, command, base):
        self.output_path, self.reports_path, self.errors_path = base + ".out", base + ".reports", base + ".qemu"
        self.order_path, self.monitor_path = base + ".order", base + ".monitor"
        self.kernel_path = base + ".kernel"
        for path in (self.output_path, self.reports_path, self.order_path, self.monitor_path):
            if os.path.exists(path):
                os.remove(path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.order_path)
        listener.listen()
        command = command + [
            "-chardev", "socket,id=job,path=%s,logfile=%s" % (self.order_path, self.output_path), "-serial", "chardev:job",
            "-device", "virtio-serial-pci,max_ports=2", "-chardev", "file,id=reports,path=" + self.reports_path,
            "-device", "virtserialport,chardev=reports,nr=1",
            "-chardev", "socket,id=monitor,path=%s,server=on,wait=off" % self.monitor_path,
            "-mon", "chardev=monitor,mode=control"]
        with open(self.errors_path, "w") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                            start_new_session=True)
        listener.settimeout(BOOT_SECONDS)
        try:
            self.orders, _ = listener.accept()
        except BaseException:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        finally:
            listener.close()

        threading.Thread(target=self.drop_output, daemon=True).start()

    def drop_output(self):
        """It is in the file as well. Some 300 bytes that nobody takes would hold up the machine's serial port."""
        try:
            while self.orders.recv(4096):
                pass
        except OSError:
            pass

    def tell(self, order):
        self.orders.sendall(order.encode())

    @staticmethod
    def read(path):
        try:
            with open(path, errors="replace") as file:
                return file.read()
        except FileNotFoundError:  # QEMU has only just begun
            return ""

    def said(self):
        return self.read(self.output_path)

    def reports(self):
        """The lines that have left the machine, each as its words."""
        return [line.split() for line in self.read(self.reports_path).split("\n")[:-1]]

    def kernel_words(self):
        return "".join(self.read(self.kernel_path).splitlines(True)[-8:])

    def errors(self):
        return self.read(self.errors_path)

    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        if self.is_alive():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.orders.close()

    def save(self, path):
        """Writes the machine's state to a file."""
        with Monitor(self.monitor_path) as monitor:
            monitor.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
            monitor.ask("migrate", uri="exec:cat >" + path)
            monitor.wait_for("query-migrate", "completed")

    def wait_until_it_runs(self):
        """A machine loses what is sent to it while its state is still being read."""
        with Monitor(self.monitor_path) as monitor:
            monitor.wait_for("query-status", "running")


class Snapshot:
    """Machines of one kind."""

    def __init__(self, unpacked, initramfs, folder, kind, saves):
        self.unpacked, self.initramfs, self.boots = unpacked, initramfs, not saves
        self.base = os.path.join(folder, re.sub(r"\W+", "-", kind))

    def command(self, devices):
        return machine.command_of(self.unpacked, self.initramfs, "256M", 1, self.base + ".kernel") + devices

    def boot(self, devices):
        started = Started(self.command(devices), self.base)
        end = time.monotonic() + BOOT_SECONDS
        try:
            while "READY" not in started.said():
                if time.monotonic() > end or not started.is_alive():
                    raise machine.Unavailable("the machine does not boot: " + started.errors())
                time.sleep(0.05)
            time.sleep(0.3)  # so that it waits for its order
        except BaseException:
            started.kill()
            raise
        return started

    def start(self, devices):
        if self.boots:
            return self.boot(devices)
        saved = self.base + ".saved"
        if not os.path.exists(saved):
            started = self.boot(devices)
            try:
                started.save(saved)
            finally:
                started.kill()
        started = Started(self.command(devices) + ["-incoming", "exec:cat " + saved], self.base)
        try:
            started.wait_until_it_runs()
        except BaseException:
            started.kill()
            raise
        return started
