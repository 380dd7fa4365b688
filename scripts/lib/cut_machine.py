# SPDX-License-Identifier: Apache-2.0
"""The machine whose power is cut: its disks, what lies between them and the ring, what it has on board. Imported, not run."""
import os
import subprocess

import machine

FILE_SYSTEMS = ("ext4", "xfs", "btrfs")
RING_DISK_BYTES, LOG_DISK_BYTES, LEG_DISK_BYTES = 32 << 20, 320 << 20, 36 << 20  # they are told apart by that
DISKS = {  # how the machine sees its disks, the module that it needs for them, and what lies between the ring and its disk
    "virtio, write back": ("virtio-blk-pci,drive=%s,write-cache=on", "virtio_blk", None),
    "virtio, write through": ("virtio-blk-pci,drive=%s,write-cache=off", "virtio_blk", None),
    "SCSI with FUA": ("scsi-hd,drive=%s,write-cache=on,dpofua=on", "virtio_scsi", None),
    "NVMe over TCP, loopback": ("scsi-hd,drive=%s,write-cache=on,dpofua=on", "virtio_scsi", "tcp"),
    "dm-crypt over virtio": ("virtio-blk-pci,drive=%s,write-cache=on", "virtio_blk", "crypt"),
    "LVM over virtio": ("virtio-blk-pci,drive=%s,write-cache=on", "virtio_blk", "lvm"),
    "md RAID 1 over virtio": ("virtio-blk-pci,drive=%s,write-cache=on", "virtio_blk", "md"),
}
NVME = "NVMe, 512"  # QEMU's drive, which ignores FUA
STACKS = {  # native/test/harness/machine/stacks.sh: the modules and programs that they need
    None: ((), ()),
    "tcp": (("nvmet", "nvmet_tcp", "nvme_tcp"), ()),
    "crypt": (("dm_crypt", "xts", "ecb", "aes_generic"), ("dmsetup",)),
    "lvm": (("dm_mod",), ("dmsetup", "lvm")),
    "md": (("raid1",), ("mdadm",)),
}
STACKS_FILE = os.path.join(machine.ROOT, "native", "test", "harness", "machine", "stacks.sh")
PROGRAMS = {"burstlog": os.path.join(machine.BUILD, "burstlog"),
            "machine-writer": os.path.join(machine.BUILD, "test", "machine", "machine-writer")}

JOB = """disk() { # of so many bytes
  for disk in /sys/block/[svn]*; do
    [ $(($(cat "$disk/size") * 512)) -ne "$1" ] || echo "/dev/${disk##*/}"
  done
}
wait_for() {
  for bytes; do
    until [ -b "$(disk "$bytes")" ]; do sleep 0.05; done
  done
}
. /stacks.sh
echo READY
read -r order </dev/ttyS1
eval "$order"
"""


def make_templates(folder):
    templates = {name: os.path.join(folder, name + ".new") for name in ("ring", "leg")}
    for name, size in (("ring", RING_DISK_BYTES), ("leg", LEG_DISK_BYTES)):
        subprocess.run(["truncate", "-s", str(size), templates[name]], check=True)
    for kind in FILE_SYSTEMS:
        templates[kind] = os.path.join(folder, kind + ".new")
        subprocess.run(["truncate", "-s", str(LOG_DISK_BYTES), templates[kind]], check=True)
        subprocess.run(["mkfs." + kind, "-q", templates[kind]], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, PATH=os.environ["PATH"] + ":/sbin:/usr/sbin"))
    return templates


def make_initramfs(unpacked, path, stack):
    files = machine.Initramfs(unpacked)
    files.add_burstlog()
    files.add_program(PROGRAMS["machine-writer"])
    modules, programs = STACKS[stack]
    for module in ("crc32c_generic", "crc32c_intel", "ext4", "xfs", "btrfs", "sd_mod") + modules:
        files.add_module(module)
    for program in programs:
        files.add_program(machine.find_program(program), "/bin/" + program)
    files.add_file(STACKS_FILE, "/stacks.sh")
    for module in ("virtio_blk", "virtio_scsi", "nvme"):  # loaded when a machine has begun its life: its disks change
        early = len(files.modules)
        files.add_module(module)
        files.modules, late = files.modules[:early], files.modules[early:]
        files.add_text("/modules/%s.late" % module, "".join("insmod /modules/%s.ko\n" % each for each in late))
    files.add_text("/job", JOB)
    files.write(path)


def disk_arguments(life):
    words = []
    for disk in life.disks:
        name = os.path.basename(disk.address)[:-len(".socket")]
        words += ["-blockdev", "driver=nbd,node-name=%s,server.type=unix,server.path=%s" % (name, disk.address)]
    if life.kind == NVME:
        return words + ["-device", "nvme,serial=1,drive=ring", "-device", "virtio-blk-pci,drive=log"]
    if DISKS[life.kind][1] == "virtio_scsi":
        words += ["-device", "virtio-scsi-pci"]
    for disk in life.disks:
        words += ["-device", DISKS[life.kind][0] % os.path.basename(disk.address)[:-len(".socket")]]
    return words
