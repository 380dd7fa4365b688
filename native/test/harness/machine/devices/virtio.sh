# SPDX-License-Identifier: Apache-2.0
# machine: modules=virtio_blk disks=a=64M,b=64M,c=64M,d=64M
# machine: qemu="-device virtio-blk-pci,drive=a,write-cache=on -device virtio-blk-pci,drive=b,write-cache=on -device virtio-blk-pci,drive=c,write-cache=off -device virtio-blk-pci,drive=d,write-cache=off"
# A virtual disk, with a write cache that is flushed, and without one.
device="virtio, write back"
. /devices/common.sh
run_on() { # RING BARE
  for engine in pwrite uring flush; do row "$engine" "$1" "$2"; done
  survives "$1" power
  format "$1"
  start "$1" auto
  killed
  recovered "$1" auto "kill -9"
}
run_on /dev/vda /dev/vdb
device="virtio, write through"
run_on /dev/vdc /dev/vdd
finish
